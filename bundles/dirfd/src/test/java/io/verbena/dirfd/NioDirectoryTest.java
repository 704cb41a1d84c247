package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.internal.nio.NioDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

class NioDirectoryTest extends HostDirectoryContract {
    @Override
    Directory open(Path path) throws IOException {
        return NioDirectory.open(path);
    }

    /** Whoever may write to a directory above could lead the path to another directory while it is used. */
    @Test
    void shouldChangeNothingByAPathThatOthersCouldLeadElsewhere() throws Exception {
        Path shared = Files.createDirectory(path.resolve("shared"));
        Path below = Files.createDirectory(shared.resolve("below"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (Directory found = open(below);
                FileReference file = found.createFile(name("file"), 0644)) {
            assertRefused(() -> found.createDirectory(name("dir"), 0755));
            assertRefused(() -> found.createSymbolicLink(name("link"), name("text")));
            assertRefused(() -> found.link(name("second"), file));
            assertRefused(() -> file.setMode(04755));
            assertRefused(() -> found.setMode(02755));
            file.setMode(0600); // by the descriptor
            found.remove(name("file"), false);
            assertThat(names(found)).isEmpty();
            Files.setAttribute(shared, "unix:mode", 01777); // only owners replace what is theirs
            found.createDirectory(name("dir"), 0755);
            assertThat(names(found)).containsExactly("dir");
        }
    }

    private static void assertRefused(ThrowableAssert.ThrowingCallable change) {
        assertThatThrownBy(change).isInstanceOfSatisfying(ErrnoException.class, e -> assertThat(e.errno())
                .isEqualTo(Errno.EOPNOTSUPP));
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
