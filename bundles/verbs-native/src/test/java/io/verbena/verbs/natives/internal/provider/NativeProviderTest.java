package io.verbena.verbs.natives.internal.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.library.CLibrary;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.JnrPosix;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.Posix;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.settings.NativeSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A provider's life on a host without devices. */
final class NativeProviderTest {
    @Test
    void shouldGiveTheDevicesBackWhenItStops() throws Exception {
        FakeLibrary cm = new FakeLibrary();
        Posix posix = new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6"));
        int fd = posix.createEventFd();
        cm.on("eventChannelFd", arguments -> fd).on("devices", arguments -> 0);
        Rdmacm fake = cm.as(Rdmacm.class);
        NativeProvider provider = new NativeProvider(
                new NativeLibraries(new FakeLibrary().as(Ibverbs.class), fake, posix), NativeSettings.DEFAULT);

        provider.deactivate();
        provider.deactivate();

        assertThat(cm.calls("releaseDevices")).isEqualTo(1);
        assertThat(cm.calls("destroyEventChannel")).isEqualTo(1);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("native-events");
        posix.close(fd);
    }

    @Test
    void shouldBreakOffWhatIsUnderWayBeforeItLeavesTheLibrary() throws Exception {
        Posix posix = new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6"));
        int fd = posix.createEventFd();
        CountDownLatch resolving = new CountDownLatch(1);
        FakeLibrary cm = new FakeLibrary();
        AtomicInteger destroyedBeforeTheChannel = new AtomicInteger(-1);
        cm.on("eventChannelFd", arguments -> fd)
                .on("createId", arguments -> 7L)
                .on("devices", arguments -> 0)
                .on("resolveAddr", arguments -> {
                    resolving.countDown();
                    return 0;
                })
                .on("destroyEventChannel", arguments -> {
                    destroyedBeforeTheChannel.set(cm.calls("destroyId"));
                    return 0;
                });
        NativeProvider provider = new NativeProvider(
                new NativeLibraries(new FakeLibrary().as(Ibverbs.class), cm.as(Rdmacm.class), posix),
                NativeSettings.DEFAULT);
        ConnectionOptions options = new ConnectionOptions(1, 1, 1, 1, Map.of());
        InetSocketAddress remote = new InetSocketAddress("192.0.2.1", 20049);
        CompletableFuture<RdmaConnection> opening = CompletableFuture.supplyAsync(() -> {
            try {
                return provider.open(remote, options, null, Duration.ofMinutes(1));
            } catch (RdmaException e) {
                throw new CompletionException(e);
            }
        });
        assertThat(resolving.await(10, TimeUnit.SECONDS)).isTrue();

        provider.deactivate();

        assertThat(opening)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(RdmaException.class);
        assertThat(destroyedBeforeTheChannel).hasValue(1);
        assertThat(provider.devices()).isEmpty();
        assertThat(provider.reaches(remote)).isFalse();
        posix.close(fd);
    }
}
