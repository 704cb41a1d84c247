package io.verbena.nfs41.server.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IoErrorsTest {
    /** The JDK tells by the message alone what a read, a write or an fsync has failed with. */
    @ParameterizedTest
    @EnumSource(Errno.class)
    void shouldTellTheSameOfAnErrorByItsNumberAndByItsMessage(Errno errno) {
        Status byNumber = IoErrors.status(new ErrnoException("file", errno.number()));
        assertThat(IoErrors.status(new IOException(errno.text()))).isEqualTo(byNumber);
        assertThat(IoErrors.status(new FileSystemException("file", null, errno.text())))
                .isEqualTo(byNumber);
    }

    @ParameterizedTest
    @EnumSource(names = {"EMFILE", "ENFILE", "ENOMEM"})
    void shouldPutOffWhoComesWhileTheHostLacksSomething(Errno errno) {
        assertThat(IoErrors.status(new IOException(errno.text()))).isEqualTo(Status.NFS4ERR_DELAY);
    }
}
