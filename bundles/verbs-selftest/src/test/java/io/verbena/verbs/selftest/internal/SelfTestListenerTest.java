package io.verbena.verbs.selftest.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Completion;
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
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.SelfTestStep.Outcome;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The listening end: requests that it rejects, and the end of connections whose peer misbehaves. */
final class SelfTestListenerTest extends SelfTestFixture {
    @Test
    void shouldRejectWhatIsNoSelfTest() throws Exception {
        try (SelfTestListener listener = listen()) {
            assertRejects(listener, new byte[0], HandshakeData.OTHER_VERSION);
            assertThat(told.take()).contains("it is no self-test");
            assertRejects(listener, new byte[16], HandshakeData.OTHER_VERSION);
            assertThat(told.take()).contains("it is no self-test");
            assertRejects(listener, new HandshakeData(2, HandshakeData.MAIN, 0).encode(), HandshakeData.OTHER_VERSION);
            assertThat(told.take()).contains("it speaks version 2");
            assertRejects(listener, new HandshakeData(1, HandshakeData.SIDE, 0).encode(), HandshakeData.BUSY);
        }
    }

    private void assertRejects(SelfTestListener listener, byte[] privateData, int code) throws RdmaException {
        try (RdmaConnection connection = provider.open(listener.localAddress(), OPTIONS, new Silent(), TIMEOUT)) {
            assertThatThrownBy(() -> connection.connect(privateData, TIMEOUT))
                    .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(HandshakeData.decode(e.privateData())
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
            assertRejects(
                    listener,
                    new HandshakeData(1, HandshakeData.SIDE, first.session() + 1).encode(),
                    HandshakeData.BUSY);
            assertThat(first.ask(Message.of(Message.Kind.ECHO)).length()).isEqualTo(Message.DONE);
        }
    }

    private Initiator main(SelfTestListener listener) throws RdmaException {
        return Initiator.connect(
                provider,
                listener.localAddress(),
                FEW,
                new HandshakeData(HandshakeData.VERSION, HandshakeData.MAIN, 0));
    }

    @Test
    void shouldBoundTheConnectionsOfATest() throws Exception {
        try (SelfTestListener listener = listen();
                Initiator main = main(listener)) {
            HandshakeData side = new HandshakeData(HandshakeData.VERSION, HandshakeData.SIDE, main.session());
            try (Initiator one = Initiator.connect(provider, listener.localAddress(), FEW, side);
                    Initiator two = Initiator.connect(provider, listener.localAddress(), FEW, side)) {
                assertThat(one.session()).isEqualTo(two.session());
                assertRejects(listener, side.encode(), HandshakeData.BUSY);
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

    /** A faulty provider whose connection requests cannot be opened. */
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
                    return new HandshakeData(HandshakeData.VERSION, HandshakeData.MAIN, 0).encode();
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

    /** A handler that ignores all events. */
    private static final class Silent implements ConnectionHandler {
        @Override
        public void onCompletions(Completion[] completions, int count) {
            // flushed receives
        }

        @Override
        public void onDisconnected(RdmaException cause) {
            // the expected end
        }
    }
}
