package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.wire.DdpHeader;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.Random;

/**
 * A {@link Transmitter} of messages without payload, each identified by a digit, and its socket, which can be full or
 * broken.
 */
final class SendSide implements Transmitter.Wakeup, GatheringByteChannel {
    private static final int DIGIT = Iwarp.MPA_LENGTH_SIZE + DdpHeader.TAGGED_OFFSET + Long.BYTES - 1;
    private static final int DEPTH = 4;

    final Transmitter transmitter;
    volatile boolean full;
    volatile boolean broken;

    private volatile Thread receiver;
    private volatile int failures;
    // of the thread that owns the send side
    private int written;

    SendSide(int depth) {
        transmitter = new Transmitter(
                new SystemRuntime(),
                new OutboundQueue(depth, 1),
                new InboundReads(1),
                new FpduWriter(Staging.of(ByteBuffer.allocate(1024)), 1024, false, ConnectionTap.UNOBSERVED),
                this,
                this,
                new RandomNumbers(new Random(1)));
    }

    /** A send side whose posts are sent. */
    static SendSide open() {
        SendSide side = new SendSide(DEPTH);
        side.transmitter.open();
        return side;
    }

    /** Makes the calling thread the receive thread. */
    void receive() {
        receiver = Thread.currentThread();
    }

    /**
     * Posts an RDMA Write.
     *
     * @return 1, or 0 where the post is refused
     */
    int post(int digit) {
        try {
            transmitter.post(digit, Iwarp.WRITE, null, 0, 0, 0, digit, 0);
            return 1;
        } catch (RdmaException e) {
            return 0;
        }
    }

    /** Posts an RDMA Read; one Read is in flight at a time. */
    void read(int digit) {
        try {
            transmitter.post(digit, Iwarp.READ_REQUEST, null, 0, 0, 0, 0, 0);
        } catch (RdmaException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The digits of the RDMA Writes that the socket has taken, in order. */
    int written() {
        return written;
    }

    /** How often the transmitter has reported that the socket is broken. */
    int failures() {
        return failures;
    }

    /** The digits of the completions, in order. */
    int complete() {
        Completion[] target = completions();
        return digits(target, transmitter.drain(target), Completion.Status.SUCCESS);
    }

    /** The completions of the requests that are left at the end. */
    Completion[] rest() {
        Completion[] target = completions();
        Completion[] rest = new Completion[transmitter.drainAll(target, null)];
        System.arraycopy(target, 0, rest, 0, rest.length);
        return rest;
    }

    private static Completion[] completions() {
        Completion[] target = new Completion[2 * DEPTH];
        for (int i = 0; i < target.length; i++) {
            target[i] = new Completion();
        }
        return target;
    }

    /** The digits of the first completions that have this status. */
    static int digits(Completion[] of, int count, Completion.Status status) {
        int digits = 0;
        for (int i = 0; i < count; i++) {
            if (of[i].status() == status) {
                digits = 10 * digits + (int) of[i].id();
            }
        }
        return digits;
    }

    @Override
    public void wakeup() {}

    @Override
    public synchronized void writeFailed(IOException cause) {
        failures++;
    }

    @Override
    public boolean isReceiveThread() {
        return Thread.currentThread() == receiver;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (broken) {
            throw new IOException("broken");
        }
        if (full) {
            return 0;
        }
        int length = source.remaining();
        for (int at = source.position(); at < source.limit(); at += fpdu(source, at)) {
            if (DdpHeader.isTagged(source, at + Iwarp.MPA_LENGTH_SIZE)) {
                written = 10 * written + source.get(at + DIGIT);
            }
        }
        source.position(source.limit());
        return length;
    }

    private static int fpdu(ByteBuffer source, int at) {
        int ulpdu = source.getShort(at);
        return Iwarp.MPA_LENGTH_SIZE + ulpdu + Iwarp.padding(ulpdu) + Iwarp.MPA_CRC_SIZE;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        long taken = 0;
        for (int i = 0; i < length; i++) {
            taken += write(sources[offset + i]);
        }
        return taken;
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
