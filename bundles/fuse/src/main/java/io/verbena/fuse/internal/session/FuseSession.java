package io.verbena.fuse.internal.session;

import io.verbena.fuse.internal.kernel.Device;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.ops.Operations;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the requests of one mount. Its thread answers what does not block, begins READ and WRITE, and hands the others
 * to the threads of requests; so it can always take an interrupt.
 */
final class FuseSession implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(FuseSession.class);

    /** How many requests the kernel keeps under way of its own accord: read-ahead and written pages. */
    private static final int MAX_BACKGROUND = 64;

    /** The least octets of a WRITE that keeps the buffer in which it came; a smaller one is copied. */
    private static final int HANDED_OVER = 1 << 17;

    private static final int INIT_OUT = 64;
    private static final int WANTED = Protocol.ASYNC_READ
            | Protocol.POSIX_LOCKS
            | Protocol.ATOMIC_O_TRUNC
            | Protocol.BIG_WRITES
            | Protocol.FLOCK_LOCKS
            | Protocol.AUTO_INVAL_DATA
            | Protocol.DO_READDIRPLUS
            | Protocol.READDIRPLUS_AUTO
            | Protocol.ASYNC_DIO
            | Protocol.PARALLEL_DIROPS
            | Protocol.MAX_PAGES;

    private static final int WANTED_MORE = Protocol.DIRECT_IO_ALLOW_MMAP;

    private final Device device;
    private final Operations operations;
    private final PendingRequests pending;
    private final Executor executor;
    private final MemorySource memory;

    private final Executor waiting;

    /** The one buffer that is no lease: a mount that is short of memory has to take interrupts. */
    private final ByteBuffer spare = ByteBuffer.allocateDirect(Device.RECEIVE_SIZE);

    /** The buffer of the next request. The receiving thread alone uses it. */
    private ByteBuffer buffer = spare;

    private BufferLease lease;

    /** How many messages have come. The receiving thread alone uses it. */
    private long arrivals;

    /** The share of memory of the present mount. */
    interface MemorySource {
        MemoryShare get() throws IOException;
    }

    /**
     * A session.
     *
     * @param executor of requests
     * @param waiting executes waits for locks, so that they keep no other request waiting
     */
    FuseSession(
            Device device,
            Operations operations,
            PendingRequests pending,
            Executor executor,
            Executor waiting,
            MemorySource memory) {
        this.device = device;
        this.operations = operations;
        this.pending = pending;
        this.executor = executor;
        this.waiting = waiting;
        this.memory = memory;
    }

    /** Takes requests until the mount ends. */
    @Override
    public void run() {
        try {
            prepareBuffer();
            while (device.receive(buffer)) {
                take();
                prepareBuffer();
            }
        } catch (IOException e) {
            LOG.warn("a mount ends: {}", e.getMessage(), e);
        } finally {
            if (lease != null) {
                lease.close();
            }
        }
    }

    private void take() {
        Request request;
        try {
            request = Request.of(buffer, ++arrivals);
        } catch (IllegalArgumentException e) {
            LOG.warn("the kernel has sent what is no request: {}", e.getMessage(), e);
            return;
        }
        try {
            dispatch(request);
        } catch (Throwable e) {
            LOG.warn("a request could not be begun: {}", e.toString(), e);
            device.fail(request.unique(), Errno.EIO);
        }
    }

    private void dispatch(Request request) {
        switch (request.opcode()) {
            case INIT -> initialize(request);
            case FORGET, BATCH_FORGET -> operations.forget(request);
            case INTERRUPT -> pending.interrupt(request.u64());
            case DESTROY -> device.answer(request.unique(), Reply.empty());
            case OTHER -> device.fail(request.unique(), Errno.ENOSYS);
            case READ, WRITE -> transfer(request);
            default -> execute(request);
        }
    }

    private void initialize(Request request) {
        int major = request.u32();
        int minor = request.u32();
        int unused = request.u32(); // what the kernel reads ahead now
        int offered = request.u32();
        if (major != Protocol.MAJOR || minor < Protocol.LEAST_MINOR) {
            LOG.warn("the kernel speaks version {}.{} of the FUSE protocol, and 7.23 is needed", major, minor);
            device.fail(request.unique(), Errno.EIO);
            return;
        }
        boolean hasMore = (offered & Protocol.INIT_EXT) != 0 && request.rest().remaining() >= Integer.BYTES;
        int more = WANTED_MORE & (hasMore ? request.u32() : 0);
        operations.initialize((more & Protocol.DIRECT_IO_ALLOW_MMAP) != 0);
        Reply reply = new Reply(INIT_OUT)
                .u32(Protocol.MAJOR)
                .u32(Math.min(minor, Protocol.MINOR))
                .u32(Kernel.MAX_READ_AHEAD) // a bound: less would undo what has been widened already
                .u32((WANTED & offered) | (more == 0 ? 0 : Protocol.INIT_EXT))
                .u16(MAX_BACKGROUND)
                .u16(MAX_BACKGROUND * 3 / 4)
                .u32(Kernel.MAX_TRANSFER)
                .u32(1)
                .u16(Kernel.MAX_TRANSFER / 4096)
                .u16(0)
                .u32(more)
                .zeros(28);
        device.answer(request.unique(), reply);
    }

    private void transfer(Request request) {
        PendingRequest one = new PendingRequest(request);
        pending.add(one);
        Ending ending = new Ending(one);
        if (request.opcode() == Opcode.READ) {
            operations.transfer(request, null, ending);
            return;
        }
        int length = request.rest().remaining();
        if (lease != null && length >= HANDED_OVER) {
            BufferLease data = lease;
            lease = null;
            buffer = spare;
            operations.transfer(request, data, ending);
            return;
        }
        BufferLease data = tryLease(length);
        ByteBuffer target = data == null ? ByteBuffer.allocate(length) : data.buffer();
        operations.transfer(request.in(target), data, ending);
    }

    /** A large WRITE keeps the buffer in which it came; so the next request comes in another one. */
    private void prepareBuffer() {
        if (lease == null) {
            lease = tryLease(Device.RECEIVE_SIZE);
            buffer = lease == null ? spare : lease.buffer();
        }
    }

    private BufferLease tryLease(int bytes) {
        try {
            return memory.get().tryLease(bytes);
        } catch (IOException e) {
            LOG.debug("there is no memory of the mount now", e);
            return null;
        }
    }

    /** Answers a READ or WRITE. */
    private final class Ending implements Operations.Ending {
        private final PendingRequest request;

        Ending(PendingRequest request) {
            this.request = request;
        }

        @Override
        public void answer(Reply reply) {
            pending.remove(request);
            byte[] message = reply.message(request.request().unique()); // before it counts as answered
            if (request.answers()) {
                device.answer(message);
            }
        }

        @Override
        public void answer(ByteBuffer from, int start, int length) {
            pending.remove(request);
            Reply.putHeader(from, start, length, request.request().unique()); // before it counts as answered
            if (request.answers()) {
                device.answer(from, start - Protocol.OUT_HEADER, Protocol.OUT_HEADER + length);
            }
        }

        @Override
        public void fail(Throwable thrown) {
            pending.remove(request);
            FuseSession.this.fail(request, thrown);
        }
    }

    private void execute(Request request) {
        PendingRequest one = new PendingRequest(request);
        pending.add(one);
        try {
            (one.endsBySignal() ? waiting : executor).execute(() -> executeNow(one));
            if (request.opcode() == Opcode.RELEASE) {
                operations.closed(request); // not where nothing executes it: others would wait for its end
            }
        } catch (Throwable e) { // the mount has ended, or the host gives no thread
            pending.remove(one);
            if (one.endsBySignal()) {
                LOG.warn("a program cannot wait for a lock: {}", e.toString(), e);
                fail(one, new Errno.Failure(Errno.ENOLCK));
            } else {
                fail(one, e);
            }
        }
    }

    private void executeNow(PendingRequest one) {
        byte[] message = null;
        Throwable thrown = null;
        if (one.begin()) {
            try {
                message =
                        operations.execute(one.request()).message(one.request().unique());
            } catch (Throwable e) {
                thrown = e;
            }
            one.end();
        }
        if (one.isFlush()) { // also a cancelled one: who has closed a file holds no lock, and nobody else removes it
            try {
                operations.unlock(one.request());
            } catch (Throwable e) {
                thrown = thrown == null ? e : thrown;
            }
        }
        pending.remove(one);
        if (thrown != null) {
            fail(one, thrown);
        } else if (one.answers()) {
            device.answer(message);
        }
    }

    private void fail(PendingRequest request, Throwable thrown) {
        int errno = Errno.of(thrown);
        byte[] message = Reply.failure(request.request().unique(), errno); // before it counts as answered
        if (!request.answers()) {
            return;
        }
        device.answer(message);
        if (errno == Errno.EIO) {
            LOG.info("{} fails: {}", request.request().opcode(), thrown.getMessage(), thrown);
        }
    }
}
