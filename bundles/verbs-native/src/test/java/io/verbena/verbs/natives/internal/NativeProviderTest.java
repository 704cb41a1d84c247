package io.verbena.verbs.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;

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
                new Natives(new FakeLibrary().as(Ibverbs.class), fake, posix), NativeSettings.DEFAULT);

        provider.deactivate();
        provider.deactivate();

        assertThat(cm.calls("releaseDevices")).isEqualTo(1);
        assertThat(cm.calls("destroyEventChannel")).isEqualTo(1);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("native-events");
        posix.close(fd);
    }
}
