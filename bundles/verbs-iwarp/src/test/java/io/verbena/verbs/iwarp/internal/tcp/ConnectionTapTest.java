package io.verbena.verbs.iwarp.internal.tcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.RdmaProviderContract;
import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What observers are told of connections in software. */
class ConnectionTapTest extends RdmaProviderContract {
    private static final int LARGE = 300_001;

    /** Keeps the octets of each end and direction, in the order of the reports. */
    private static final class Octets implements WireObserver {
        final Map<String, ByteArrayOutputStream> streams = new ConcurrentHashMap<>();
        final CountDownLatch ends = new CountDownLatch(2);

        @Override
        public void onFrame(WireConnection connection, boolean sent, List<ByteBuffer> frame) {
            ByteArrayOutputStream stream = streams.computeIfAbsent(
                    (connection.isInitiator() ? "initiator " : "responder ") + (sent ? "sent" : "received"),
                    key -> new ByteArrayOutputStream());
            for (ByteBuffer piece : frame) {
                byte[] octets = new byte[piece.remaining()];
                piece.get(octets);
                stream.writeBytes(octets);
            }
        }

        @Override
        public void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
            throw new AssertionError("frames are told");
        }

        @Override
        public void onEnd(WireConnection connection) {
            ends.countDown();
        }

        byte[] of(String end) {
            return streams.get(end).toByteArray();
        }
    }

    private IwarpProvider provider;

    @Override
    protected RdmaProvider createProvider() {
        provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
        return provider;
    }

    @Override
    protected void destroyProvider(RdmaProvider created) {
        ((IwarpProvider) created).deactivate();
    }

    private void exchange(Pair pair) throws Exception {
        MemoryRegion source = pair.client().connection().register(ByteBuffer.wrap(random(LARGE)), Access.REMOTE_READ);
        MemoryRegion sink = pair.server().connection().register(ByteBuffer.allocate(LARGE), Access.REMOTE_WRITE);
        pair.server().connection().postReceive(1, sink, 0, 100);
        pair.client().connection().postWrite(2, source, 0, LARGE, sink.steeringTag(), sink.remoteOffset(), 0);
        pair.client().connection().postSend(3, source, 7, 100, 0);
        pair.server().nextSuccess();
        MemoryRegion again = pair.server().connection().register(ByteBuffer.allocate(LARGE), Access.LOCAL);
        pair.server().connection().postRead(4, again, 0, LARGE, source.steeringTag(), source.remoteOffset(), 0);
        pair.server().nextSuccess();
    }

    @Test
    @DisplayName("both ends tell of the same octets, from the MPA request on")
    void shouldTellOfWholeStreams() throws Exception {
        Octets octets = new Octets();
        provider.addObserver(octets);
        Pair pair = connect();
        exchange(pair);
        pair.client().connection().close();
        pair.server().awaitDisconnected();
        pair.server().connection().close();

        assertThat(octets.ends.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(octets.of("initiator sent"))
                .hasSizeGreaterThan(2 * LARGE)
                .startsWith("MPA ID Req Frame".getBytes(US_ASCII));
        assertThat(octets.of("responder received")).isEqualTo(octets.of("initiator sent"));
        assertThat(octets.of("responder sent")).startsWith("MPA ID Rep Frame".getBytes(US_ASCII));
        assertThat(octets.of("initiator received")).isEqualTo(octets.of("responder sent"));
    }

    @Test
    void shouldTellOfConnectionsThatStandAndToNobodyAfterwards() throws Exception {
        Pair pair = connect();
        exchange(pair);
        Octets octets = new Octets();
        provider.addObserver(octets);
        exchange(pair);
        provider.removeObserver(octets);
        int told = octets.of("initiator sent").length;
        exchange(pair);

        assertThat(told).isBetween(2 * LARGE, 3 * LARGE);
        assertThat(octets.of("initiator sent")).hasSize(told).isEqualTo(octets.of("responder received"));
    }

    @Test
    void shouldCarryOnWithoutAnObserverThatFails() throws Exception {
        CountDownLatch calls = new CountDownLatch(1);
        provider.addObserver(new WireObserver() {
            @Override
            public void onFrame(WireConnection connection, boolean sent, List<ByteBuffer> frame) {
                calls.countDown();
                throw new IllegalStateException("an observer that fails");
            }

            @Override
            public void onMessage(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
                throw new AssertionError("frames are told");
            }

            @Override
            public void onEnd(WireConnection connection) {
                throw new AssertionError("it is told of nothing more");
            }
        });

        exchange(connect());

        assertThat(calls.getCount()).isZero();
        assertThat(provider.tap().isObserved()).isFalse();
    }
}
