package io.verbena.cli;

import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * What a command prints to where a terminal shows it. Karaf's console keeps what is printed until a line of commands has
 * ended, and the streams of the commands do not pass a flush on to it; this one does.
 */
final class TerminalOutput extends PrintStream {
    private final PrintStream console;

    /**
     * @param out the shell's stream of the command
     * @param console that of its session
     */
    TerminalOutput(PrintStream out, PrintStream console) {
        super(out, false, Charset.defaultCharset()); // as the shell makes its streams
        this.console = console;
    }

    @Override
    public void flush() {
        super.flush();
        console.flush();
    }
}
