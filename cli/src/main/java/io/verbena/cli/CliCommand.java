package io.verbena.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.apache.felix.service.command.Process;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.api.console.Terminal;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The base class of all commands. The class provides the output stream, and reports failures in one line. A bundle of
 * commands extends this class, annotates each command for Karaf, and names the packages of the commands in the header
 * {@code Karaf-Commands}.
 */
@ConsumerType
public abstract class CliCommand implements Action {
    /** The variable of a session whose commands print no notes. Its value does not matter. */
    public static final String QUIET = "VERBENA_QUIET";

    @Reference
    private Session session;

    @Override
    public final Object execute() throws CommandException {
        // The shell sets System.out to the stream of this command, for example a pipe, for this thread only.
        PrintStream shells = System.out;
        PrintStream out = isShown() ? new TerminalOutput(shells, session.getConsole()) : shells;
        CommandJournal journal = CommandJournal.of(session);
        journal.begun();
        WaitingNotice notice = WaitingNotice.begin();
        try {
            run(out);
            return null;
        } catch (IOException | InterruptedException | CommandException | RuntimeException e) {
            if (LostOutput.isCauseOf(e)) {
                return null;
            }
            CommandException failure = Failures.of(e);
            journal.failed(failure);
            throw failure;
        } finally {
            notice.close();
            shells.flush(); // does not flush the terminal, which may belong to the prompt again after Ctrl-C
            journal.ended();
        }
    }

    /** Returns whether the output goes to the session, and not to a pipe or a file. */
    private static boolean isShown() {
        Process process = Process.Utils.current();
        return process == null || process.isTty(1);
    }

    /** Returns where and how this command is called. */
    protected final Invocation invocation() {
        return Invocation.of(session);
    }

    /**
     * Returns the columns of the terminal that shows the output; 0 if the output goes elsewhere. The session of a
     * script knows no terminal, so the launcher tells the columns of the script's terminal.
     */
    final int terminalColumns() {
        if (!isShown()) {
            return 0;
        }
        Terminal terminal = session.getTerminal();
        return Math.max(0, terminal == null ? invocation().columns() : terminal.getWidth());
    }

    /**
     * Shows the output so far on the terminal, including the output of commands that read this command's output.
     * Commands of the shell flush only at the end of the line of commands, and thus after this command ends.
     */
    protected final void flushTerminal() {
        session.getConsole().flush();
    }

    /**
     * Returns the output as a stream whose writes fail once the output is lost, for commands that print much. The
     * command may end with that failure, which is not reported as its own.
     */
    protected static OutputStream failing(PrintStream out) {
        return new LostOutput(out);
    }

    /**
     * Flushes the output, for commands that print again and again. The failure is as for {@link #failing}.
     *
     * @throws IOException if the output is lost
     */
    protected static void flush(PrintStream out) throws IOException {
        LostOutput.check(out);
    }

    /**
     * Prints a line that is no data, such as a report of what was done, on the error stream. The standard output has
     * data only, so that a pipe or a file receives nothing else. A quiet session prints no notes.
     *
     * @param line the line, of which control characters are escaped
     */
    protected final void note(String line) {
        if (!isQuietSession()) {
            errorLines().tell(line);
        }
    }

    /** Returns whether the session prints no notes, and no progress that nobody has asked for. */
    protected final boolean isQuietSession() {
        return session.get(QUIET) != null;
    }

    /**
     * Returns what prints the failures that this command goes on after, and other lines that a quiet session has too.
     * To be called on the thread of the shell; the result may be used on any thread.
     */
    protected final ErrorLines errorLines() {
        Process process = Process.Utils.current();
        // the terminal holds back what is written to the error stream too
        return new ErrorLines(process == null ? System.err : process.err(), this::flushTerminal);
    }

    /** Tells that an interrupt was the end of this command in order, and no failure: it runs until then. */
    protected final void endByInterrupt() {
        CommandJournal.of(session).endedByInterrupt();
    }

    /**
     * Runs the command on the thread of the shell. The shell interrupts the thread for Ctrl-C.
     *
     * @param out the stream to print to, which is flushed afterwards
     * @throws CommandException if the command failed, with the line that the user reads
     * @throws IOException if the command failed, and {@link Failures#of} is to create that line
     * @throws InterruptedException if the thread was interrupted
     */
    protected abstract void run(PrintStream out) throws IOException, InterruptedException, CommandException;
}
