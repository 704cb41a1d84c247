package io.verbena.cli.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Invocation;
import io.verbena.cli.SharedThreadIo;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.felix.service.command.Function;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.impl.action.command.ManagerImpl;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ScriptTest {
    private final ThreadIOImpl threadIo = SharedThreadIo.get();
    private SessionFactoryImpl sessions;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<Object> called = new ArrayList<>();
    private InputStream in = InputStream.nullInputStream();
    private OutputStream sink = out;

    /** A command with options. */
    @Service
    @Command(scope = "test", name = "look", description = "Looks")
    public static final class Look implements Action {
        @Option(name = "-r", aliases = "--recursive", description = "All of it")
        private boolean recursive;

        @Argument(description = "What", required = true)
        private String what;

        @Override
        public Object execute() {
            return recursive + what;
        }
    }

    /** Prints a word and fails. */
    @Service
    @Command(scope = "test", name = "fail", description = "Fails")
    public static final class Fail extends CliCommand {
        @Override
        protected void run(PrintStream out) throws IOException {
            out.println("half");
            throw new NoSuchFileException("gone");
        }
    }

    /** Prints what it reads. */
    @Service
    @Command(scope = "test", name = "read", description = "Reads")
    public static final class Read extends CliCommand {
        @Override
        protected void run(PrintStream out) throws IOException {
            out.print(new String(System.in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** Prints until nobody reads. */
    @Service
    @Command(scope = "test", name = "print", description = "Prints")
    public static final class Print extends CliCommand {
        @Override
        protected void run(PrintStream out) throws IOException {
            OutputStream printed = failing(out);
            while (true) {
                printed.write(new byte[1 << 16]);
            }
        }
    }

    /** Waits until it is interrupted, and ends some time later. */
    @Service
    @Command(scope = "test", name = "wait", description = "Waits")
    public static final class Wait extends CliCommand {
        @Reference
        private Waiting waiting;

        @Override
        protected void run(PrintStream out) throws CommandException, InterruptedException {
            waiting.begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                waiting.tidiedUp.await();
                throw new CommandFailure(ExitStatus.INTERRUPTED, "interrupted; go on with --resume", e);
            }
        }
    }

    /** The state of {@link Wait}. */
    @Service
    public static final class Waiting {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch tidiedUp = new CountDownLatch(1);
    }

    private final Waiting waiting = new Waiting();

    @BeforeEach
    void start() {
        sessions = new SessionFactoryImpl(threadIo);
        sessions.register(waiting);
        ManagerImpl manager = new ManagerImpl(sessions, sessions);
        for (Class<?> command : List.of(Look.class, Fail.class, Read.class, Print.class, Wait.class)) {
            manager.register(command);
        }
    }

    @AfterEach
    void stop() {
        sessions.stop();
    }

    /** Runs a script whose commands are all unknown. The commands are recorded, and fail according to their names. */
    private ExitStatus run(ScriptOptions options, String script) {
        return script(options, Successors.NONE).run(script);
    }

    private Script script(ScriptOptions options, Successors successors) {
        Function noted = (session, words) -> {
            called.add(words);
            switch (words.get(0).toString()) {
                case "missing" -> throw new CommandFailure(ExitStatus.NOT_FOUND, "there is none");
                case "status" ->
                    throw new CommandFailure(ExitStatus.valueOf(words.get(1).toString()), "as told");
                case "broken" -> throw new IOException("it is broken");
                case "hostile" -> throw new IOException("the server says \u001b[31m\u202eno\nmore");
                case "stopped" -> throw new InterruptedException("sleep interrupted");
                default -> {
                    return null;
                }
            }
        };
        PrintStream output = new ScriptOutput(sink);
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        return new Script(sessions, session -> noted, options, in, output, errors, successors);
    }

    private static ScriptOptions with(String... arguments) {
        return new ScriptOptions(List.of(arguments), false, false, false, Invocation.ofProcess());
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPassEachArgumentAsOneWord() {
        ExitStatus status = run(with("a b", "", "$HOME;'x", "*"), "one $1\ntwo $3 $2; all $args\ncount $argc\n");

        assertThat(errors()).isEmpty();
        assertThat(status).isEqualTo(ExitStatus.OK);
        assertThat(called)
                .containsExactly(
                        List.of("one", "a b"),
                        List.of("two", "$HOME;'x", ""),
                        List.of("all", "a b", "", "$HOME;'x", "*"),
                        List.of("count", 4));
    }

    @Test
    void shouldKeepVariables() {
        run(with("x"), "NAME = 'a b'\none $NAME ${NAME}c");

        assertThat(errors()).isEmpty();
        assertThat(called).containsExactly(List.of("one", "a b", "a bc"));
    }

    /** Runs a script of which another build runs the rest after the second statement. */
    private ExitStatus runByTwo(ScriptOptions options, String script) {
        AtomicReference<Remainder> left = new AtomicReference<>();
        Script first = script(
                options,
                statement -> called.size() == 2
                        ? Optional.of(rest -> left.set(Remainder.of(rest.shared())))
                        : Optional.empty());
        ExitStatus status = first.run(script);
        return first.isHandedOver() ? script(options, Successors.NONE).goOn(left.get()) : status;
    }

    @Test
    void shouldLetAnotherBuildRunTheRestWithVariablesAndArguments() {
        assertThat(runByTwo(with("a b"), "NAME = 'x y'; one $NAME; two $1; three $NAME $1 $argc; four"))
                .isEqualTo(ExitStatus.OK);

        assertThat(errors()).isEmpty();
        assertThat(called)
                .containsExactly(
                        List.of("one", "x y"),
                        List.of("two", "a b"),
                        List.of("three", "x y", "a b", 1),
                        List.of("four"));
    }

    @Test
    void shouldKeepTheFirstStatusWhereAnotherBuildRunsTheRest() {
        ScriptOptions options = new ScriptOptions(List.of(), true, false, false, Invocation.ofProcess());

        assertThat(runByTwo(options, "missing; one; broken")).isEqualTo(ExitStatus.NOT_FOUND);
        assertThat(errors()).isEqualTo("verbena: there is none\nverbena: it is broken\n");
    }

    @Test
    void shouldEndWithTheStatementThatFailedWhileItsBuildWasReplaced() {
        assertThat(runByTwo(with(), "one; missing; two")).isEqualTo(ExitStatus.NOT_FOUND);

        assertThat(errors()).isEqualTo("verbena: there is none\n");
        assertThat(called).hasSize(2);
    }

    @Test
    void shouldEndWhereTheNextBuildDoesNotStart() {
        Successors none = statement -> {
            throw new CommandFailure(ExitStatus.NO_CONNECTION, "it does not start");
        };

        assertThat(script(with(), none).run("one; two")).isEqualTo(ExitStatus.NO_CONNECTION);
        assertThat(errors()).isEqualTo("verbena: it does not start\n");
        assertThat(called).hasSize(1);
    }

    @Test
    void shouldStopAtTheFirstFailureWithItsStatus() {
        assertThat(run(with(), "one\nmissing\nbroken\n")).isEqualTo(ExitStatus.NOT_FOUND);

        assertThat(errors()).isEqualTo("verbena: there is none\n");
        assertThat(called).hasSize(2);
    }

    @Test
    void shouldPrintErrorsWithoutInvisibleCharacters() {
        run(with(), "hostile");

        assertThat(errors()).isEqualTo("verbena: the server says \\x1B[31m\\xE2\\x80\\xAEno more\n");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
    void shouldEndWithTheStatusThatAFailureHas(ExitStatus status) {
        assertThat(run(with(), "status " + status)).isEqualTo(status);
    }

    @Test
    void shouldKeepGoingAndEndWithTheFirstFailure() {
        assertThat(run(
                        new ScriptOptions(List.of(), true, false, false, Invocation.ofProcess()),
                        "missing\nbroken; one"))
                .isEqualTo(ExitStatus.NOT_FOUND);

        assertThat(errors()).isEqualTo("verbena: there is none\nverbena: it is broken\n");
        assertThat(called).hasSize(3);
    }

    @Test
    void shouldNotKeepGoingWhenItIsInterrupted() {
        assertThat(run(new ScriptOptions(List.of(), true, false, false, Invocation.ofProcess()), "stopped\none"))
                .isEqualTo(ExitStatus.INTERRUPTED);

        assertThat(called).hasSize(1);
    }

    @Test
    void shouldTellWhenACommandBeginsAndEnds() {
        run(new ScriptOptions(List.of(), true, true, false, Invocation.ofProcess()), "one 'a b'\nmissing");

        assertThat(errors().lines())
                .satisfiesExactly(
                        line -> assertThat(line).matches("\\d{4}-\\d\\d-\\d\\dT\\S+Z begin: one 'a b'"),
                        line -> assertThat(line).matches("\\S+Z done after \\d+\\.\\d{3} s: one 'a b'"),
                        line -> assertThat(line).matches("\\S+Z begin: missing"),
                        line -> assertThat(line).isEqualTo("verbena: there is none"),
                        line -> assertThat(line).matches("\\S+Z failed, status 3 after \\d+\\.\\d{3} s: missing"));
    }

    @Test
    void shouldNameTheNearestOption() {
        assertThat(run(with(), "test:look --recusrive x")).isEqualTo(ExitStatus.USAGE);

        assertThat(errors())
                .isEqualTo("verbena: test:look: unknown option '--recusrive': did you mean '--recursive'?"
                        + " (test:look --help tells more)\n");
    }

    @Test
    void shouldCallAMissingArgumentWrongUsage() {
        assertThat(run(with(), "test:look")).isEqualTo(ExitStatus.USAGE);

        assertThat(errors()).isEqualTo("verbena: test:look: argument what is required (test:look --help tells more)\n");
    }

    /** An option behind an argument, as mount(8) takes it. */
    @Test
    void shouldTellThatOptionsStandBeforeArguments() {
        assertThat(run(with(), "test:look here --recursive")).isEqualTo(ExitStatus.USAGE);

        assertThat(errors())
                .isEqualTo("verbena: test:look: too many arguments specified; options stand before arguments"
                        + " (test:look --help tells more)\n");
    }

    @Test
    void shouldTellAFailureInOneLine() {
        assertThat(Script.oneLine(new IOException("no answer\n  from server:\r\n\tgave up\n")))
                .isEqualTo("no answer from server: gave up");
    }

    @Test
    void shouldNameAFailureThatSaysNothing() {
        assertThat(Script.oneLine(new IllegalStateException())).isEqualTo("IllegalStateException");
    }

    @Test
    void shouldSayWhatIsWrongWithAFile() {
        assertThat(Script.oneLine(new NoSuchFileException("report.csv"))).isEqualTo("NoSuchFileException: report.csv");
    }

    @Test
    void shouldCallAnInterruptOne() {
        assertThat(Script.oneLine(new InterruptedException("sleep interrupted")))
                .isEqualTo("interrupted");
    }

    @Test
    void shouldFailWhereAnyCommandOfAPipelineFails() {
        assertThat(run(with(), "test:fail | test:read")).isEqualTo(ExitStatus.NOT_FOUND);
        assertThat(errors()).endsWith("verbena: gone: no such file or directory%n".formatted());
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("half");
    }

    @ParameterizedTest
    @CsvSource({
        "missing, NOT_FOUND, there is none",
        "broken, FAILED, it is broken",
        "test:look --recursiv x, USAGE, unknown option",
        "test:look, USAGE, required",
    })
    void shouldFailWhereWhatIsNoCommandOfOursFails(String command, ExitStatus status, String message) {
        assertThat(run(with(), command + " | test:read; one")).isEqualTo(status);
        assertThat(errors().lines().filter(line -> line.startsWith("verbena: ")))
                .singleElement()
                .asString()
                .contains(message);
        assertThat(called).doesNotContain(List.of("one"));
    }

    @Test
    void shouldRefuseAnOrBeforeAnythingIsDone() {
        assertThat(run(with(), "one; test:fail || two")).isEqualTo(ExitStatus.USAGE);
        assertThat(called).isEmpty();
    }

    @Test
    void shouldHandTheStandardInputToCommands() {
        in = new ByteArrayInputStream("text".getBytes(StandardCharsets.UTF_8));

        assertThat(run(with(), "test:read")).isEqualTo(ExitStatus.OK);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("text");
    }

    @Test
    void shouldFailOnceWhereTheOutputIsLost() {
        sink = new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException("no space left on device");
            }
        };
        in = new ByteArrayInputStream("text".getBytes(StandardCharsets.UTF_8));

        ExitStatus status =
                run(new ScriptOptions(List.of(), true, false, false, Invocation.ofProcess()), "test:read; one; two");

        assertThat(status).isEqualTo(ExitStatus.FAILED);
        assertThat(errors())
                .isEqualTo("verbena: cannot write to the standard output: no space left on device%n".formatted());
        assertThat(called).hasSize(2);
    }

    @Test
    void shouldBeSilentAndEndWhenTheReaderHasWhatItWanted() throws Exception {
        Pipe pipe = Pipe.open();
        pipe.source().close();
        try (Pipe.SinkChannel write = pipe.sink()) {
            sink = Channels.newOutputStream(write);

            assertThat(run(with(), "test:print; one")).isEqualTo(ExitStatus.FAILED);
        }
        assertThat(errors()).isEmpty();
        assertThat(called).isEmpty();
    }

    @Test
    void shouldTellWhatACommandThatIsInterruptedHasToSay() throws Exception {
        AtomicReference<ExitStatus> status = new AtomicReference<>();
        Thread script = new Thread(() -> status.set(run(with(), "test:wait; one")));
        script.start();
        waiting.begun.await();
        script.interrupt();
        waiting.tidiedUp.countDown();
        script.join();

        assertThat(status).hasValue(ExitStatus.INTERRUPTED);
        assertThat(errors()).isEqualTo("verbena: interrupted; go on with --resume%n".formatted());
        assertThat(called).isEmpty();
    }

    @Test
    void shouldRefuseAQuoteThatIsNotClosedBeforeAnythingIsDone() {
        assertThat(run(with(), "one\ntwo 'three")).isEqualTo(ExitStatus.USAGE);
        assertThat(errors()).isEqualTo("verbena: a quote is not closed: 'three%n".formatted());
        assertThat(called).isEmpty();
    }
}
