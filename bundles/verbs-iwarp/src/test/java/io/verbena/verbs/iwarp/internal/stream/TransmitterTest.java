package io.verbena.verbs.iwarp.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.tcp.ConnectionTap;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the receive thread posts, and when it is sent. */
class TransmitterTest {
    private static final int SMALL = 100;
    private static final int BULK = 128 << 10;

    private final Runtime system = new SystemRuntime();
    private final RandomNumbers random = new RandomNumbers(system.random());
    private final RegionTable regions = new RegionTable(system, random);
    private Region memory;
    private long nanos;
    private boolean onReceiveThread = true;

    /** The octets that were written. */
    private long written;

    private int writes;

    private final Transmitter transmitter = new Transmitter(
            clock(),
            new OutboundQueue(16, 1),
            new InboundReads(1),
            new FpduWriter(
                    Staging.of(ByteBuffer.allocateDirect(FpduWriter.STAGING)), 65_000, true, ConnectionTap.UNOBSERVED),
            new Sink(),
            new Receiver(),
            random);

    private final class Sink implements GatheringByteChannel {
        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            long before = written;
            for (int i = offset; i < offset + length; i++) {
                written += sources[i].remaining();
                sources[i].position(sources[i].limit());
            }
            writes++;
            return written - before;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            return (int) write(new ByteBuffer[] {source});
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private final class Receiver implements Transmitter.Wakeup {
        @Override
        public void wakeup() {
            assertThat(onReceiveThread).isFalse();
        }

        @Override
        public void writeFailed(IOException cause) {
            throw new AssertionError(cause);
        }

        @Override
        public boolean isReceiveThread() {
            return onReceiveThread;
        }
    }

    /** The runtime of the system with a clock that the test moves. */
    private Runtime clock() {
        return (Runtime) Proxy.newProxyInstance(
                Runtime.class.getClassLoader(),
                new Class<?>[] {Runtime.class},
                (proxy, method, arguments) ->
                        method.getName().equals("nanoTime") ? (Object) nanos : method.invoke(system, arguments));
    }

    @BeforeEach
    void open() throws RdmaException {
        memory = regions.add(List.of(ByteBuffer.allocateDirect(BULK)), Access.LOCAL);
        transmitter.open();
    }

    private void post(int length, int flags) throws RdmaException {
        transmitter.post(1, Iwarp.SEND, memory, 0, length, 0, 0, flags);
    }

    @Test
    void shouldGatherWhatTheReceiveThreadPostsInOneWrite() throws RdmaException {
        post(SMALL, 0);
        post(SMALL, 0);
        assertThat(writes).isZero();
        transmitter.flush();
        assertThat(writes).isOne();
        assertThat(written).isGreaterThan(2 * SMALL);
    }

    /** Both ends would work in turn else: the peer would wait until all that was received is handled. */
    @Test
    void shouldSendWhatWasGatheredForLongBeforeMoreIsHandled() throws RdmaException {
        post(SMALL, 0);
        nanos += TimeUnit.MICROSECONDS.toNanos(19);
        post(SMALL, 0);
        assertThat(writes).isZero();
        nanos += TimeUnit.MICROSECONDS.toNanos(1);
        post(SMALL, RdmaConnection.MORE);
        assertThat(writes).isZero();
        post(SMALL, 0);
        assertThat(writes).isOne();
        post(SMALL, 0);
        assertThat(writes).as("the time counts from the first post that waits").isOne();
    }

    @Test
    void shouldSendMuchAtOnce() throws RdmaException {
        post(BULK, RdmaConnection.MORE);
        assertThat(writes).isZero();
        post(SMALL, 0);
        assertThat(written).isGreaterThan(BULK + SMALL);
    }

    @Test
    void shouldSendAtOnceWhatAnotherThreadPosts() throws RdmaException {
        onReceiveThread = false;
        post(SMALL, 0);
        assertThat(writes).isOne();
    }
}
