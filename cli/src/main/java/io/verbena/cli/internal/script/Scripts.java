package io.verbena.cli.internal.script;

import io.verbena.cli.ExitStatus;
import java.io.InputStream;
import java.io.PrintStream;
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
     */
    public record Outcome(ExitStatus status, boolean isSettled) {}

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
        try {
            Script script = new Script(
                    sessions, session -> new AwaitedCommand(session.getRegistry(), commands), options, in, out, err);
            ExitStatus status = script.run(text);
            return new Outcome(status, script.isSettled());
        } finally {
            out.flush();
            err.flush();
        }
    }

    @Override
    public void close() {
        commands.close();
    }
}
