package io.verbena.fuse.internal.kernel;

import com.kenai.jffi.MemoryIO;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/** A kernel that sends the requests of a test, and ends the mount then. */
public final class FakeKernel {
    private static final int FD = 3;

    private final Queue<byte[]> requests = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private final List<Long> dropped = new ArrayList<>();
    private final List<Long> outdated = new ArrayList<>();
    private Runnable onDrop = () -> {};
    private ByteBuffer last;
    private final Device device = new Device(
            (KernelLibrary) Proxy.newProxyInstance(
                    KernelLibrary.class.getClassLoader(),
                    new Class<?>[] {KernelLibrary.class},
                    (self, method, args) -> call(method.getName(), args)),
            FD);

    /** A request of the kernel. */
    public static final class Message {
        private final ByteBuffer octets = ByteBuffer.allocate(512).order(ByteOrder.nativeOrder());
        private long arrival;

        public Message(Opcode opcode, long node) {
            octets.putInt(4, opcode.number()).putLong(16, node).position(Protocol.IN_HEADER);
        }

        public Message unique(long unique) {
            octets.putLong(8, unique);
            return this;
        }

        /** Sets its place among the requests of a mount where a test executes it itself: {@link Request#arrival}. */
        public Message arrival(long place) {
            arrival = place;
            return this;
        }

        public Message by(int uid, int gid, int pid) {
            octets.putInt(24, uid).putInt(28, gid).putInt(32, pid);
            return this;
        }

        public Message u32(int... values) {
            for (int each : values) {
                octets.putInt(each);
            }
            return this;
        }

        public Message u64(long... values) {
            for (long each : values) {
                octets.putLong(each);
            }
            return this;
        }

        public Message name(String name) {
            octets.put(name.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
            return this;
        }

        public Request request() {
            int length = octets.position();
            ByteBuffer message = octets.putInt(0, length).duplicate();
            return Request.of(message.order(ByteOrder.nativeOrder()).flip(), arrival);
        }
    }

    /** The content of a reply. */
    public static ByteBuffer content(Reply reply) {
        ByteBuffer message = ByteBuffer.wrap(reply.message(0)).order(ByteOrder.nativeOrder());
        return message.position(Protocol.OUT_HEADER).slice().order(ByteOrder.nativeOrder());
    }

    public Device device() {
        return device;
    }

    public void sends(Message message) {
        int length = message.octets.position();
        requests.add(Arrays.copyOf(message.octets.putInt(0, length).array(), length));
    }

    /** The answers so far: the number of the request, and the error. */
    public List<String> answers() {
        return answers;
    }

    /** The content of the last answer. */
    public ByteBuffer last() {
        return last;
    }

    /** The nodes whose pages it was told to drop. */
    public List<Long> dropped() {
        return dropped;
    }

    /** The nodes whose attributes alone it was told to drop. */
    public List<Long> outdated() {
        return outdated;
    }

    /** What happens while it drops pages. */
    public void onDrop(Runnable step) {
        onDrop = step;
    }

    private Object call(String method, Object[] args) {
        return switch (method) {
            case "read" -> read((long) args[1]);
            case "write" -> write((byte[]) args[1]);
            default -> 0;
        };
    }

    private long read(long address) {
        byte[] next = requests.poll();
        if (next == null) {
            device.close();
            return 0;
        }
        MemoryIO.getInstance().putByteArray(address, next, 0, next.length);
        return next.length;
    }

    private long write(byte[] message) {
        ByteBuffer header = ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
        if (header.getLong(8) != 0) {
            answers.add(header.getLong(8) + " " + -header.getInt(4));
            last = header.position(Protocol.OUT_HEADER).slice().order(ByteOrder.nativeOrder());
        } else if (header.getInt(4) == Protocol.NOTIFY_INVAL_INODE && header.getLong(24) < 0) {
            outdated.add(header.getLong(16));
        } else if (header.getInt(4) == Protocol.NOTIFY_INVAL_INODE) {
            dropped.add(header.getLong(16));
            onDrop.run();
        }
        return message.length;
    }
}
