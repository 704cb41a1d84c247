package io.verbena.itests.badpath;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Random;

/** The pieces in which one direction of a connection forwards octets. One thread uses an object. */
final class Segments {
    /** How octets are cut. */
    private enum Manner {
        /** As they were read. */
        READ,
        /** At any octet, in pieces of one octet to some KiB. */
        CUT,
        /** Single octets at the beginning of the connection, then as {@link #CUT}. */
        SINGLE,
        /** Whatever comes within some milliseconds, in one piece. */
        JOINED
    }

    private static final int SINGLES = 2000;
    private static final int SIZES = 12;
    private static final int JOIN_MILLIS = 2;

    private final Manner manner;
    private final Random random;
    private int written;

    private Segments(Manner manner, Random random) {
        this.manner = manner;
        this.random = random;
    }

    /** As the octets are read, or in a manner that the random numbers choose. */
    static Segments of(Random random, boolean cutsUp) {
        Manner[] all = Manner.values();
        return new Segments(cutsUp ? all[random.nextInt(all.length)] : Manner.READ, new Random(random.nextLong()));
    }

    /** Reads as {@link InputStream#read(byte[])}. */
    int read(InputStream in, byte[] buffer, BadPath path) throws IOException {
        int got = in.read(buffer);
        boolean more = got > 0 && manner == Manner.JOINED;
        while (more && got < buffer.length && path.pause(JOIN_MILLIS)) {
            int available = Math.min(in.available(), buffer.length - got);
            more = available > 0;
            got += more ? in.read(buffer, got, available) : 0;
        }
        return got;
    }

    void write(OutputStream out, byte[] octets, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int piece = Math.min(length - done, nextPiece());
            out.write(octets, offset + done, piece);
            done += piece;
        }
        written = Math.min(SINGLES, written + length);
    }

    private int nextPiece() {
        return switch (manner) {
            case READ, JOINED -> Integer.MAX_VALUE;
            case CUT -> 1 + random.nextInt(1 << random.nextInt(SIZES));
            case SINGLE -> written < SINGLES ? 1 : 1 + random.nextInt(1 << random.nextInt(SIZES));
        };
    }
}
