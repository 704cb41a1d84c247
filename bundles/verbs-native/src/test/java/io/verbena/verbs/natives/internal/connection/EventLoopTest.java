package io.verbena.verbs.natives.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.natives.internal.library.CLibrary;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.JnrPosix;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.Posix;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The thread for events, with a device that is gone. */
final class EventLoopTest {
    private static final long GONE = 0x1000;

    @Test
    void shouldGoOnWithoutADeviceThatIsGone() throws Exception {
        Posix posix = new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6"));
        int channelFd = posix.createEventFd();
        int deviceFd = posix.createEventFd();
        posix.signal(deviceFd);
        FakeLibrary verbs = new FakeLibrary()
                .on("asyncFd", arguments -> deviceFd)
                .failing(
                        "takeAsyncEvent",
                        new NativeException("ibv_get_async_event", NativeConstants.EIO, "Input/output error"));
        CountDownLatch passedOn = new CountDownLatch(2);
        AtomicInteger left = new AtomicInteger(2);
        long[] token = new long[1];
        Rdmacm cm = new FakeLibrary()
                .on("eventChannelFd", arguments -> channelFd)
                .answering(
                        "takeEvent",
                        arguments -> left.getAndDecrement() > 0
                                ? new CmEvent(CmEvent.Type.ESTABLISHED, 1, token[0], 0, 0, ByteBuffer.allocate(0), 0, 0)
                                : null)
                .as(Rdmacm.class);
        EventLoop loop = new EventLoop(new NativeLibraries(verbs.as(Ibverbs.class), cm, posix));
        token[0] = loop.add(event -> passedOn.countDown());
        loop.watch(GONE);
        loop.watch(GONE);
        loop.start();

        assertThat(passedOn.await(10, TimeUnit.SECONDS)).isTrue();
        loop.close();
        assertThat(verbs.calls("takeAsyncEvent")).isEqualTo(1);
        assertThat(verbs.calls("asyncFd"))
                .as("of a device that is watched already")
                .isEqualTo(1);

        posix.close(channelFd);
        posix.close(deviceFd);
    }
}
