package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections begin and end as the contract says. */
public abstract class ConnectionContract extends RdmaProviderContract {
    private static final int MANY = 40;

    /** The private data of a request of 256 octets in total; the answer has as many. */
    private static final int SHORT_REQUEST = 251;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, -1})
    void shouldExchangePrivateData(int size) throws Exception {
        RdmaPeer server = new RdmaPeer();
        CompletableFuture<byte[]> seen = new CompletableFuture<>();
        RdmaListener listener = listen(request -> {
            try {
                seen.complete(request.privateData());
                server.use(request.open(OPTIONS, server));
                server.connection().accept(reversed(request.privateData()), TIMEOUT);
            } catch (RdmaException e) {
                seen.completeExceptionally(e);
            }
        });
        RdmaPeer client = new RdmaPeer();
        client.use(open(listener.localAddress(), OPTIONS, client));
        byte[] sent = random(size < 0 ? mostPrivateData(client.connection()) : size);
        byte[] answer = client.connection().connect(sent, TIMEOUT);
        assertPrivateData(RdmaPeer.await(seen), sent);
        assertPrivateData(answer, reversed(RdmaPeer.await(seen)));
        assertThat(client.connection().isConnected()).isTrue();
        assertThat(client.connection().remoteAddress()).isEqualTo(listener.localAddress());
        assertThat(client.connection().localAddress()).isNotNull();
        assertThat(client.connection().settings()).isNotEmpty();
    }

    private int mostPrivateData(RdmaConnection client) {
        int most = client.maxPrivateData();
        return listeningLacks(Shortcoming.TAKES_SHORT_REQUESTS) ? Math.min(most, SHORT_REQUEST) : most;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = bytes[bytes.length - 1 - i];
        }
        return result;
    }

    @Test
    void shouldRefuseTooMuchPrivateData() throws Exception {
        RdmaListener listener = listen(request -> request.reject(NOTHING));
        RdmaConnection client = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        assertThatThrownBy(() -> client.connect(new byte[client.maxPrivateData() + 1], TIMEOUT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRejectWithAReason() throws Exception {
        RdmaListener listener = listen(request -> request.reject(ascii("no room")));
        RdmaConnection client = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        assertThatThrownBy(() -> client.connect(NOTHING, TIMEOUT)).isInstanceOfSatisfying(RdmaException.class, e -> {
            assertThat(e.kind()).isEqualTo(RdmaException.Kind.REJECTED);
            assertPrivateData(e.privateData(), ascii("no room"));
        });
        assertThat(client.isConnected()).isFalse();
    }

    @Test
    void shouldRejectWhatTheAcceptorLeavesUndecided() throws Exception {
        RdmaListener listener = listen(request -> {});
        RdmaConnection client = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        assertRefused(RdmaException.Kind.REJECTED, () -> client.connect(NOTHING, TIMEOUT));
    }

    @Test
    void shouldTellThatNobodyListens() throws Exception {
        InetSocketAddress unused;
        try (ServerSocket socket = new ServerSocket(0, 1, address())) {
            unused = new InetSocketAddress(address(), socket.getLocalPort());
        }
        RdmaConnection client = open(unused, OPTIONS, new RdmaPeer());
        assertRefused(RdmaException.Kind.REFUSED, () -> client.connect(NOTHING, TIMEOUT));
    }

    @Test
    void shouldNotConnectAnEndThatHasEnded() throws Exception {
        RdmaListener listener = listen(request -> request.reject(NOTHING));
        RdmaConnection client = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        client.close();
        assertRefused(RdmaException.Kind.DISCONNECTED, () -> client.connect(NOTHING, TIMEOUT));
    }

    @Test
    void shouldNotAcceptAnEndThatHasEnded() throws Exception {
        CompletableFuture<RdmaException.Kind> kind = new CompletableFuture<>();
        RdmaListener listener = listen(request -> {
            try {
                RdmaConnection server = request.open(OPTIONS, new RdmaPeer());
                server.close();
                server.accept(NOTHING, TIMEOUT);
                kind.complete(null);
            } catch (RdmaException e) {
                kind.complete(e.kind());
            }
        });
        RdmaConnection client = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        assertThatThrownBy(() -> client.connect(NOTHING, TIMEOUT)).isInstanceOf(RdmaException.class);
        assertThat(RdmaPeer.await(kind)).isEqualTo(RdmaException.Kind.DISCONNECTED);
    }

    @Test
    void shouldConnectAnEndOnce() throws Exception {
        Pair pair = connect();
        assertThatThrownBy(() -> pair.client().connection().connect(NOTHING, TIMEOUT))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> pair.server().connection().accept(NOTHING, TIMEOUT))
                .isInstanceOf(IllegalStateException.class);
        DataTransferContract.sendEmpty(pair);
    }

    @Test
    void shouldTellThatAnAddressIsTaken() throws Exception {
        RdmaListener listener = listen(request -> {});
        assertRefused(
                RdmaException.Kind.ADDRESS_UNAVAILABLE,
                () -> listening.listen(listener.localAddress(), Map.of(), request -> {}));
    }

    @Test
    void shouldNameOptionsThatItDoesNotKnow() throws Exception {
        RdmaListener listener = listen(request -> {});
        ConnectionOptions options = new ConnectionOptions(1, 1, 1, 1, Map.of("colour", "green"));
        assertThatThrownBy(() -> connecting.open(listener.localAddress(), options, new RdmaPeer(), TIMEOUT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("colour");
        assertThatThrownBy(() ->
                        listening.listen(new InetSocketAddress(address(), 0), Map.of("colour", "green"), request -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("colour");
    }

    @Test
    void shouldListDevicesAndReachItsOwn() {
        assertThat(connecting.devices()).isNotEmpty().allSatisfy(d -> {
            assertThat(d.name()).isNotEmpty();
            assertThat(d.transport()).isNotEmpty();
        });
        assertThat(connecting.reaches(new InetSocketAddress(address(), 1))).isTrue();
    }

    @Test
    void shouldTellBothEndsOfAnOrderlyEnd() throws Exception {
        Pair pair = connect();
        pair.client().connection().close();
        assertThat(pair.client().isDisconnected()).isTrue();
        assertThat(pair.client().awaitDisconnected()).isNull();
        assertThat(pair.server().awaitDisconnected()).isNull();
        pair.server().connection().close();
        pair.client().connection().close();
        assertThat(pair.client().disconnections()).isEqualTo(1);
        assertThat(pair.server().disconnections()).isEqualTo(1);
        assertThat(pair.client().connection().isConnected()).isFalse();
    }

    @Test
    void shouldFlushWhatIsPostedAtTheEnd() throws Exception {
        Pair pair = connect();
        RdmaConnection server = pair.server().connection();
        MemoryRegion memory = local(pair.server(), buffer(30));
        for (int i = 0; i < 3; i++) {
            server.postReceive(i, memory, 10L * i, 10);
        }
        pair.client().connection().close();
        pair.server().awaitDisconnected();
        for (int i = 0; i < 3; i++) {
            assertThat(pair.server().next())
                    .isEqualTo(
                            new RdmaPeer.Done(i, Completion.Operation.RECEIVE, Completion.Status.FLUSHED, 0, false, 0));
        }
        assertThat(pair.server().callsAfterDisconnection()).isZero();
        assertRefused(RdmaException.Kind.DISCONNECTED, () -> server.postReceive(9, memory, 0, 10));
        assertRefused(RdmaException.Kind.DISCONNECTED, () -> server.postSend(9, memory, 0, 10, 0));
    }

    @Test
    void shouldFlushReceivesOfAnEndThatNeverWasConnected() throws Exception {
        RdmaPeer client = new RdmaPeer();
        client.use(open(new InetSocketAddress(address(), 9), OPTIONS, client));
        client.connection().postReceive(5, local(client, buffer(10)), 0, 10);
        assertRefused(RdmaException.Kind.DISCONNECTED, () -> client.connection()
                .postSend(6, local(client, buffer(10)), 0, 10, 0));
        client.connection().close();
        assertThat(client.next().status()).isEqualTo(Completion.Status.FLUSHED);
        assertThat(client.awaitDisconnected()).isNull();
        assertThat(client.disconnections()).isEqualTo(1);
    }

    @Test
    void shouldSendWhatWasPostedBeforeTheEnd() throws Exception {
        Pair pair = connect();
        int size = 8 << 20;
        ByteBuffer target = buffer(size);
        byte[] data = random(size);
        pair.server().connection().postReceive(1, local(pair.server(), target), 0, size);
        pair.client().connection().postSend(2, local(pair.client(), filled(data)), 0, size, 0);
        pair.client().connection().close();
        assertThat(pair.client().nextSuccess().id()).isEqualTo(2);
        assertThat(pair.server().nextSuccess().length()).isEqualTo(size);
        assertThat(bytes(target, 0, size)).isEqualTo(data);
        assertThat(pair.server().awaitDisconnected()).isNull();
    }

    @Test
    void shouldEndFromWithinTheHandler() throws Exception {
        Pair pair = connect();
        AtomicBoolean endedInside = new AtomicBoolean();
        pair.server().onEach(d -> {
            pair.server().connection().close();
            endedInside.set(pair.server().isDisconnected());
        });
        MemoryRegion memory = local(pair.server(), buffer(20));
        pair.server().connection().postReceive(1, memory, 0, 10);
        pair.server().connection().postReceive(2, memory, 10, 10);
        pair.client().connection().postSend(3, local(pair.client(), buffer(10)), 0, 10, 0);
        assertThat(pair.server().awaitDisconnected()).isNull();
        assertThat(endedInside).isFalse();
        assertThat(pair.server().nextSuccess().id()).isEqualTo(1);
        assertThat(pair.server().next().status()).isEqualTo(Completion.Status.FLUSHED);
        assertThat(pair.client().awaitDisconnected()).isNull();
        assertThat(pair.server().disconnections()).isEqualTo(1);
    }

    @Test
    void shouldEndWhileManyThreadsPost() throws Exception {
        int tries = listeningLacks(Shortcoming.FINDS_GOOD_CHECKSUMS_BAD) ? 3 : 1;
        boolean ended = false;
        for (int i = 0; i < tries && !ended; i++) {
            ended = endsWhileManyThreadsPost();
        }
        assertThat(ended).as("no connection was lost before its end").isTrue();
    }

    /** Returns false if the connection was lost before this end closed the connection. */
    private boolean endsWhileManyThreadsPost() throws Exception {
        Pair pair = connect();
        int threads = 4;
        MemoryRegion target = pair.server().connection().register(buffer(100_000), Access.REMOTE_WRITE);
        MemoryRegion source = local(pair.client(), buffer(100_000));
        Posting posting = new Posting(pair, source, target, threads);
        List<Thread> posters = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread poster = new Thread(posting::postUntilTheEnd);
            posters.add(poster);
            poster.start();
        }
        assertThat(posting.posted.await(RdmaPeer.BOUND_SECONDS, TimeUnit.SECONDS))
                .isTrue();
        posting.closing.set(true);
        pair.client().connection().close();
        for (Thread poster : posters) {
            poster.join(TimeUnit.SECONDS.toMillis(RdmaPeer.BOUND_SECONDS));
            assertThat(poster.isAlive()).isFalse();
        }
        assertThat(posting.failure.get()).isNull();
        assertThat(pair.client().disconnections()).isEqualTo(1);
        assertThat(pair.client().callsAfterDisconnection()).isZero();
        return !posting.lost.get();
    }

    /** Writes by several threads, until the connection ends. */
    private static final class Posting {
        private final Pair pair;
        private final MemoryRegion source;
        private final MemoryRegion target;
        /** Counted down once by each thread that has posted a while, or has ended. */
        private final CountDownLatch posted;

        private final AtomicBoolean closing = new AtomicBoolean();
        private final AtomicBoolean lost = new AtomicBoolean();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        Posting(Pair pair, MemoryRegion source, MemoryRegion target, int threads) {
            this.pair = pair;
            this.source = source;
            this.target = target;
            this.posted = new CountDownLatch(threads);
        }

        void postUntilTheEnd() {
            boolean isCounted = false;
            try {
                for (int i = 0; post(i); i++) {
                    if (i == 1000) {
                        posted.countDown();
                        isCounted = true;
                    }
                }
                if (!closing.get()) {
                    lost.set(true);
                }
            } catch (Throwable e) {
                failure.set(e);
            } finally {
                if (!isCounted) {
                    posted.countDown();
                }
            }
        }

        /** Posts a write, unless the queue is full; returns false after the end of the connection. */
        private boolean post(int i) throws RdmaException {
            try {
                pair.client()
                        .connection()
                        .postWrite(
                                i,
                                source,
                                0,
                                i % 100_000,
                                target.steeringTag(),
                                target.remoteOffset(),
                                RdmaConnection.UNSIGNALED);
                return true;
            } catch (RdmaException e) {
                if (e.kind() == RdmaException.Kind.DISCONNECTED) {
                    return false;
                }
                if (e.kind() != RdmaException.Kind.QUEUE_FULL) {
                    throw e;
                }
                return true;
            }
        }
    }

    @Test
    void shouldGoOnWhenItsListenerCloses() throws Exception {
        Pair pair = connect();
        pair.server().connection().postReceive(1, local(pair.server(), buffer(10)), 0, 10);
        pair.client().connection().postSend(2, local(pair.client(), buffer(10)), 0, 10, 0);
        assertThat(pair.server().nextSuccess().id()).isEqualTo(1);
    }

    @Test
    void shouldTimeOutWhenTheAcceptorDoesNotDecide() throws Exception {
        CountDownLatch decide = new CountDownLatch(1);
        RdmaListener listener = listen(request -> {
            try {
                assertThat(decide.await(RdmaPeer.BOUND_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        RdmaConnection client = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        assertRefused(RdmaException.Kind.TIMED_OUT, () -> client.connect(NOTHING, Duration.ofMillis(200)));
        decide.countDown();
    }

    @Test
    void shouldServeOthersWhileAnAcceptorDecides() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch decide = new CountDownLatch(1);
        RdmaListener listener = listen(request -> {
            if (new String(request.privateData(), StandardCharsets.US_ASCII).startsWith("slow")) {
                first.countDown();
                try {
                    assertThat(decide.await(RdmaPeer.BOUND_SECONDS, TimeUnit.SECONDS))
                            .isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            request.reject(request.privateData());
        });
        RdmaConnection slow = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        CompletableFuture<Void> slowResult = CompletableFuture.runAsync(
                () -> assertRefused(RdmaException.Kind.REJECTED, () -> slow.connect(ascii("slow"), TIMEOUT)));
        assertThat(first.await(RdmaPeer.BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        RdmaConnection fast = open(listener.localAddress(), OPTIONS, new RdmaPeer());
        assertRefused(RdmaException.Kind.REJECTED, () -> fast.connect(ascii("fast"), TIMEOUT));
        decide.countDown();
        RdmaPeer.await(slowResult);
    }

    @Test
    void shouldEndConnectionsWithTheProvider() throws Exception {
        Pair pair = connect();
        destroyProvider(connecting);
        assertThat(pair.client().isDisconnected()).isTrue();
        destroyProvider(listening);
        assertThat(pair.server().isDisconnected()).isTrue();
        assertThatThrownBy(() -> connecting.open(new InetSocketAddress(address(), 9), OPTIONS, new RdmaPeer(), TIMEOUT))
                .isInstanceOf(RdmaException.class);
    }

    @Test
    void shouldLeaveNothingBehind() throws Exception {
        Pair warmUp = connect();
        warmUp.client().connection().close();
        warmUp.server().connection().close();
        Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();
        long descriptorsBefore = openDescriptors();
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            pairs.add(connect());
        }
        for (Pair pair : pairs) {
            pair.client().connection().close();
            pair.server().connection().close();
        }
        Set<Thread> left = Thread.getAllStackTraces().keySet().stream()
                .filter(t -> !threadsBefore.contains(t) && isOfProvider(t))
                .collect(Collectors.toSet());
        assertThat(left).isEmpty();
        assertThat(openDescriptors()).isLessThanOrEqualTo(descriptorsBefore + MANY / 4);
    }

    private boolean isOfProvider(Thread thread) {
        return thread.getName().startsWith(connecting.name())
                || thread.getName().startsWith(listening.name());
    }

    /** The number of open files and sockets of this process, 0 where the system does not tell. */
    private static long openDescriptors() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(descriptors)) {
            return all.count();
        }
    }
}
