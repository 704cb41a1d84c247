package io.verbena.verbs.iwarp.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import io.verbena.verbs.iwarp.internal.stream.DdpSegmentReceiver;
import io.verbena.verbs.iwarp.internal.stream.FpduReader;
import io.verbena.verbs.iwarp.internal.stream.FpduWriter;
import io.verbena.verbs.iwarp.internal.stream.InboundReads;
import io.verbena.verbs.iwarp.internal.stream.OutboundQueue;
import io.verbena.verbs.iwarp.internal.stream.ReceiveRing;
import io.verbena.verbs.iwarp.internal.stream.Staging;
import io.verbena.verbs.iwarp.internal.stream.Transmitter;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.tcp.TimedChannel;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a connection whose socket fails meanwhile. */
class ReceiveLoopTest {
    /** Takes no octets, and fails at the first attempt. */
    private record BreakingChannel(TimedChannel socket, Consumer<TimedChannel> breaking)
            implements GatheringByteChannel {
        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            breaking.accept(socket);
            return 0;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            breaking.accept(socket);
            return 0;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    @Test
    void shouldFenceAndTellTheEndWhenTheRestCannotBeSent() throws Exception {
        requireFencedEnd(TimedChannel::close);
    }

    @Test
    @Timeout(60)
    void shouldFenceAndTellTheEndWhenSendingThrowsAnError() throws Exception {
        requireFencedEnd(socket -> {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
        });
    }

    private static void requireFencedEnd(Consumer<TimedChannel> breaking) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            TimedChannel socket = new TimedChannel(
                    new SystemRuntime(), SocketChannel.open(server.getLocalAddress()), IwarpSettings.DEFAULT);
            RandomNumbers random = new RandomNumbers(new SystemRuntime().random());
            RegionTable regions = new RegionTable(new SystemRuntime(), random);
            Region region = regions.add(List.of(ByteBuffer.allocate(1)), Access.REMOTE_WRITE);
            List<String> events = new ArrayList<>();
            ConnectionHandler handler = new ConnectionHandler() {
                @Override
                public void onCompletions(Completion[] completions, int count) {
                    events.add(count + " completions");
                }

                @Override
                public void onDisconnected(RdmaException cause) {
                    events.add(region.isValid() ? "ended, in reach" : "ended, fenced");
                }
            };
            ReceiveRing receives = new ReceiveRing(1);
            ReceiveLoop loop = new ReceiveLoop(
                    new SystemRuntime(),
                    socket,
                    handler,
                    regions,
                    receives,
                    false,
                    Duration.ofSeconds(30),
                    new PollPhase(new SystemRuntime(), 0),
                    () -> events.add("afterwards"));
            Transmitter transmitter = new Transmitter(
                    new SystemRuntime(),
                    new OutboundQueue(1, 1),
                    new InboundReads(1),
                    new FpduWriter(
                            Staging.of(ByteBuffer.allocateDirect(FpduWriter.STAGING)),
                            1000,
                            true,
                            ConnectionTap.UNOBSERVED),
                    new BreakingChannel(socket, breaking),
                    loop,
                    random);
            DdpSegmentReceiver segments = new DdpSegmentReceiver(regions, receives, transmitter, loop);
            loop.use(
                    transmitter,
                    segments,
                    new FpduReader(
                            Staging.of(ByteBuffer.allocateDirect(FpduReader.STAGING)),
                            true,
                            segments,
                            ConnectionTap.UNOBSERVED));
            transmitter.control(Iwarp.WRITE);
            loop.close();
            loop.run();
            assertThat(events).containsExactly("ended, fenced", "afterwards");
        }
    }
}
