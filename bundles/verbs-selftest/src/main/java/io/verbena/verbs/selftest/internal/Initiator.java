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

/** The connecting end of a connection, for one thread that asks and waits. */
final class Initiator extends Endpoint implements AutoCloseable {
    /** No more comes unasked than one answer and one completion. */
    private static final int EVENTS = 16;

    /** What runs in the handler while something is measured, in place of the queue of events. */
    interface Measurement {
        /** A message has come, which begins with that octet. */
        void onMessage(byte first) throws RdmaException;

        /** A transfer is complete. */
        void onTransfer(Completion completion) throws RdmaException;

        /** The connection has ended. */
        void onEnd(RdmaException cause);
    }

    /** What the handler was told: an answer, or a completion of a transfer, or (neither) the end. */
    private record Event(Answer answer, Completion.Status transfer) {
        static final Event END = new Event(null, null);
    }

    /**
     * An answer of the other end.
     *
     * @param payload what followed it
     * @param invalidated whether it came by Send with Invalidate, of {@code invalidatedTag}
     */
    record Answer(Message message, ByteBuffer payload, boolean invalidated, int invalidatedTag) {}

    private final Duration timeout;
    private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(EVENTS);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Measurement measurement;
    private volatile RdmaException cause;
    private volatile Greeting greeting;

    private Initiator(Duration timeout) {
        this.timeout = timeout;
    }

    /** Connects to a listening end. */
    static Initiator connect(RdmaProvider provider, InetSocketAddress remote, SelfTestOptions options, Greeting request)
            throws RdmaException {
        Initiator end = new Initiator(options.timeout());
        RdmaConnection connection = provider.open(remote, options(options.provider()), end, options.timeout());
        try {
            end.attach(connection);
            end.greeting = greetings(remote, connection.connect(request.encode(), options.timeout()));
            return end;
        } catch (RdmaException e) {
            connection.close();
            throw e.kind() == Kind.REJECTED ? rejected(remote, e) : e;
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static Greeting greetings(InetSocketAddress remote, byte[] privateData) throws RdmaException {
        return Greeting.decode(privateData)
                .filter(Greeting::isWelcome)
                .orElseThrow(() -> protocol(remote + " answers, but is no listening end of a self-test"));
    }

    private static RdmaException rejected(InetSocketAddress remote, RdmaException rejection) {
        String reason = Greeting.decode(rejection.privateData())
                .map(greeting -> switch (greeting.code()) {
                    case Greeting.OTHER_VERSION ->
                        "it speaks version " + greeting.version() + " of the self-test, not " + Greeting.VERSION;
                    case Greeting.BUSY -> "another test is under way";
                    default -> "for a reason that is not known here, " + greeting.code();
                })
                .orElse("it is no listening end of a self-test");
        return new RdmaException(
                Kind.REJECTED, remote + " rejects the connection: " + reason, rejection, rejection.privateData());
    }

    /** The test that this connection belongs to. */
    long session() {
        return greeting.session();
    }

    /** Whether both ends take part in remote invalidation. */
    boolean remoteInvalidation() {
        return connection().remoteInvalidation() && greeting.code() == Greeting.WELCOME;
    }

    /** Asks, and waits for an answer that is a success. */
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
            events.add(event); // for whoever asks again
            throw end();
        }
        return event;
    }

    /** Why the connection has ended. */
    RdmaException end() {
        RdmaException why = failure() != null ? failure() : cause;
        return why != null ? why : new RdmaException(Kind.DISCONNECTED, "the other end has closed the connection");
    }

    /** Waits for the end of the connection, in time or not. */
    boolean awaitEnd() throws InterruptedException {
        return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** What the connection ended with, null where it did in order. */
    RdmaException cause() {
        return cause;
    }

    Duration timeout() {
        return timeout;
    }

    /** Has the handler's calls go there; null: to the queue again. */
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
        byte[] payload = new byte[in.remaining()]; // no longer than a slot
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
