package io.verbena.fuse.internal.kernel;

import io.verbena.text.OctetText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One request of the kernel: its header, and a buffer with what follows. One thread at a time reads it.
 */
public final class Request {
    private static final int LOCK_TYPE_AT = 32;

    private final Opcode opcode;
    private final int number;
    private final long unique;
    private final long node;
    private final int uid;
    private final int gid;
    private final int pid;
    private final long arrival;
    private final ByteBuffer body;

    private Request(ByteBuffer message, long arrival, ByteBuffer body) {
        this.number = message.getInt(4);
        this.opcode = Opcode.of(number);
        this.unique = message.getLong(8);
        this.node = message.getLong(16);
        this.uid = message.getInt(24);
        this.gid = message.getInt(28);
        this.pid = message.getInt(32);
        this.arrival = arrival;
        this.body = body;
    }

    /**
     * Reads a message.
     *
     * @param message from its position 0 to its limit, in native order; a WRITE keeps it, all others are copied
     * @param arrival see {@link #arrival}
     * @throws IllegalArgumentException if the message is no request
     */
    public static Request of(ByteBuffer message, long arrival) {
        if (message.limit() < Protocol.IN_HEADER || message.getInt(0) != message.limit()) {
            throw new IllegalArgumentException("a message of " + message.limit() + " octets is no request");
        }
        ByteBuffer rest = message.slice(Protocol.IN_HEADER, message.limit() - Protocol.IN_HEADER)
                .order(ByteOrder.nativeOrder());
        if (message.getInt(4) == Opcode.WRITE.number()) {
            return new Request(message, arrival, rest);
        }
        ByteBuffer copy = ByteBuffer.allocate(rest.remaining()).order(ByteOrder.nativeOrder());
        copy.put(rest).flip();
        return new Request(message, arrival, copy);
    }

    private Request(Request of, ByteBuffer body) {
        this.opcode = of.opcode;
        this.number = of.number;
        this.unique = of.unique;
        this.node = of.node;
        this.uid = of.uid;
        this.gid = of.gid;
        this.pid = of.pid;
        this.arrival = of.arrival;
        this.body = body;
    }

    /** The same request, with its content in another buffer, which has room for all of it. */
    public Request in(ByteBuffer buffer) {
        buffer.clear().limit(body.remaining());
        return new Request(this, buffer.put(body.duplicate()).flip().order(ByteOrder.nativeOrder()));
    }

    public Opcode opcode() {
        return opcode;
    }

    /** The number of the operation, also of one that is not known. */
    public int number() {
        return number;
    }

    public long unique() {
        return unique;
    }

    public long node() {
        return node;
    }

    public int uid() {
        return uid;
    }

    public int gid() {
        return gid;
    }

    /** The thread that asks; 0 where the kernel asks for itself. */
    public int pid() {
        return pid;
    }

    /** The place of the request in the order in which the requests of a mount have come. */
    public long arrival() {
        return arrival;
    }

    public int u32() {
        return body.getInt();
    }

    public long u64() {
        return body.getLong();
    }

    /** Whether it releases a lock: {@code fuse_lk_in} of SETLK and SETLKW. Reads nothing away. */
    public boolean unlocks() {
        boolean isLock = opcode == Opcode.SETLK || opcode == Opcode.SETLKW;
        return isLock && body.limit() >= LOCK_TYPE_AT + Integer.BYTES && body.getInt(LOCK_TYPE_AT) == Protocol.F_UNLCK;
    }

    public Request skip(int octets) {
        body.position(body.position() + octets);
        return this;
    }

    /** A name, which ends with a zero. */
    public String name() {
        int start = body.position();
        int end = start;
        while (body.get(end) != 0) {
            end++;
        }
        body.position(end + 1);
        return OctetText.decode(body.duplicate().position(start).limit(end));
    }

    /** What is left of the message. */
    public ByteBuffer rest() {
        return body;
    }
}
