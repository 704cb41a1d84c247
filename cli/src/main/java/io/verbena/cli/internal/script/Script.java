package io.verbena.cli.internal.script;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandJournal;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import org.apache.karaf.jaas.boot.principal.RolePrincipal;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of shell commands, with the rights of the local console. */
final class Script {
    private static final Logger LOG = LoggerFactory.getLogger(Script.class);
    private static final double MILLIS_OF_A_SECOND = 1000;

    /**
     * The variable of the shell with the failures of a pipeline's commands as suppressed exceptions. The variable is
     * empty if all commands succeeded.
     */
    private static final String PIPE_EXCEPTION = "pipe-exception";

    /** The time in seconds that an interrupted command has to end. */
    private static final long TIDY_UP_SECONDS = 8;

    private final SessionFactory sessions;
    private final Function<Session, Object> unknownCommand;
    private final ScriptOptions options;
    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private boolean hasLostOutput;
    private boolean isStopped;
    private boolean isSettled = true;

    /**
     * Creates a run.
     *
     * @param unknownCommand returns the function that a session calls for an unknown command
     * @param in the input of commands that do not read from a pipe
     */
    Script(
            SessionFactory sessions,
            Function<Session, Object> unknownCommand,
            ScriptOptions options,
            InputStream in,
            PrintStream out,
            PrintStream err) {
        this.sessions = sessions;
        this.unknownCommand = unknownCommand;
        this.options = options;
        this.in = in;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the commands. One line on the error stream reports each failed command. The first failure ends the script,
     * unless the script keeps going.
     *
     * @return the status of the first failure
     */
    ExitStatus run(String commands) {
        try (Session session = sessions.create(in, out, err)) {
            session.put("default", unknownCommand.apply(session));
            // The shell itself sets $1 to $9 and $args from this list. Each argument is one word, whatever it contains.
            session.put("args", new ArrayList<Object>(options.arguments()));
            session.put("argc", options.arguments().size());
            options.invocation().enter(session);
            if (options.quiet()) {
                session.put(CliCommand.QUIET, true);
            }
            return run(session, commands);
        }
    }

    private ExitStatus run(Session session, String commands) {
        List<String> statements;
        try {
            statements = Statements.of(commands);
        } catch (IllegalArgumentException e) {
            return failed(session, e);
        }
        ExitStatus first = ExitStatus.OK;
        for (String statement : statements) {
            ExitStatus status = runTimed(session, statement);
            if (first == ExitStatus.OK) {
                first = status;
            }
            if (isStopped || status == ExitStatus.INTERRUPTED || (status != ExitStatus.OK && !options.keepGoing())) {
                break;
            }
        }
        return first;
    }

    private ExitStatus runTimed(Session session, String statement) {
        if (!options.timestamps()) {
            return runOne(session, statement);
        }
        Instant begin = Instant.now();
        tell(begin, "begin", statement);
        ExitStatus status = runOne(session, statement);
        Instant end = Instant.now();
        double seconds = Duration.between(begin, end).toMillis() / MILLIS_OF_A_SECOND;
        String result = status == ExitStatus.OK ? "done" : "failed, status " + status.code();
        tell(end, String.format(Locale.ROOT, "%s after %.3f s", result, seconds), statement);
        return status;
    }

    private void tell(Instant when, String what, String statement) {
        out.flush();
        err.printf("%s %s: %s%n", when.truncatedTo(ChronoUnit.MILLIS), what, Text.printable(statement));
    }

    private ExitStatus runOne(Session session, String statement) {
        CommandJournal journal = CommandJournal.begin(session);
        try {
            return runOne(session, statement, journal);
        } finally {
            isSettled &= journal.close();
        }
    }

    private ExitStatus runOne(Session session, String statement, CommandJournal journal) {
        try {
            Subject.doAs(administrator(), (PrivilegedExceptionAction<Object>) () -> session.execute(statement));
        } catch (PrivilegedActionException e) {
            if (!(e.getException() instanceof InterruptedException interruption)) {
                return failed(session, e.getException());
            }
            Exception failure = interrupted(journal, interruption);
            isStopped = true;
            return journal.isEndedByInterrupt() ? checkOutput() : failed(session, failure);
        } catch (RuntimeException e) {
            return failed(session, e);
        }
        return upstreamFailure(session).map(failure -> failed(session, failure)).orElseGet(this::checkOutput);
    }

    /** Returns the first failure of the last pipeline. The shell stores it, and otherwise only prints it. */
    private static Optional<Exception> upstreamFailure(Session session) {
        return session.get(PIPE_EXCEPTION) instanceof Exception all
                ? Stream.of(all.getSuppressed())
                        .filter(Exception.class::isInstance)
                        .map(Exception.class::cast)
                        .findFirst()
                : Optional.empty();
    }

    /**
     * Returns the failure of a command after an interruption, if there is one. Such a failure contains more
     * information, such as how to continue a transfer.
     */
    private static Exception interrupted(CommandJournal journal, InterruptedException interruption) {
        try {
            journal.interrupt(TIDY_UP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            LOG.debug("interrupted again", e);
        }
        return journal.failure().<Exception>map(known -> known).orElse(interruption);
    }

    /** Checks the output. A failure is reported once, because later output is lost for the same reason. */
    private ExitStatus checkOutput() {
        if (hasLostOutput || !out.checkError()) {
            return ExitStatus.OK;
        }
        hasLostOutput = true;
        err.println("verbena: cannot write to the standard output");
        return ExitStatus.FAILED;
    }

    private ExitStatus failed(Session session, Exception failure) {
        Exception explained = UsageErrors.explain(session.getRegistry(), failure);
        LOG.debug("script failed", failure);
        out.flush();
        err.println("verbena: " + oneLine(explained));
        return ExitStatus.of(explained);
    }

    /** Returns whether all commands that have begun have ended. */
    boolean isSettled() {
        return isSettled;
    }

    private static Subject administrator() {
        return new Subject(
                true,
                Set.of(
                        new RolePrincipal("admin"),
                        new RolePrincipal("manager"),
                        new RolePrincipal("viewer"),
                        new RolePrincipal("systembundles")),
                Set.of(),
                Set.of());
    }

    /** Returns one line that is safe to print, since a message can contain text of a peer. */
    static String oneLine(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof InterruptedException) {
            return "interrupted";
        }
        if (message == null || message.isBlank()) {
            return failure.getClass().getSimpleName();
        }
        // The message of a file system's exception is often only the name of the file.
        String text =
                failure instanceof FileSystemException ? failure.getClass().getSimpleName() + ": " + message : message;
        return Text.printable(text.strip().replaceAll("\\s*\\R\\s*", " "));
    }
}
