package io.verbena.verbs.natives.internal.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.verbena.verbs.natives.internal.struct.PollSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class JnrPosixTest {
    private JnrPosix posix;

    @BeforeEach
    void load() throws NativeUnavailableException {
        posix = new JnrPosix(NativeLibraries.load(CLibrary.class, "libc.so.6"));
    }

    @Test
    void shouldPollTheDescriptorThatIsSignalled() throws NativeException {
        int first = posix.createEventFd();
        int second = posix.createEventFd();
        PollSet set = new PollSet(1);
        set.add(first);
        set.add(second);

        posix.poll(set, 0);
        assertThat(set.ready(0)).isFalse();
        assertThat(set.ready(1)).isFalse();
        posix.signal(second);
        posix.signal(second);
        posix.poll(set, -1);
        assertThat(set.ready(0)).isFalse();
        assertThat(set.ready(1)).isTrue();
        posix.clear(second);
        posix.clear(second);
        posix.poll(set, 0);
        assertThat(set.ready(1)).isFalse();

        posix.close(first);
        posix.close(second);
    }

    @Test
    void shouldReportADescriptorThatIsClosedAsReady() throws NativeException {
        int fd = posix.createEventFd();
        posix.close(fd);
        PollSet set = new PollSet(4);
        set.add(fd);

        posix.poll(set, 0);
        assertThat(set.ready(0)).isTrue();
    }

    @Test
    void shouldTellTheCallThatFailedAndWhy() {
        assertThatExceptionOfType(NativeException.class)
                .isThrownBy(() -> posix.close(-1))
                .withMessage("close failed: Bad file descriptor (errno 9)")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(9));
    }
}
