package io.verbena.swap.probe.internal;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Set;
import javax.security.auth.Subject;
import org.apache.karaf.jaas.boot.principal.RolePrincipal;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.api.console.SessionFactory;

/** Repeats a shell command, like a user does. */
final class ShellLoad extends Load {
    /** A check after each repetition. */
    @FunctionalInterface
    interface Check {
        void run() throws Exception;
    }

    private final SessionFactory sessions;
    private final String command;
    private final Check check;

    ShellLoad(String name, SessionFactory sessions, String command, Check check) {
        super(name);
        this.sessions = sessions;
        this.command = command;
        this.check = check;
    }

    @Override
    void step() throws Exception {
        run(sessions, command);
        check.run();
    }

    /** Runs a command in a session of its own. Returns its output. */
    static String run(SessionFactory sessions, String command) throws Exception {
        Subject administrator =
                new Subject(true, Set.of(new RolePrincipal("admin"), new RolePrincipal("manager")), Set.of(), Set.of());
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        try (Session session = sessions.create(new ByteArrayInputStream(new byte[0]), out, out)) {
            Subject.doAs(administrator, (PrivilegedExceptionAction<Object>) () -> session.execute(command));
            return printed.toString(StandardCharsets.UTF_8);
        } catch (PrivilegedActionException e) {
            throw new IllegalStateException(
                    command + ": " + e.getCause().getMessage() + " " + printed.toString(StandardCharsets.UTF_8),
                    e.getCause());
        }
    }
}
