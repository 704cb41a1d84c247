package io.verbena.cli.internal.script;

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
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
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

    private final SessionFactory sessions;
    private final Function<Session, Object> unknownCommand;
    private final ScriptOptions options;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param unknownCommand what a session calls for a command that it does not know
     */
    Script(
            SessionFactory sessions,
            Function<Session, Object> unknownCommand,
            ScriptOptions options,
            PrintStream out,
            PrintStream err) {
        this.sessions = sessions;
        this.unknownCommand = unknownCommand;
        this.options = options;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the commands; one line on the error stream tells of each that failed, which is the last one unless the script
     * keeps going.
     *
     * @return the status of the first failure
     */
    ExitStatus run(String commands) {
        try (Session session = sessions.create(InputStream.nullInputStream(), out, err)) {
            session.put("default", unknownCommand.apply(session));
            // the shell itself makes of this list $1 to $9 and $args, each argument one word, whatever is in it
            session.put("args", new ArrayList<Object>(options.arguments()));
            session.put("argc", options.arguments().size());
            return run(session, commands);
        }
    }

    private ExitStatus run(Session session, String commands) {
        ExitStatus first = ExitStatus.OK;
        for (String statement : Statements.of(commands)) {
            ExitStatus status = runTimed(session, statement);
            if (first == ExitStatus.OK) {
                first = status;
            }
            if (status == ExitStatus.INTERRUPTED || (status != ExitStatus.OK && !options.keepGoing())) {
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
        try {
            Subject.doAs(administrator(), (PrivilegedExceptionAction<Object>) () -> session.execute(statement));
            return ExitStatus.OK;
        } catch (PrivilegedActionException e) {
            return failed(session, e.getException());
        } catch (RuntimeException e) {
            return failed(session, e);
        }
    }

    private ExitStatus failed(Session session, Exception failure) {
        Exception explained = UsageErrors.explain(session.getRegistry(), failure);
        LOG.debug("script failed", failure);
        out.flush();
        err.println("verbena: " + oneLine(explained));
        return ExitStatus.of(explained);
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

    static String oneLine(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof InterruptedException) {
            return "interrupted";
        }
        if (message == null || message.isBlank()) {
            return failure.getClass().getSimpleName();
        }
        // the message of a file system's exception is often the file's name alone
        String text =
                failure instanceof FileSystemException ? failure.getClass().getSimpleName() + ": " + message : message;
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
