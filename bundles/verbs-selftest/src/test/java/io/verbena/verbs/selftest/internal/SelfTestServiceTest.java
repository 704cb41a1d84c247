package io.verbena.verbs.selftest.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.iwarp.internal.IwarpProvider;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.SelfTestStep.Outcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whole tests over the software provider, and ends that do not do as they should. */
@Timeout(60)
class SelfTestServiceTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final SelfTestOptions FEW = new SelfTestOptions(64, Duration.ofSeconds(10), 20, TIMEOUT, Map.of());
    private static final SelfTestOptions IMPATIENT =
            new SelfTestOptions(64, Duration.ofMillis(50), 0, Duration.ofMillis(300), Map.of());
    private static final ConnectionOptions OPTIONS = Endpoint.options(Map.of());

    private final IwarpProvider provider = new IwarpProvider();
    private final SelfTestService service = new SelfTestService();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        provider.deactivate();
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private SelfTestListener listen() throws RdmaException {
        return service.listen(provider, anyPort(), told::add);
    }

    private SelfTestReport connect(InetSocketAddress remote, SelfTestOptions options) throws Exception {
        return service.connect(provider, remote, options, step -> {});
    }

    @Test
    void shouldTestAProviderAgainstItself() throws Exception {
        List<SelfTestStep> steps = new ArrayList<>();

        SelfTestReport report = service.loopback(provider, InetAddress.getLoopbackAddress(), FEW, steps::add);

        assertThat(report.steps())
                .isEqualTo(steps)
                .allMatch(step -> step.outcome() == Outcome.OK)
                .extracting(SelfTestStep::name)
                .containsExactly(
                        "Send",
                        "Send with Invalidate",
                        "RDMA Write",
                        "RDMA Read",
                        "local invalidate",
                        "access after invalidation",
                        "Send latency, 64 octets",
                        "RDMA Write bandwidth, 64 KiB",
                        "RDMA Write bandwidth, 1024 KiB",
                        "RDMA Read bandwidth, 64 KiB",
                        "RDMA Read bandwidth, 1024 KiB");
        assertThat(report.failures()).isZero();
        assertThat(report.steps().get(5).detail()).isEmpty(); // both refusals ended their connection with a cause
        assertThat(report.settings()).isNotEmpty();
    }

    @Test
    void shouldMeasureAsOftenAsIsAsked() throws Exception {
        SelfTestReport report = service.loopback(provider, InetAddress.getLoopbackAddress(), FEW, step -> {});

        assertThat(report.latencies()).singleElement().satisfies(latency -> {
            assertThat(latency.size()).isEqualTo(64);
            assertThat(latency.roundTrips()).isEqualTo(20);
            assertThat(latency.min()).isPositive().isLessThanOrEqualTo(latency.median());
            assertThat(latency.median()).isLessThanOrEqualTo(latency.p99());
        });
        assertThat(report.bandwidths())
                .allMatch(bandwidth -> bandwidth.transfers() == 20 && bandwidth.octetsPerSecond() > 0)
                .extracting(bandwidth -> bandwidth.operation() + " " + bandwidth.size())
                .containsExactly(
                        Operation.RDMA_WRITE + " 65536",
                        Operation.RDMA_WRITE + " 1048576",
                        Operation.RDMA_READ + " 65536",
                        Operation.RDMA_READ + " 1048576");
    }

    @Test
    void shouldMeasureForTheTimeGiven() throws Exception {
        SelfTestOptions brief = new SelfTestOptions(1, Duration.ofMillis(50), 0, TIMEOUT, Map.of());

        SelfTestReport report = service.loopback(provider, InetAddress.getLoopbackAddress(), brief, step -> {});

        assertThat(report.failures()).isZero();
        assertThat(report.latencies().get(0).roundTrips()).isPositive();
        assertThat(report.bandwidths()).allMatch(bandwidth -> bandwidth.transfers() > 0);
    }

    @Test
    void shouldTellTheListeningEndHowItWent() throws Exception {
        try (SelfTestListener listener = listen()) {
            SelfTestReport report = connect(listener.localAddress(), FEW);

            assertThat(report.failures()).isZero();
            assertThat(listener.await().outcome()).isEqualTo(Outcome.OK);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void shouldLeaveNoConnectionBehind() throws Exception {
        service.loopback(provider, InetAddress.getLoopbackAddress(), FEW, step -> {});

        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.contains("iwarp"));
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        SelfTestListener gone = listen();
        gone.close();

        assertRefused(Kind.REFUSED, () -> connect(gone.localAddress(), FEW), "127.0.0.1");
        assertThat(gone.await().outcome()).isEqualTo(Outcome.FAILED);
    }

    private static void assertRefused(Kind kind, ThrowingCallable call, String... texts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessageContainingAll(texts);
    }

    @Test
    void shouldSayThatWhatAnswersIsNoSelfTest() throws Exception {
        try (RdmaListener other = accepting("something else".getBytes(java.nio.charset.StandardCharsets.US_ASCII))) {
            assertRefused(
                    Kind.PROTOCOL, () -> connect(other.localAddress(), FEW), "is no listening end of a self-test");
        }
        try (RdmaListener other = provider.listen(anyPort(), Map.of(), request -> request.reject(new byte[0]))) {
            assertRefused(
                    Kind.REJECTED, () -> connect(other.localAddress(), FEW), "is no listening end of a self-test");
        }
    }

    /** Accepts with that private data, and then is silent. */
    private RdmaListener accepting(byte[] privateData) throws RdmaException {
        return provider.listen(anyPort(), Map.of(), request -> {
            try {
                Responder silent =
                        new Responder(new Responder.Listener() {
                            @Override
                            public void heard() {
                                told.add("heard");
                            }

                            @Override
                            public void ended(Responder responder, RdmaException cause) {
                                told.add("ended");
                            }
                        }) {
                            @Override
                            void onMessage(java.nio.ByteBuffer memory, int offset, Completion completion) {
                                told.add("message");
                            }
                        };
                silent.attach(request.open(OPTIONS, silent));
                silent.connection().accept(privateData, TIMEOUT);
            } catch (RdmaException e) {
                told.add("not accepted: " + e);
            }
        });
    }

    @Test
    void shouldSayThatTheOtherEndSpeaksAnotherVersion() throws Exception {
        try (RdmaListener other = provider.listen(
                anyPort(), Map.of(), request -> request.reject(new Greeting(7, Greeting.OTHER_VERSION, 0).encode()))) {
            assertRefused(Kind.REJECTED, () -> connect(other.localAddress(), FEW), "version 7", "not 1");
        }
    }

    @Test
    void shouldRejectWhatIsNoSelfTest() throws Exception {
        try (SelfTestListener listener = listen()) {
            assertRejects(listener, new byte[0], Greeting.OTHER_VERSION);
            assertThat(told.take()).contains("it is no self-test");
            assertRejects(listener, new byte[16], Greeting.OTHER_VERSION);
            assertThat(told.take()).contains("it is no self-test");
            assertRejects(listener, new Greeting(2, Greeting.MAIN, 0).encode(), Greeting.OTHER_VERSION);
            assertThat(told.take()).contains("it speaks version 2");
            assertRejects(listener, new Greeting(1, Greeting.SIDE, 0).encode(), Greeting.BUSY);
        }
    }

    private void assertRejects(SelfTestListener listener, byte[] privateData, int code) throws RdmaException {
        try (RdmaConnection connection = provider.open(listener.localAddress(), OPTIONS, new Silent(), TIMEOUT)) {
            assertThatThrownBy(() -> connection.connect(privateData, TIMEOUT))
                    .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(Greeting.decode(e.privateData())
                                    .orElseThrow()
                                    .code())
                            .isEqualTo(code));
        }
    }

    @Test
    void shouldServeOneTestAtATime() throws Exception {
        try (SelfTestListener listener = listen();
                Initiator first = main(listener)) {
            assertRefused(Kind.REJECTED, () -> connect(listener.localAddress(), FEW), "another test is under way");
            assertRejects(listener, new Greeting(1, Greeting.SIDE, first.session() + 1).encode(), Greeting.BUSY);
            assertThat(first.ask(Message.of(Message.Kind.ECHO)).length()).isEqualTo(Message.DONE);
        }
    }

    private Initiator main(SelfTestListener listener) throws RdmaException {
        return Initiator.connect(
                provider, listener.localAddress(), FEW, new Greeting(Greeting.VERSION, Greeting.MAIN, 0));
    }

    @Test
    void shouldBoundTheConnectionsOfATest() throws Exception {
        try (SelfTestListener listener = listen();
                Initiator main = main(listener)) {
            Greeting side = new Greeting(Greeting.VERSION, Greeting.SIDE, main.session());
            try (Initiator one = Initiator.connect(provider, listener.localAddress(), FEW, side);
                    Initiator two = Initiator.connect(provider, listener.localAddress(), FEW, side)) {
                assertThat(one.session()).isEqualTo(two.session());
                assertRejects(listener, side.encode(), Greeting.BUSY);
            }
        }
    }

    @Test
    void shouldSayThatTheOtherEndHasGone() throws Exception {
        try (SelfTestListener listener = listen()) {
            main(listener).close();

            SelfTestStep result = listener.await();
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.detail()).isEqualTo("not finished: the other end has closed the connection");
        }
    }

    @Test
    void shouldTellOfStepsThatFailedAtTheOtherEnd() throws Exception {
        try (SelfTestListener listener = listen()) {
            try (Initiator end = main(listener)) {
                end.ask(Message.of(Message.Kind.END, 3, 0));
            }

            assertThat(listener.await())
                    .isEqualTo(new SelfTestStep(
                            "test by the other end", Outcome.FAILED, "steps that have failed there: 3"));
        }
    }

    @Test
    void shouldEndWhenTheOtherEndIsSilent() throws Exception {
        try (RdmaListener other = accepting(new Greeting(1, Greeting.WELCOME, 0).encode())) {
            SelfTestReport report = connect(other.localAddress(), IMPATIENT);

            assertThat(report.steps().get(0).outcome()).isEqualTo(Outcome.FAILED);
            assertThat(report.steps().get(0).detail()).contains("no answer within");
            assertThat(report.steps().subList(1, report.steps().size()))
                    .allMatch(step -> step.outcome() == Outcome.SKIPPED)
                    .extracting(SelfTestStep::detail)
                    .containsOnly("the connection has ended");
        }
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo("message");
    }

    @Test
    void shouldFailTheStepInWhichTheOtherEndGoes() throws Exception {
        SelfTestListener listener = listen();
        List<SelfTestStep> steps = new ArrayList<>();

        service.connect(provider, listener.localAddress(), FEW, step -> {
            steps.add(step);
            if (step.name().equals("RDMA Write")) {
                listener.close();
            }
        });

        assertThat(steps.subList(0, 3)).allMatch(step -> step.outcome() == Outcome.OK);
        assertThat(steps.subList(3, steps.size())).noneMatch(step -> step.outcome() == Outcome.OK);
        assertThat(listener.await().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void shouldLeaveOutWhatTheOtherEndTakesNoPartIn() throws Exception {
        byte[] welcome = new Greeting(Greeting.VERSION, Greeting.WELCOME_WITHOUT_INVALIDATION, 1).encode();
        try (RdmaListener other = accepting(welcome)) {
            assertThat(connect(other.localAddress(), IMPATIENT).steps())
                    .contains(new SelfTestStep(
                            "Send with Invalidate", Outcome.SKIPPED, "not both ends take part in remote invalidation"));
        }
    }

    @Test
    void shouldEndTheConnectionOfAPeerThatSpeaksSomethingElse() throws Exception {
        List<Message> wrong = List.of(
                Message.of(Message.Kind.REPLY),
                Message.of(Message.Kind.COMPARE),
                Message.of(Message.Kind.INVALIDATE),
                Message.of(Message.Kind.OPEN_FOR_WRITE, Message.MAX_TRANSFER + 1, 0),
                Message.of(Message.Kind.OPEN_FOR_READ, -1, 0),
                Message.of(Message.Kind.READ, 0, 0),
                Message.of(Message.Kind.WRITE, Integer.MAX_VALUE, 0),
                Message.of(Message.Kind.PING_PONG, 0, 0),
                Message.of(Message.Kind.PING_PONG, SelfTestOptions.MAX_MESSAGE_SIZE + 1, 0));
        for (Message message : wrong) {
            try (SelfTestListener listener = listen();
                    Initiator end = main(listener)) {
                end.send(message);

                assertThat(listener.await().detail()).as("%s", message).startsWith("not finished: the other end has");
                assertThat(end.awaitEnd()).isTrue();
            }
        }
    }

    @Test
    void shouldEndTheConnectionOfAPeerThatSendsNoMessage() throws Exception {
        try (SelfTestListener listener = listen();
                Initiator end = main(listener)) {
            end.sendRaw((byte) 0, 31);

            assertThat(listener.await().detail()).contains("no message of the self-test");
        }
    }

    @Test
    void shouldEndAPingPongOfAnotherLength() throws Exception {
        try (SelfTestListener listener = listen();
                Initiator end = main(listener)) {
            end.ask(Message.of(Message.Kind.PING_PONG, 64, 0));
            end.sendRaw((byte) 0, 65);

            assertThat(listener.await().detail()).contains("65 octets in place of 64");
        }
    }

    @Test
    void shouldEndATestThatAProviderFailsToAccept() throws Exception {
        FailingProvider failing = new FailingProvider();
        try (SelfTestListener listener = service.listen(failing, anyPort(), told::add)) {
            failing.request();

            SelfTestStep result = listener.await();
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.detail()).contains("could not be accepted", "no memory for a queue");
        }
    }

    @Test
    void shouldEndWhenInterrupted() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        try (SelfTestListener listener = listen()) {
            Thread waiting = new Thread(() -> {
                try {
                    thrown.complete(new AssertionError("ended with " + listener.await()));
                } catch (InterruptedException e) {
                    thrown.complete(e);
                }
            });
            waiting.start();
            waiting.interrupt();
            assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        }
    }

    /** Has requests that cannot be opened, by a fault of its own. */
    private static final class FailingProvider implements RdmaProvider {
        private ConnectionAcceptor acceptor;

        void request() {
            acceptor.onConnectionRequest(new ConnectionRequest() {
                @Override
                public InetSocketAddress remoteAddress() {
                    return anyPort();
                }

                @Override
                public byte[] privateData() {
                    return new Greeting(Greeting.VERSION, Greeting.MAIN, 0).encode();
                }

                @Override
                public RdmaConnection open(ConnectionOptions options, ConnectionHandler handler) {
                    throw new IllegalStateException("no memory for a queue");
                }

                @Override
                public void reject(byte[] privateData) {
                    throw new AssertionError("rejected");
                }
            });
        }

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public List<RdmaDevice> devices() {
            return List.of();
        }

        @Override
        public boolean reaches(InetSocketAddress remote) {
            return true;
        }

        @Override
        public RdmaConnection open(
                InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout)
                throws RdmaException {
            throw new RdmaException(Kind.UNREACHABLE, "only listens");
        }

        @Override
        public RdmaListener listen(
                InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor newAcceptor) {
            acceptor = newAcceptor;
            return new RdmaListener() {
                @Override
                public InetSocketAddress localAddress() {
                    return local;
                }

                @Override
                public void close() {
                    acceptor = null;
                }
            };
        }
    }

    /** Is told of nothing that matters. */
    private static final class Silent implements ConnectionHandler {
        @Override
        public void onCompletions(Completion[] completions, int count) {
            // of receives flushed
        }

        @Override
        public void onDisconnected(RdmaException cause) {
            // as it has to
        }
    }
}
