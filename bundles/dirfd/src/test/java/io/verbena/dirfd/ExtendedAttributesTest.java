package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.dirfd.host.ExtendedAttributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ExtendedAttributesTest {
    @TempDir
    Path directory;

    private static List<String> names(Path file) throws IOException {
        // attributes that the host's policy gives every file
        return ExtendedAttributes.names(file).orElseThrow().stream()
                .filter(name -> !name.startsWith("security."))
                .sorted()
                .toList();
    }

    @Test
    void shouldListWhatAFileHas() throws Exception {
        Path file = Files.createFile(directory.resolve("é\t1"));
        assertThat(names(file)).isEmpty();
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        assumeThat(canHave(view)).isTrue();
        view.write("with é", ByteBuffer.allocate(3));
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);

        assertThat(names(file)).containsExactly("user.origin", "user.with é");
        assertThat(names(link)).containsExactly("user.origin", "user.with é");
        assertThat(names(directory)).isEmpty();
    }

    private static boolean canHave(UserDefinedFileAttributeView view) {
        try {
            view.write("origin", ByteBuffer.wrap(new byte[] {1}));
            return true;
        } catch (IOException | NullPointerException e) {
            return false;
        }
    }

    @Test
    void shouldFailWhereNothingIsThere() {
        assertThatThrownBy(() -> ExtendedAttributes.names(directory.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void shouldFindNoneWhereTheFileSystemHasNone() throws Exception {
        assertThat(names(Path.of("/proc/self"))).isEmpty();
    }
}
