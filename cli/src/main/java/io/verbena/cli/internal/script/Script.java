package io.verbena.cli.internal.script;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.CommandJournal;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.script.Successors.Successor;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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

    /** The variable of the shell with the function for unknown commands. */
    static final String UNKNOWN_COMMAND = "default";

    /** The time in seconds that an interrupted command has to end. */
    private static final long TIDY_UP_SECONDS = 8;

    private final SessionFactory sessions;
    private final Function<Session, Object> unknownCommand;
    private final ScriptOptions options;
    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final Successors successors;
    private boolean hasLostOutput;
    private boolean isStopped;
    private boolean isSettled = true;
    private boolean isHandedOver;

    /**
     * Creates a run.
     *
     * @param unknownCommand returns the function that a session calls for an unknown command
     * @param in the input of commands that do not read from a pipe
     * @param successors the builds of this bundle that may run the rest
     */
    Script(
            SessionFactory sessions,
            Function<Session, Object> unknownCommand,
            ScriptOptions options,
            InputStream in,
            PrintStream out,
            PrintStream err,
            Successors successors) {
        this.sessions = sessions;
        this.unknownCommand = unknownCommand;
        this.options = options;
        this.in = in;
        this.out = out;
        this.err = err;
        this.successors = successors;
    }

    /** A statement that has ended, when it began, and how it has failed; null if it has not. */
    private record Ended(String statement, Instant begin, Throwable failure) {}

    /**
     * Runs the commands. One line on the error stream reports each failed command. The first failure ends the script,
     * unless the script keeps going.
     *
     * @return the status of the first failure; without meaning if the rest is handed over
     */
    ExitStatus run(String commands) {
        Session session = sessions.create(in, out, err);
        try {
            session.put(UNKNOWN_COMMAND, unknownCommand.apply(session));
            // The shell itself sets $1 to $9 and $args from this list. Each argument is one word, whatever it contains.
            session.put("args", new ArrayList<Object>(options.arguments()));
            session.put("argc", options.arguments().size());
            options.invocation().enter(session);
            if (options.quiet()) {
                session.put(CliCommand.QUIET, true);
            }
            successors.begun(session);
            return run(session, commands);
        } finally {
            closeUnlessHandedOver(session);
        }
    }

    private ExitStatus run(Session session, String commands) {
        List<String> statements;
        try {
            statements = Statements.of(commands);
        } catch (IllegalArgumentException e) {
            return failed(session, e);
        }
        return run(session, new ArrayDeque<>(statements), ExitStatus.OK);
    }

    /**
     * Runs the rest of a script that another build of this bundle has begun, in the same session.
     *
     * @return as {@link #run(String)}
     */
    ExitStatus goOn(Remainder rest) {
        Session session = rest.session();
        try {
            Path directory = session.currentDir();
            options.invocation().enter(session);
            session.currentDir(directory);
            hasLostOutput = rest.hasLostOutput();
            ExitStatus status = judge(session, new Ended(rest.ended(), rest.begin(), rest.failure()));
            ExitStatus first = ExitStatus.valueOf(rest.status());
            first = first == ExitStatus.OK ? status : first;
            return isLast(status) ? first : run(session, new ArrayDeque<>(rest.statements()), first);
        } finally {
            closeUnlessHandedOver(session);
        }
    }

    private void closeUnlessHandedOver(Session session) {
        if (!isHandedOver) {
            session.close();
        }
    }

    private ExitStatus run(Session session, Deque<String> statements, ExitStatus before) {
        ExitStatus first = before;
        ExitStatus status = ExitStatus.OK;
        while (!statements.isEmpty() && !isLast(status)) {
            Ended ended = runOne(session, statements.remove());
            try {
                Optional<Successor> successor = isStopped ? Optional.empty() : successors.next(ended.statement());
                if (successor.isPresent()) {
                    isHandedOver = true;
                    successor
                            .get()
                            .take(new Remainder(
                                    session,
                                    out,
                                    err,
                                    List.copyOf(statements),
                                    first.name(),
                                    hasLostOutput,
                                    ended.statement(),
                                    ended.begin(),
                                    ended.failure()));
                    return first;
                }
                status = judge(session, ended);
            } catch (CommandFailure | InterruptedException e) {
                isStopped = true;
                status = failed(session, e);
            }
            first = first == ExitStatus.OK ? status : first;
        }
        return first;
    }

    /** Returns whether the script ends after a statement with this status. */
    private boolean isLast(ExitStatus status) {
        return isStopped || status == ExitStatus.INTERRUPTED || (status != ExitStatus.OK && !options.keepGoing());
    }

    /** Reports how a statement has ended. */
    private ExitStatus judge(Session session, Ended ended) {
        ExitStatus status = ended.failure() == null ? checkOutput() : failed(session, ended.failure());
        if (options.timestamps()) {
            Instant end = Instant.now();
            double seconds = Duration.between(ended.begin(), end).toMillis() / MILLIS_OF_A_SECOND;
            String result = status == ExitStatus.OK ? "done" : "failed, status " + status.code();
            tell(end, String.format(Locale.ROOT, "%s after %.3f s", result, seconds), ended.statement());
        }
        return status;
    }

    private void tell(Instant when, String what, String statement) {
        out.flush();
        err.printf("%s %s: %s%n", when.truncatedTo(ChronoUnit.MILLIS), what, Text.printable(statement));
    }

    private Ended runOne(Session session, String statement) {
        Instant begin = Instant.now();
        if (options.timestamps()) {
            tell(begin, "begin", statement);
        }
        CommandJournal journal = CommandJournal.begin(session);
        try {
            return new Ended(statement, begin, runOne(session, statement, journal));
        } finally {
            isSettled &= journal.close();
        }
    }

    /** Returns the failure; null if there is none. */
    private Throwable runOne(Session session, String statement, CommandJournal journal) {
        try {
            Subject.doAs(administrator(), (PrivilegedExceptionAction<Object>) () -> session.execute(statement));
        } catch (PrivilegedActionException e) {
            if (!(e.getException() instanceof InterruptedException interruption)) {
                return e.getException();
            }
            Exception failure = interrupted(journal, interruption);
            isStopped = true;
            return journal.isEndedByInterrupt() ? null : failure;
        } catch (RuntimeException | LinkageError e) { // a LinkageError if a class of a replaced bundle is missing
            return e;
        }
        return upstreamFailure(session).orElse(null);
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

    /**
     * Checks the output. A failure is reported once, because later output is lost for the same reason. A reader that
     * has gone has what it wanted: nothing is reported, as of a program that ends by SIGPIPE.
     */
    private ExitStatus checkOutput() {
        if (hasLostOutput || !out.checkError()) {
            return ExitStatus.OK;
        }
        hasLostOutput = true;
        ScriptOutput known = out instanceof ScriptOutput own ? own : null;
        if (known == null || !known.isUnread()) {
            String reason =
                    known == null ? "" : known.failure().map(why -> ": " + why).orElse("");
            err.println("verbena: cannot write to the standard output" + Text.printable(reason));
        }
        return ExitStatus.FAILED;
    }

    private ExitStatus failed(Session session, Throwable failure) {
        Throwable explained = failure instanceof Exception e ? UsageErrors.explain(session.getRegistry(), e) : failure;
        LOG.debug("script failed", failure);
        out.flush();
        err.println("verbena: " + oneLine(explained));
        return ExitStatus.of(explained);
    }

    /** Returns whether another build of this bundle runs the rest. */
    boolean isHandedOver() {
        return isHandedOver;
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
