package io.verbena.cli;

import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * The output stream of a command whose output a terminal shows. Karaf's console holds output back until a line of
 * commands has ended, and the streams of the commands do not pass a flush to the console. This stream passes each flush
 * to the console.
 */
final class TerminalOutput extends PrintStream {
    private final PrintStream console;

    /**
     * Creates a stream.
     *
     * @param out the shell's stream of the command
     * @param console the console of the session
     */
    TerminalOutput(PrintStream out, PrintStream console) {
        super(out, false, Charset.defaultCharset()); // like the streams that the shell creates
        this.console = console;
    }

    @Override
    public void flush() {
        super.flush();
        console.flush();
    }

    /** Returns whether the terminal, or what is in its place, has failed: the shell's own stream does not tell. */
    @Override
    public boolean checkError() {
        boolean isLost = super.checkError();
        return console.checkError() || isLost;
    }
}
