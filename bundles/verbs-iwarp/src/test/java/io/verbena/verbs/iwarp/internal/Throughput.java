package io.verbena.verbs.iwarp.internal;

import com.sun.management.OperatingSystemMXBean;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Not a test: what the provider's streams and round trips cost against plain TCP, in turn in one run. Only the ratios
 * say anything. Arguments: rounds, crc ({@code on} or {@code off}).
 */
final class Throughput {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MESSAGE = 1 << 20;
    private static final int STREAM = 1500;
    private static final int ROUND_TRIPS = 15_000;
    private static final int SMALL = 128;
    private static final int WINDOW = 32;
    private static final double NANOS = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final String[] NAMES = {
        "tcp MiB", "written MiB", "read MiB", "tcp round trip", "rdma round trip", "rdma round trip of " + WINDOW
    };
    private static final int[] OPERATIONS = {STREAM, STREAM, STREAM, ROUND_TRIPS, ROUND_TRIPS, 8 * ROUND_TRIPS};
    private static final int FIRST_ROUND_TRIP = 3;

    private Throughput() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        String crc = arguments.length > 1 ? arguments[1] : "on";
        double[][] rates = new double[NAMES.length][rounds];
        double[][] costs = new double[NAMES.length][rounds];
        for (int i = 0; i < rounds; i++) {
            for (int j = 0; j < NAMES.length; j++) {
                long before = processorTime();
                rates[j][i] = run(j, crc);
                costs[j][i] = (processorTime() - before) / NANOS_PER_MICRO / OPERATIONS[j];
                System.out.printf(Locale.ROOT, "%s %.0f/s %.1f us; ", NAMES[j], rates[j][i], costs[j][i]);
            }
            System.out.println();
        }
        for (int j = 0; j < NAMES.length; j++) {
            int base = j < FIRST_ROUND_TRIP ? 0 : FIRST_ROUND_TRIP;
            System.out.printf(
                    Locale.ROOT,
                    "median of %s: rate %.2f of tcp, processor time %.2f of tcp (%.1f us)%n",
                    NAMES[j],
                    median(rates[j]) / median(rates[base]),
                    median(costs[j]) / median(costs[base]),
                    median(costs[j]));
        }
    }

    private static double run(int what, String crc) throws Exception {
        return switch (what) {
            case 0 -> tcpStream();
            case 1 -> bulk(crc, true);
            case 2 -> bulk(crc, false);
            case 3 -> tcpRoundTrips();
            case 4 -> rdmaRoundTrips(crc, 1);
            default -> rdmaRoundTrips(crc, WINDOW);
        };
    }

    /** The processor time of this process, in nanoseconds: less touched by what else the machine does. */
    private static long processorTime() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static SocketChannel[] tcp() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new SocketChannel[] {client, accepted};
        }
    }

    private static double tcpStream() throws Exception {
        SocketChannel[] ends = tcp();
        long total = (long) STREAM * MESSAGE;
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            ByteBuffer b = ByteBuffer.allocateDirect(256 << 10);
            try {
                long left = total;
                while (left > 0) {
                    left -= ends[1].read(b.clear());
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        ByteBuffer b = ByteBuffer.allocateDirect(256 << 10);
        long start = System.nanoTime();
        for (long left = total; left > 0; ) {
            left -= ends[0].write(b.hasRemaining() ? b : b.clear());
        }
        reader.get();
        double seconds = (System.nanoTime() - start) / NANOS;
        ends[0].close();
        ends[1].close();
        return STREAM / seconds;
    }

    private static double tcpRoundTrips() throws Exception {
        SocketChannel[] ends = tcp();
        CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> {
            try {
                ByteBuffer b = ByteBuffer.allocateDirect(SMALL);
                for (int i = 0; i < ROUND_TRIPS; i++) {
                    exchange(ends[1], b, false);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        ByteBuffer b = ByteBuffer.allocateDirect(SMALL);
        long start = System.nanoTime();
        for (int i = 0; i < ROUND_TRIPS; i++) {
            exchange(ends[0], b, true);
        }
        double seconds = (System.nanoTime() - start) / NANOS;
        echo.get();
        ends[0].close();
        ends[1].close();
        return ROUND_TRIPS / seconds;
    }

    private static void exchange(SocketChannel channel, ByteBuffer b, boolean first) throws IOException {
        if (first) {
            channel.write(b.clear());
        }
        b.clear();
        while (b.hasRemaining()) {
            channel.read(b);
        }
        if (!first) {
            channel.write(b.flip());
        }
    }

    /** An end that passes completions on. */
    private abstract static class End implements ConnectionHandler {
        RdmaConnection connection;

        @Override
        public final void onCompletions(Completion[] completions, int count) {
            for (int i = 0; i < count; i++) {
                if (completions[i].status() == Completion.Status.SUCCESS) {
                    try {
                        on(completions[i]);
                    } catch (RdmaException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        }

        abstract void on(Completion completion) throws RdmaException;

        @Override
        public void onDisconnected(RdmaException cause) {}
    }

    private static void connect(IwarpProvider provider, End client, End server, String crc) throws Exception {
        ConnectionOptions options = new ConnectionOptions(64, 64, 16, 16, Map.of("crc", crc));
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        RdmaListener listener = provider.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Map.of("crc", crc), request -> {
                    try {
                        server.connection = request.open(options, server);
                        server.connection.accept(new byte[0], TIMEOUT);
                        accepted.complete(null);
                    } catch (RdmaException e) {
                        accepted.completeExceptionally(e);
                    }
                });
        client.connection = provider.open(listener.localAddress(), options, client, TIMEOUT);
        client.connection.connect(new byte[0], TIMEOUT);
        accepted.get();
        listener.close();
    }

    private static double bulk(String crc, boolean write) throws Exception {
        IwarpProvider provider = new IwarpProvider();
        Semaphore done = new Semaphore(4);
        End client = new End() {
            @Override
            void on(Completion completion) {
                done.release();
            }
        };
        CompletableFuture<Void> received = new CompletableFuture<>();
        End server = new End() {
            @Override
            void on(Completion completion) {
                received.complete(null);
            }
        };
        connect(provider, client, server, crc);
        MemoryRegion source = client.connection.register(ByteBuffer.allocateDirect(MESSAGE), Access.LOCAL);
        ByteBuffer memory = ByteBuffer.allocateDirect(MESSAGE);
        MemoryRegion target = server.connection.register(memory, write ? Access.REMOTE_WRITE : Access.REMOTE_READ);
        server.connection.postReceive(1, server.connection.register(ByteBuffer.allocate(1), Access.LOCAL), 0, 1);
        long start = System.nanoTime();
        for (int i = 0; i < STREAM; i++) {
            done.acquire();
            if (write) {
                client.connection.postWrite(i, source, 0, MESSAGE, target.steeringTag(), target.remoteOffset(), 0);
            } else {
                client.connection.postRead(i, source, 0, MESSAGE, target.steeringTag(), target.remoteOffset(), 0);
            }
        }
        if (write) {
            client.connection.postSend(0, source, 0, 1, 0);
            received.get();
        } else {
            done.acquire(4);
        }
        double seconds = (System.nanoTime() - start) / NANOS;
        provider.deactivate();
        return STREAM / seconds;
    }

    private static double rdmaRoundTrips(String crc, int window) throws Exception {
        IwarpProvider provider = new IwarpProvider();
        int total = ROUND_TRIPS * (window == 1 ? 1 : 8);
        CompletableFuture<Void> finished = new CompletableFuture<>();
        End server = new End() {
            private MemoryRegion memory;

            @Override
            void on(Completion completion) throws RdmaException {
                if (memory == null) {
                    memory = connection.register(ByteBuffer.allocateDirect(SMALL), Access.LOCAL);
                }
                connection.postReceive(completion.id(), memory, 0, SMALL);
                connection.postSend(0, memory, 0, SMALL, RdmaConnection.UNSIGNALED);
            }
        };
        End client = new End() {
            private int received;
            private MemoryRegion memory;

            @Override
            void on(Completion completion) throws RdmaException {
                if (memory == null) {
                    memory = connection.register(ByteBuffer.allocateDirect(SMALL), Access.LOCAL);
                }
                if (++received == total) {
                    finished.complete(null);
                    return;
                }
                connection.postReceive(completion.id(), memory, 0, SMALL);
                if (received <= total - window) {
                    connection.postSend(0, memory, 0, SMALL, RdmaConnection.UNSIGNALED);
                }
            }
        };
        connect(provider, client, server, crc);
        MemoryRegion theirs = server.connection.register(ByteBuffer.allocateDirect(SMALL), Access.LOCAL);
        MemoryRegion ours = client.connection.register(ByteBuffer.allocateDirect(SMALL), Access.LOCAL);
        for (int i = 0; i < WINDOW; i++) {
            server.connection.postReceive(i, theirs, 0, SMALL);
            client.connection.postReceive(i, ours, 0, SMALL);
        }
        long start = System.nanoTime();
        for (int i = 0; i < window; i++) {
            client.connection.postSend(0, ours, 0, SMALL, RdmaConnection.UNSIGNALED);
        }
        finished.get();
        double seconds = (System.nanoTime() - start) / NANOS;
        provider.deactivate();
        return total / seconds;
    }
}
