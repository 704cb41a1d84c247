package io.verbena.cli;

import java.io.IOException;
import java.io.PrintStream;
import org.apache.felix.service.command.Process;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * What all commands have in common: a stream to print to, and failures told in one line. A bundle of commands extends it,
 * annotates each as Karaf wants it, and names their packages in the header {@code Karaf-Commands}.
 */
@ConsumerType
public abstract class CliCommand implements Action {
    @Reference
    private Session session;

    @Override
    public final Object execute() throws CommandException {
        // the shell has put the stream of this command there, a pipe's for instance; it holds for this thread only
        PrintStream shells = System.out;
        PrintStream out = isShown() ? new TerminalOutput(shells, session.getConsole()) : shells;
        CommandJournal journal = CommandJournal.of(session);
        journal.begun();
        WaitingNotice notice = WaitingNotice.begin();
        try {
            run(out);
            return null;
        } catch (IOException | InterruptedException | CommandException | RuntimeException e) {
            CommandException failure = Failures.of(e);
            journal.failed(failure);
            throw failure;
        } finally {
            notice.close();
            shells.flush(); // not as far as the terminal, which may be the prompt's by now, after Ctrl-C
            journal.ended();
        }
    }

    /** Whether the output is the session's, and not that of a pipe or a file. */
    private static boolean isShown() {
        Process process = Process.Utils.current();
        return process == null || process.isTty(1);
    }

    /**
     * Has the terminal show what was printed so far, by the commands that read this one's output, too: those of the shell
     * leave it to the end of the line, which does not come before that of this command.
     */
    protected final void flushTerminal() {
        session.getConsole().flush();
    }

    /**
     * Does it, on the thread of the shell, which interrupts it for Ctrl-C.
     *
     * @param out where to print; flushed afterwards
     * @throws CommandException with the line that the user reads
     * @throws IOException of which {@link Failures#of} makes that line
     * @throws InterruptedException where it was interrupted
     */
    protected abstract void run(PrintStream out) throws IOException, InterruptedException, CommandException;
}
