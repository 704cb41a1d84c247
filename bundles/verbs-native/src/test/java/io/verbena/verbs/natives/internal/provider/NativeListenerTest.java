package io.verbena.verbs.natives.internal.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.library.CLibrary;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.JnrPosix;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.Posix;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.settings.NativeSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests to a listener, over a connection manager whose events a test triggers. */
final class NativeListenerTest {
    private static final long LISTENING = 100;
    private static final InetSocketAddress ADDRESS = new InetSocketAddress("192.0.2.1", 20049);

    private final FakeLibrary cm = new FakeLibrary();
    private final BlockingQueue<CmEvent> waiting = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> destroyed = new LinkedBlockingQueue<>();
    private final AtomicLong token = new AtomicLong();
    private Posix posix;
    private int channelFd;
    private NativeProvider provider;

    @BeforeEach
    void createProvider() throws Exception {
        posix = new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6"));
        channelFd = posix.createEventFd();
        cm.on("eventChannelFd", arguments -> channelFd)
                .on("createId", arguments -> {
                    token.set((long) arguments[1]);
                    return LISTENING;
                })
                .on("devices", arguments -> 0)
                .on("destroyId", arguments -> {
                    destroyed.add((long) arguments[0]);
                    return 0;
                })
                .answering("localAddress", arguments -> ADDRESS)
                .answering("remoteAddress", arguments -> ADDRESS)
                .answering("takeEvent", arguments -> {
                    posix.clear(channelFd);
                    return waiting.poll();
                });
        provider = new NativeProvider(
                new NativeLibraries(new FakeLibrary().as(Ibverbs.class), cm.as(Rdmacm.class), posix),
                new NativeSettings(0, 1, Set.of()));
    }

    @AfterEach
    void stop() throws Exception {
        provider.deactivate();
        posix.close(channelFd);
    }

    private void request(long id) throws NativeException {
        waiting.add(new CmEvent(CmEvent.Type.CONNECT_REQUEST, id, 0, token.get(), 0, ByteBuffer.allocate(0), 1, 1));
        posix.signal(channelFd);
    }

    private long nextDestroyed() throws InterruptedException {
        Long id = destroyed.poll(10, TimeUnit.SECONDS);
        assertThat(id).isNotNull();
        return id;
    }

    @Test
    void shouldHearTheNextAfterARequestThatThereWasNoMemoryFor() throws Exception {
        AtomicBoolean failed = new AtomicBoolean();
        cm.answering("remoteAddress", arguments -> {
            if (failed.compareAndSet(false, true)) {
                throw new OutOfMemoryError("no memory for a test");
            }
            return ADDRESS;
        });
        CountDownLatch heard = new CountDownLatch(1);
        provider.listen(ADDRESS, Map.of(), request -> heard.countDown());

        request(1);
        assertThat(nextDestroyed()).isEqualTo(1);
        request(2);

        assertThat(heard.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(nextDestroyed()).isEqualTo(2);
    }

    @Test
    void shouldLetANewcomerInForTheOldest() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        CountDownLatch goOn = new CountDownLatch(1);
        provider.listen(ADDRESS, Map.of(), request -> {
            events.add("request");
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        request(1);
        assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("request");
        request(2); // there may be one at once
        assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("request");
        request(3); // the acceptor still has both, aborted or not
        assertThat(nextDestroyed()).isEqualTo(3);
        goOn.countDown();
        assertThat(List.of(nextDestroyed(), nextDestroyed())).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void shouldNotListenWhereNoDeviceReaches() {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20049);
        cm.answering("devices", arguments -> new long[0]);
        assertThatThrownBy(() -> provider.listen(loopback, Map.of(), request -> {}))
                .isInstanceOf(RdmaException.class)
                .hasMessageStartingWith("cannot listen at 127.0.0.1:20049: no RDMA device reaches the loopback address")
                .hasMessageContaining("nfs:export --address");
        assertThat(cm.calls("listen")).isZero();
    }

    @Test
    void shouldKeepTheChannelForTheRequestThatStopsTheProvider() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        cm.on("releaseDevices", arguments -> {
            released.countDown();
            return 0;
        });
        BlockingQueue<Integer> channelsDestroyed = new LinkedBlockingQueue<>();
        provider.listen(ADDRESS, Map.of(), request -> {
            provider.deactivate();
            channelsDestroyed.add(cm.calls("destroyEventChannel"));
        });

        request(1);

        assertThat(channelsDestroyed.poll(10, TimeUnit.SECONDS)).isZero();
        assertThat(nextDestroyed()).isEqualTo(LISTENING);
        assertThat(nextDestroyed()).as("the request's").isEqualTo(1);
        assertThat(released.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(cm.calls("destroyEventChannel")).isEqualTo(1);
    }
}
