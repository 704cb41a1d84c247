package io.verbena.cli.internal.resident;

import java.nio.ByteBuffer;

/**
 * A message between the launcher's client and the resident instance: a letter, the length of the content in four octets
 * (big endian), and the content.
 */
final class Frame {
    /** The octets before the content. */
    static final int HEADER = 5;

    /** The most octets of a content: a script and its environment have to fit. */
    static final int MAX_CONTENT = 4 << 20;

    // from the client
    /** A script, see {@link Hello}. */
    static final char HELLO = 'H';
    /** The client begins: from now on the script runs here or nowhere. */
    static final char GO = 'G';
    /** Octets of the standard input that were asked for; none at its end. */
    static final char INPUT = 'I';
    /** The standard input that was asked for cannot be read; the content says why. */
    static final char UNREADABLE = 'U';
    /** The name of a signal that the client has got. */
    static final char SIGNAL = 'S';
    /** The client cannot write to its standard output; the content says why, and is empty if the reader has gone. */
    static final char BROKEN = 'B';
    /** All output before the question with the same number is written. */
    static final char SETTLED = 'A';
    /** The instance shall end. */
    static final char STOP = 'Z';
    /** What is the instance doing? */
    static final char STATUS = 'Q';

    // from the instance
    /** The script may run here. */
    static final char READY = 'R';
    /** The script has to run in a process of its own; the content says why. */
    static final char COLD = 'C';
    /** The same, after the end of this instance, which holds the directory of state until then. */
    static final char LEAVING = 'W';
    /** Octets for the standard output. */
    static final char OUT = 'O';
    /** Octets for the standard error. */
    static final char ERR = 'E';
    /** The script wants standard input. */
    static final char WANT_INPUT = 'I';
    /** Is all output so far written? A number. */
    static final char SETTLE = 'F';
    /** The status of the script, a number; the last message. */
    static final char EXIT = 'X';
    /** A line about the instance. */
    static final char TEXT = 'T';

    private final char type;
    private final byte[] content;

    /**
     * Creates a message.
     *
     * @param type one of the letters above
     * @param content the content, which nobody changes afterwards
     */
    Frame(char type, byte[] content) {
        this.type = type;
        this.content = content;
    }

    char type() {
        return type;
    }

    byte[] content() {
        return content;
    }

    static Frame of(char type) {
        return new Frame(type, new byte[0]);
    }

    static Frame of(char type, int number) {
        return new Frame(type, ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
    }

    /** Returns the number of a message whose content is one; -1 if it is none. */
    int number() {
        return content.length == Integer.BYTES ? ByteBuffer.wrap(content).getInt() : -1;
    }

    /** Returns the message as it is sent. */
    ByteBuffer encoded() {
        return ByteBuffer.allocate(HEADER + content.length)
                .put((byte) type)
                .putInt(content.length)
                .put(content)
                .flip();
    }
}
