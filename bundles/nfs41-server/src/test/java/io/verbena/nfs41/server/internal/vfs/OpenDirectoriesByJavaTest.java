package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.internal.nio.NioDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The same where native code cannot be called. */
class OpenDirectoriesByJavaTest extends OpenDirectoriesTest {
    @Override
    Directory openRoot(Path path) throws IOException {
        return NioDirectory.open(path);
    }

    @Test
    void shouldNotPromiseToKeepRemovedFiles() {
        assertThat(tree().keepsRemovedFiles()).isFalse();
    }
}
