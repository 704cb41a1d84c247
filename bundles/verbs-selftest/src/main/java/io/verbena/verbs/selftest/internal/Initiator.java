package io.verbena.verbs.selftest.internal;

import static io.verbena.verbs.selftest.internal.Message.protocol;

import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTestOptions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The connecting end of a connection. One thread sends requests and waits for the answers. */
final class Initiator extends Endpoint implements AutoCloseable {
    /** The capacity of the queue; at most one answer and one completion are outstanding. */
    private static final int EVENTS = 16;

    /** Receives the handler's events during a measurement, in place of the queue. */
    interface Measurement {
        /** A message that begins with this octet was received. */
        void onMessage(byte first) throws RdmaException;

        /** A transfer has completed. */
        void onTransfer(Completion completion) throws RdmaException;

        /** The connection has ended. */
        void onEnd(RdmaException cause);
    }

    /** An event of the handler: an answer, or the completion of a transfer, or, with neither, the end. */
    private record Event(Answer answer, Completion.Status transfer) {
        static final Event END = new Event(null, null);
    }

    /**
     * An answer of the other end.
     *
     * @param payload the octets that follow the message
     * @param invalidated whether the answer was sent with Send with Invalidate, of {@code invalidatedTag}
     */
    record Answer(Message message, ByteBuffer payload, boolean invalidated, int invalidatedTag) {}

    private final Duration timeout;
    private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(EVENTS);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Measurement measurement;
    private volatile RdmaException cause;
    private volatile HandshakeData handshake;

    private Initiator(Duration timeout) {
        this.timeout = timeout;
    }

    /** Connects to a listening end. */
    static Initiator connect(
            RdmaProvider provider, InetSocketAddress remote, SelfTestOptions options, HandshakeData request)
            throws RdmaException {
        Initiator end = new Initiator(options.timeout());
        RdmaConnection connection = provider.open(remote, options(options.provider()), end, options.timeout());
        try {
            end.attach(connection);
            end.handshake = greetings(remote, connection.connect(request.encode(), options.timeout()));
            return end;
        } catch (RdmaException e) {
            connection.close();
            throw e.kind() == Kind.REJECTED ? rejected(remote, e) : e;
        } catch (Throwable e) {
            connection.close();
            throw e;
        }
    }

    private static HandshakeData greetings(InetSocketAddress remote, byte[] privateData) throws RdmaException {
        return HandshakeData.decode(privateData)
                .filter(HandshakeData::isWelcome)
                .orElseThrow(() -> protocol(remote + " answers, but is no listening end of a self-test"));
    }

    private static RdmaException rejected(InetSocketAddress remote, RdmaException rejection) {
        String reason = HandshakeData.decode(rejection.privateData())
                .map(handshake -> switch (handshake.code()) {
                    case HandshakeData.OTHER_VERSION ->
                        "it speaks version " + handshake.version() + " of the self-test, not " + HandshakeData.VERSION;
                    case HandshakeData.BUSY -> "another test is under way";
                    default -> "for a reason that is not known here, " + handshake.code();
                })
                .orElse("it is no listening end of a self-test");
        return new RdmaException(
                Kind.REJECTED, remote + " rejects the connection: " + reason, rejection, rejection.privateData());
    }

    /** The test that this connection belongs to. */
    long session() {
        return handshake.session();
    }

    /** Whether both ends support remote invalidation. */
    boolean remoteInvalidation() {
        return connection().remoteInvalidation() && handshake.code() == HandshakeData.WELCOME;
    }

    /** Sends a request and waits for its answer, which has to be a success. */
    Message ask(Message question) throws RdmaException, InterruptedException {
        send(question);
        return success(answer());
    }

    static Message success(Answer answer) throws RdmaException {
        if (answer.message().length() != Message.DONE) {
            throw new StepFailure(answer.message().problem());
        }
        return answer.message();
    }

    /** Waits for an answer. */
    Answer answer() throws RdmaException, InterruptedException {
        Event event = next("no answer");
        if (event.answer() == null) {
            throw protocol("a transfer completed that was not asked for");
        }
        return event.answer();
    }

    /** Waits for the completion of a transfer. */
    Completion.Status transfer() throws RdmaException, InterruptedException {
        Event event = next("no completion");
        if (event.transfer() == null) {
            throw protocol("the other end has sent an answer that was not asked for");
        }
        return event.transfer();
    }

    private Event next(String what) throws RdmaException, InterruptedException {
        Event event = events.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (event == null) {
            throw new RdmaException(Kind.TIMED_OUT, what + " within " + timeout.toSeconds() + " s");
        }
        if (event.equals(Event.END)) {
            events.add(event); // for the next call
            throw end();
        }
        return event;
    }

    /** Why the connection has ended. */
    RdmaException end() {
        RdmaException why = failure() != null ? failure() : cause;
        return why != null ? why : new RdmaException(Kind.DISCONNECTED, "the other end has closed the connection");
    }

    /** Waits for the end of the connection. Returns whether it came in time. */
    boolean awaitEnd() throws InterruptedException {
        return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The cause of the connection's end, null after an orderly end. */
    RdmaException cause() {
        return cause;
    }

    Duration timeout() {
        return timeout;
    }

    /** Directs the handler's events to a measurement; null directs them to the queue again. */
    void measure(Measurement newMeasurement) {
        measurement = newMeasurement;
        if (newMeasurement != null && ended.getCount() == 0) {
            newMeasurement.onEnd(end());
        }
    }

    @Override
    void onMessage(ByteBuffer memory, int offset, Completion completion) throws RdmaException {
        Measurement measuring = measurement;
        if (measuring != null) {
            if (completion.length() < 1) {
                throw protocol("the other end has sent an empty message");
            }
            measuring.onMessage(memory.get(offset));
            return;
        }
        ByteBuffer in = view(memory, offset, completion.length());
        Message message = Message.decode(in);
        if (message.kind() != Message.Kind.REPLY) {
            throw protocol("the other end has sent a " + message.kind() + " in place of an answer");
        }
        byte[] payload = new byte[in.remaining()]; // at most the size of a slot
        in.get(payload);
        Answer answer =
                new Answer(message, ByteBuffer.wrap(payload), completion.invalidated(), completion.invalidatedTag());
        if (!events.offer(new Event(answer, null))) {
            throw protocol("the other end sends what was not asked for");
        }
    }

    @Override
    void onTransfer(Completion completion) throws RdmaException {
        Measurement measuring = measurement;
        if (measuring != null) {
            measuring.onTransfer(completion);
        } else if (!events.offer(new Event(null, completion.status()))) {
            throw protocol("more completions than transfers");
        }
    }

    @Override
    public void onDisconnected(RdmaException newCause) {
        cause = newCause;
        ended.countDown();
        if (!events.offer(Event.END)) {
            events.clear();
            events.add(Event.END);
        }
        Measurement measuring = measurement;
        if (measuring != null) {
            measuring.onEnd(end());
        }
    }

    @Override
    public void close() {
        connection().close();
    }
}
