package io.verbena.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;

/**
 * The output of a command as a stream that fails when the output is lost, which a {@link PrintStream} hides. So a
 * command that prints much ends early. Nobody has to be told of that failure: either the reader of a pipe has what it
 * wanted, or the script reports that the standard output cannot be written.
 */
final class LostOutput extends FilterOutputStream {
    /** How many octets are written between two checks, each of which may have to ask another process. */
    private static final int CHECKED = 1 << 20;

    private final PrintStream checked;
    private int unchecked;

    LostOutput(PrintStream out) {
        super(out);
        checked = out;
    }

    /** The output is lost. */
    private static final class LostException extends IOException {
        private static final long serialVersionUID = 1L;

        LostException() {
            super("nobody reads the output, or it cannot be written");
        }
    }

    /**
     * Checks a stream, after it was flushed.
     *
     * @throws IOException if the output is lost
     */
    static void check(PrintStream out) throws IOException {
        if (out.checkError()) {
            throw new LostException();
        }
    }

    /** Returns whether a failure is that of {@link #check}. */
    static boolean isCauseOf(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LostException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void write(int octet) throws IOException {
        checked.write(octet);
        count(1);
    }

    @Override
    public void write(byte[] octets, int offset, int length) throws IOException {
        checked.write(octets, offset, length);
        count(length);
    }

    private void count(int octets) throws IOException {
        unchecked += octets;
        if (unchecked >= CHECKED) {
            unchecked = 0;
            check(checked);
        }
    }
}
