package io.verbena.cli.internal.script;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Set;
import javax.security.auth.Subject;
import org.apache.karaf.jaas.boot.principal.RolePrincipal;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a file of shell commands, with the rights of the local console. */
final class Script {
    private static final Logger LOG = LoggerFactory.getLogger(Script.class);

    private final SessionFactory sessions;
    private final PrintStream out;
    private final PrintStream err;

    Script(SessionFactory sessions, PrintStream out, PrintStream err) {
        this.sessions = sessions;
        this.out = out;
        this.err = err;
    }

    /** Returns 0, or 1 after the first command that failed, which one line on the error stream tells. */
    int run(Path script) {
        try (Session session = sessions.create(InputStream.nullInputStream(), out, err)) {
            String commands = Files.readString(script);
            session.put("default", new AwaitedCommand());
            Subject.doAs(administrator(), (PrivilegedExceptionAction<Object>) () -> session.execute(commands));
            return 0;
        } catch (Exception e) {
            Throwable cause = e instanceof PrivilegedActionException ? e.getCause() : e;
            LOG.debug("script failed", cause);
            err.println("verbena: " + oneLine(cause));
            return 1;
        }
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
