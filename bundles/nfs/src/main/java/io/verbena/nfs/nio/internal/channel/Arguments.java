package io.verbena.nfs.nio.internal.channel;

import java.nio.ByteBuffer;

/** Checks arguments that channels' methods take. */
final class Arguments {
    private Arguments() {}

    static void requirePosition(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position " + position + " is negative");
        }
    }

    static void requireFillable(ByteBuffer destination) {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
    }
}
