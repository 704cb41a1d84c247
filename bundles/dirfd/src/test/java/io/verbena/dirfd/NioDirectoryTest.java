package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.internal.nio.NioDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NioDirectoryTest extends DirectoryContract {
    @Override
    Directory open(Path path) throws IOException {
        return NioDirectory.open(path);
    }

    @Test
    void shouldRefuseTheTextOfALinkThatJavaWouldChange() throws Exception {
        assertThatThrownBy(() -> directory.createSymbolicLink(name("link"), name("a//b")))
                .isInstanceOf(ErrnoException.class);
        assertThatThrownBy(() -> directory.createSymbolicLink(name("link"), name("a/")))
                .isInstanceOf(ErrnoException.class);
        assertThat(names(directory)).isEmpty();
    }
}
