package io.verbena.verbs.iwarp.internal.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.verbena.conformance.HandOvers;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaPeer;
import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * An Error at any one hand-over between two providers and their users (completion handlers, acceptors, observers), the
 * budget, the clock and the threads: the connection that the Error concerns ends for both of its ends, each of which is
 * told once, nothing is left behind, and the next connection is made and works.
 */
class EveryHandOverTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long STEP_SECONDS = 20;
    private static final int OCTETS = 4096;
    private static final byte[] NOTHING = {};
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(16, 16, 4, 4, Map.of());

    private interface Step {
        void run() throws Exception;
    }

    @TestFactory
    Stream<DynamicTest> shouldEndExactlyTheConnectionThatAnErrorConcerns() {
        int handOvers = assertTimeoutPreemptively(BOUND, () -> new Run(0).run());
        assertThat(handOvers).isGreaterThan(30);
        return IntStream.rangeClosed(1, handOvers)
                .mapToObj(number -> DynamicTest.dynamicTest(
                        "hand-over " + number,
                        () -> assertTimeoutPreemptively(
                                BOUND, () -> new Run(number).run(), () -> "hand-over " + number)));
    }

    private static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as(what).isLessThan(TimeUnit.SECONDS.toNanos(STEP_SECONDS));
            LockSupport.parkNanos(100_000);
        }
    }

    private static final class Silent implements WireObserver {
        @Override
        public void onFrame(WireConnection connection, boolean sent, List<ByteBuffer> frame) {
            assertThat(frame).isNotEmpty();
        }

        @Override
        public void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
            assertThat(data).isNotNull();
        }

        @Override
        public void onEnd(WireConnection connection) {
            assertThat(connection).isNotNull();
        }
    }

    /** One end of a connection, and the memory that it has registered. */
    private static final class End {
        final RdmaPeer peer = new RdmaPeer();
        MemoryRegion receiving;
        MemoryRegion sending;
        MemoryRegion shared;
        private int seen;

        void prepare(RdmaConnection connection) throws RdmaException {
            peer.use(connection);
            receiving = connection.register(ByteBuffer.allocateDirect(OCTETS), Access.LOCAL);
            sending = connection.register(ByteBuffer.allocateDirect(OCTETS), Access.LOCAL);
            shared = connection.register(ByteBuffer.allocateDirect(OCTETS), Access.REMOTE_WRITE);
            for (int i = 0; i < 4; i++) {
                connection.postReceive(i, receiving, 0, OCTETS);
            }
        }

        /** Whether so many completions have come. */
        boolean seen(int count) {
            while (peer.hasNext()) {
                peer.next();
                seen++;
            }
            return seen >= count;
        }

        boolean isOver() {
            return peer.connection() == null
                    || peer.isDisconnected()
                    || !peer.connection().isConnected();
        }
    }

    /** Two providers, of which one hand-over fails. */
    private static final class Run {
        private final int number;
        private final HandOvers handOvers = new HandOvers()
                .including(ThreadFactory.class)
                .leaving(BufferLease.class, ConnectionRequest.class, RdmaConnection.class, MemoryRegion.class);
        private final DirectMemory memory = new DirectMemory(64 << 20);
        private final IwarpProvider connecting = provider();
        private final IwarpProvider listening = provider();
        private final Queue<End> accepted = new ConcurrentLinkedQueue<>();
        private RdmaListener listener;

        Run(int number) {
            this.number = number;
        }

        private IwarpProvider provider() {
            IwarpProvider made = new IwarpProvider(
                    handOvers.through(Runtime.class, new SystemRuntime()),
                    handOvers.through(MemoryBudget.class, memory));
            made.addObserver(handOvers.through(WireObserver.class, new Silent()));
            return made;
        }

        /** Returns the number of hand-overs. */
        int run() throws Exception {
            int passed;
            try {
                passed = useAndRequireWhole();
            } finally {
                handOvers.failAt(0);
                if (listener != null) {
                    listener.close();
                }
                connecting.deactivate();
                listening.deactivate();
            }
            requireNothingLeft();
            return passed;
        }

        private int useAndRequireWhole() throws Exception {
            handOvers.failAt(number);
            attempt(this::listen);
            End client = new End();
            if (listener != null) {
                attempt(() -> connect(client));
                attempt(() -> use(client));
                attempt(() -> end(client));
            }
            int passed = handOvers.passed();
            handOvers.failAt(0);
            requireEnded(client);
            requireWhole();
            return passed;
        }

        private void attempt(Step step) throws Exception {
            try {
                step.run();
            } catch (IOException | OutOfMemoryError e) {
                assertThat(number).as("%s", e).isPositive();
            }
        }

        private void listen() throws RdmaException {
            ConnectionAcceptor acceptor = handOvers.through(ConnectionAcceptor.class, this::accept);
            listener = listening.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Map.of(), acceptor);
        }

        private void accept(ConnectionRequest request) {
            End end = new End();
            try {
                RdmaConnection connection = request.open(OPTIONS, handOvers.through(ConnectionHandler.class, end.peer));
                end.prepare(connection);
                accepted.add(end);
                connection.accept(NOTHING, TIMEOUT);
            } catch (RdmaException e) {
                assertThat(number).as("%s", e).isPositive();
            }
        }

        private void connect(End client) throws RdmaException {
            RdmaConnection connection = connecting.open(
                    listener.localAddress(), OPTIONS, handOvers.through(ConnectionHandler.class, client.peer), TIMEOUT);
            client.prepare(connection);
            connection.connect(NOTHING, TIMEOUT);
        }

        private Optional<End> server(End client) {
            return accepted.stream()
                    .filter(end -> client.peer
                            .connection()
                            .localAddress()
                            .equals(end.peer.connection().remoteAddress()))
                    .findFirst();
        }

        /** Each kind of work request, in both directions. */
        private void use(End client) throws RdmaException {
            if (client.isOver()) {
                return;
            }
            await("an accepted end", () -> client.isOver() || server(client).isPresent());
            if (client.isOver()) {
                return;
            }
            End server = server(client).orElseThrow();
            RdmaConnection connection = client.peer.connection();
            connection.postWrite(
                    11, client.sending, 0, OCTETS, server.shared.steeringTag(), server.shared.remoteOffset(), 0);
            MemoryRegion readable =
                    server.peer.connection().register(ByteBuffer.allocateDirect(OCTETS), Access.REMOTE_READ);
            connection.postRead(12, client.sending, 0, OCTETS, readable.steeringTag(), readable.remoteOffset(), 0);
            connection.postSend(13, client.sending, 0, OCTETS, 0);
            connection.postSendWithInvalidate(14, client.sending, 0, 10, server.shared.steeringTag(), 0);
            server.peer.connection().postSend(15, server.sending, 0, 100, 0);
            await("completions, or the end", () -> hasAll(client, 5) && hasAll(server, 3));
        }

        private static boolean hasAll(End end, int count) {
            return end.isOver() || end.seen(count);
        }

        private void end(End client) {
            if (client.peer.connection() != null) {
                client.peer.connection().close();
            }
        }

        /** Each end has been told of its end once, unless that call itself was the one that failed. */
        private void requireEnded(End client) {
            if (client.peer.connection() != null) {
                client.peer.connection().close();
                requireTold(client);
            }
            for (End server : accepted) {
                requireTold(server);
            }
            accepted.clear();
        }

        private void requireTold(End end) {
            await(
                    "the end of " + handOvers.failed(),
                    () -> !end.peer.connection().isConnected());
            if (!handOvers.failed().equals("onDisconnected")) {
                end.peer.awaitDisconnected();
                assertThat(end.peer.disconnections()).isEqualTo(1);
            }
            assertThat(end.peer.callsAfterDisconnection()).isZero();
        }

        /** The next connection by the same listener works. */
        private void requireWhole() throws Exception {
            if (listener == null) {
                listen();
            }
            End client = new End();
            connect(client);
            use(client);
            assertThat(client.isOver()).isFalse();
            end(client);
            requireEnded(client);
        }

        private void requireNothingLeft() {
            assertThat(memory.holdings()).as("after %s", handOvers.failed()).isEmpty();
            assertThat(memory.leasedBytes()).isZero();
            memory.close();
            await(
                    "the end of all threads after " + handOvers.failed(),
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("iwarp-")));
        }
    }
}
