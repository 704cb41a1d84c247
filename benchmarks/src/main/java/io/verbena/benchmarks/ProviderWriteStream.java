package io.verbena.benchmarks;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/** RDMA Writes of 1 MiB through the provider alone, a few of them in flight. */
final class ProviderWriteStream implements Case {
    private static final int SIZE = 1 << 20;
    private static final int IN_FLIGHT = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(IN_FLIGHT, 4, 4, 4, Map.of());

    private final RdmaListener listener;
    private final RdmaConnection connection;
    private final MemoryRegion source;
    private final int targetTag;
    private final long targetOffset;
    private final Semaphore free = new Semaphore(IN_FLIGHT);
    private final AtomicLong written = new AtomicLong();
    private volatile RdmaConnection accepted;

    ProviderWriteStream(RdmaProvider provider) throws RdmaException {
        listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Map.of(), this::accept);
        connection = provider.open(listener.localAddress(), OPTIONS, new Writes(), TIMEOUT);
        ByteBuffer target = ByteBuffer.wrap(connection.connect(new byte[0], TIMEOUT));
        targetTag = target.getInt();
        targetOffset = target.getLong();
        source = connection.register(ByteBuffer.allocateDirect(SIZE), Access.LOCAL);
    }

    private void accept(ConnectionRequest request) {
        try {
            RdmaConnection end = request.open(OPTIONS, new Writes());
            MemoryRegion target = end.register(ByteBuffer.allocateDirect(SIZE), Access.REMOTE_WRITE);
            byte[] privateData = ByteBuffer.allocate(12)
                    .putInt(target.steeringTag())
                    .putLong(target.remoteOffset())
                    .array();
            accepted = end;
            end.accept(privateData, TIMEOUT);
        } catch (RdmaException e) {
            throw new IllegalStateException("cannot accept", e);
        }
    }

    @Override
    public String name() {
        return "RDMA Write stream, 1 MiB";
    }

    @Override
    public boolean inOctets() {
        return true;
    }

    @Override
    public double run(Duration time) throws Exception {
        written.set(0);
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos()) {
            free.acquire();
            connection.postWrite(0, source, 0, SIZE, targetTag, targetOffset, 0);
        }
        free.acquire(IN_FLIGHT);
        free.release(IN_FLIGHT);
        return written.get() * 1e9 / (System.nanoTime() - start);
    }

    @Override
    public void close() {
        connection.close();
        accepted.close();
        listener.close();
    }

    private final class Writes implements ConnectionHandler {
        @Override
        public void onCompletions(Completion[] completions, int count) {
            for (int i = 0; i < count; i++) {
                if (completions[i].status() == Completion.Status.SUCCESS) {
                    written.addAndGet(SIZE);
                }
            }
            free.release(count);
        }

        @Override
        public void onDisconnected(RdmaException cause) {
            if (cause != null) {
                System.err.println(name() + ": " + cause);
            }
        }
    }
}
