package io.verbena.verbs.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a connection whose socket fails in the middle of it. */
class ReceiveLoopTest {
    /** Takes nothing, and closes the socket at the first attempt. */
    private record BreakingChannel(TimedChannel socket) implements GatheringByteChannel {
        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            socket.close();
            return 0;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            socket.close();
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
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            TimedChannel socket =
                    new TimedChannel(SocketChannel.open(server.getLocalAddress()), ProviderSettings.DEFAULT);
            RandomNumbers random = new RandomNumbers();
            RegionTable regions = new RegionTable(random);
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
            ReceiveQueue receives = new ReceiveQueue(1);
            ReceiveLoop loop =
                    new ReceiveLoop(socket, handler, regions, receives, false, () -> events.add("afterwards"));
            Transmitter transmitter = new Transmitter(
                    new SendQueue(1, 1),
                    new InboundReads(1),
                    new FpduWriter(ByteBuffer.allocateDirect(FpduWriter.STAGING), 1000, true, Traffic.UNOBSERVED),
                    new BreakingChannel(socket),
                    loop,
                    random);
            Inbound inbound = new Inbound(regions, receives, transmitter, loop);
            loop.use(
                    transmitter,
                    inbound,
                    new FpduReader(ByteBuffer.allocateDirect(FpduReader.STAGING), true, inbound, Traffic.UNOBSERVED));
            transmitter.control(Iwarp.WRITE);
            loop.close();
            loop.run();
            assertThat(events).containsExactly("ended, fenced", "afterwards");
        }
    }
}
