package io.verbena.verbs.natives.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.natives.internal.connection.ConnectionState;
import io.verbena.verbs.natives.internal.connection.RequestPoster;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.memory.NativeRegion;
import io.verbena.verbs.natives.internal.struct.ReceiveRequests;
import io.verbena.verbs.natives.internal.struct.SendRequests;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What observers are told of a device's connections: what is posted, and what is completed. */
public class ConnectionTapTest {
    /** Of what no observer learns. */
    public static final ConnectionTap UNOBSERVED =
            new ConnectionTap(new WireTap((observer, failure) -> {}), "", new InetSocketAddress(0), true);

    private final List<String> told = new ArrayList<>();
    private final WireTap wireTap = new WireTap((observer, failure) -> told.add("failed: " + failure));
    private final InetSocketAddress local = new InetSocketAddress("192.0.2.1", 50_000);
    private final ConnectionTap tap =
            new ConnectionTap(wireTap, "rxe0", new InetSocketAddress("192.0.2.2", 20_049), true);
    private final Ibverbs verbs = new FakeLibrary().as(Ibverbs.class);
    private final Completion[] completions = {new Completion(), new Completion(), new Completion(), new Completion()};
    private final SendQueue sends =
            new SendQueue(verbs, 1, 2, 4, 1, 0, new SendRequests(4, 0), () -> false, e -> {}, tap);
    private final ReceiveQueue receives = new ReceiveQueue(verbs, 1, 4, new ReceiveRequests(1, 0), tap);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(64);
    private final NativeRegion region = new NativeRegion(null, memory, Access.LOCAL, 0x1000, 0x1000, 64, true);

    /** Notes what it is told. */
    private class Notes implements WireObserver {
        @Override
        public void onFrame(WireConnection connection, boolean sent, List<ByteBuffer> frame) {
            throw new AssertionError("messages are told");
        }

        @Override
        public void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
            told.add((sent ? "> " : "< ") + message.kind() + " " + message.tag() + " " + message.offset() + " "
                    + message.length() + " " + message.number() + " '"
                    + StandardCharsets.US_ASCII.decode(data) + "'");
        }

        @Override
        public void onEnd(WireConnection connection) {
            told.add("end of " + connection);
        }
    }

    @BeforeEach
    void open() {
        sends.open(1);
        memory.put("0123456789".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void shouldTellOfPrivateDataFirstAndOfTheEndLast() {
        wireTap.add(new Notes());
        tap.connected(local, new byte[] {'a'}, new byte[] {'b', 'c'});
        tap.ended();
        tap.ended();

        assertThat(told)
                .containsExactly(
                        "> CONNECT_REQUEST 0 0 1 0 'a'",
                        "< CONNECT_REPLY 0 0 2 0 'bc'",
                        "end of native /192.0.2.1:50000 to /192.0.2.2:20049");
    }

    @Test
    void shouldTellOfReadsWhenTheyAreAskedForAndOfTheirDataWhenItIsThere() throws Exception {
        wireTap.add(new Notes());
        sends.read(1, 0x1000, 4, 0, 7, 8, 0, 0, region.view(2, 4));
        assertThat(told).containsExactly("> READ_REQUEST 7 8 4 0 ''");
        memory.put(2, (byte) '*');
        sends.complete(0, Status.SUCCESS);
        sends.drain(completions, false);

        assertThat(told).hasSize(2).contains("< READ_RESPONSE 0 0 4 0 '*345'");
    }

    @Test
    void shouldTellOfReceivesThatWerePostedBefore() throws Exception {
        receives.post(1, 0x1000, 20, 0, region, 0);
        receives.post(2, 0x1000, 20, 0, region, 4);
        memory.clear().limit(1); // the user's positions do not matter
        wireTap.add(new Notes());
        receives.complete(ReceiveQueue.RECEIVE, Status.SUCCESS, 3);
        receives.invalidated(ReceiveQueue.RECEIVE | 1, 99);
        receives.complete(ReceiveQueue.RECEIVE | 1, Status.SUCCESS, 2);
        receives.drain(completions, false);

        assertThat(told).containsExactly("< SEND 0 0 3 0 '012'", "< SEND_WITH_INVALIDATE 99 0 2 0 '45'");
    }

    @Test
    void shouldHoldTheQueueForAPostThatIsAcceptedOnly() throws Exception {
        for (int i = 0; i < 4; i++) {
            sends.send(i, 0, 0, 10, 0, 0);
        }
        assertThatThrownBy(() -> sends.hold(Completion.Operation.SEND))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(RdmaException.Kind.QUEUE_FULL));
        sends.complete(3, Status.SUCCESS);
        sends.drain(completions, false);
        sends.hold(Completion.Operation.SEND);
        sends.release();

        assertThatThrownBy(sends::release).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void shouldHoldTheQueueNoLongerWhenAnObserverDies() throws Exception {
        wireTap.add(new Notes() {
            @Override
            public void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
                throw new OutOfMemoryError("of the test");
            }
        });
        RequestPoster posts =
                new RequestPoster(false, new ConnectionState(null, null, null), sends, receives, null, tap);

        posts.send(1, region, 0, 3, 0);

        assertThat(wireTap.isObserved()).isFalse();
        assertThatThrownBy(sends::release).isInstanceOf(IllegalMonitorStateException.class);
    }
}
