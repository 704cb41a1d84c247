package io.verbena.verbs.iwarp.internal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Direct buffers of ended connections for new ones: the system takes long to get such memory back. Any thread. */
final class StagingBuffers {
    private static final int KEPT = 32;

    private final Deque<ByteBuffer> sending = new ArrayDeque<>();
    private final Deque<ByteBuffer> receiving = new ArrayDeque<>();

    synchronized ByteBuffer takeSending() {
        ByteBuffer b = sending.poll();
        return b == null ? ByteBuffer.allocateDirect(FpduWriter.STAGING) : b;
    }

    synchronized ByteBuffer takeReceiving() {
        ByteBuffer b = receiving.poll();
        return b == null ? ByteBuffer.allocateDirect(FpduReader.STAGING) : b;
    }

    synchronized void give(ByteBuffer send, ByteBuffer receive) {
        if (sending.size() < KEPT) {
            sending.push(send);
            receiving.push(receive);
        }
    }
}
