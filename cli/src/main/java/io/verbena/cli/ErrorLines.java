package io.verbena.cli;

import java.io.PrintStream;

/**
 * Lines that a command prints on the error stream and goes on after, such as the failure of one file of many: {@code
 * NAME: REASON}. A quiet session has them too, other than notes. The stream is that of the command, on every thread.
 * Thread safe.
 */
public final class ErrorLines {
    private final PrintStream errors;
    private final Runnable show;

    /**
     * Creates an object.
     *
     * @param errors the error stream of the command
     * @param show makes a terminal show what was printed
     */
    ErrorLines(PrintStream errors, Runnable show) {
        this.errors = errors;
        this.show = show;
    }

    /** Prints the line that {@link Failures#of} has for a failure. */
    public void tell(Exception failure) {
        tell(String.valueOf(Failures.of(failure).getMessage()));
    }

    /** Prints a line, of which control characters are escaped. */
    public void tell(String line) {
        errors.println(Text.printable(line));
        errors.flush();
        show.run();
    }
}
