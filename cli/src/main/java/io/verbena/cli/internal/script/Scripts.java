package io.verbena.cli.internal.script;

import io.verbena.cli.ExitStatus;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.function.Function;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.osgi.framework.BundleContext;

/** Runs scripts, each in a session of its own. May be called from any thread, which runs the script. */
public final class Scripts implements AutoCloseable {
    private final SessionFactory sessions;
    private final BundleCommands commands;

    /**
     * What has become of a script.
     *
     * @param status the status of its first failure
     * @param isSettled whether all its commands have ended; an interrupted one may not have done so in time
     * @param isHandedOver whether another build of this bundle runs the rest, and so knows the status
     */
    public record Outcome(ExitStatus status, boolean isSettled, boolean isHandedOver) {}

    /**
     * Prepares to run scripts.
     *
     * @param container the context of a bundle that stops only with the container
     */
    public Scripts(BundleContext container, SessionFactory sessions) {
        this.sessions = sessions;
        commands = new BundleCommands(container);
    }

    /**
     * Runs a script. One line on the error stream reports each failed command.
     *
     * @param in the input of commands that do not read from a pipe
     */
    public Outcome run(String text, ScriptOptions options, InputStream in, PrintStream out, PrintStream err) {
        return run(text, options, in, out, err, Successors.NONE);
    }

    /** Runs a script whose rest another build of this bundle may run. */
    Outcome run(
            String text,
            ScriptOptions options,
            InputStream in,
            PrintStream out,
            PrintStream err,
            Successors successors) {
        return outcome(
                new Script(sessions, this::unknownCommand, options, in, out, err, successors),
                script -> script.run(text),
                out,
                err);
    }

    /** Runs the rest of a script that another build of this bundle has begun. */
    Outcome goOn(Remainder rest, ScriptOptions options, Successors successors) {
        PrintStream out = rest.out();
        PrintStream err = rest.err();
        // the session keeps the input
        InputStream none = InputStream.nullInputStream();
        return outcome(
                new Script(sessions, this::unknownCommand, options, none, out, err, successors),
                script -> script.goOn(rest),
                out,
                err);
    }

    private static Outcome outcome(Script script, Function<Script, ExitStatus> run, PrintStream out, PrintStream err) {
        try {
            ExitStatus status = run.apply(script);
            return new Outcome(status, script.isSettled(), script.isHandedOver());
        } finally {
            out.flush();
            err.flush();
        }
    }

    /** Returns the function that a session calls for an unknown command. */
    Object unknownCommand(Session session) {
        return new AwaitedCommand(session.getRegistry(), commands);
    }

    @Override
    public void close() {
        commands.close();
    }
}
