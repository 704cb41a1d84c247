package io.verbena.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileTreeTest {
    @TempDir
    private Path folder;

    @Test
    void shouldTakeModesOfAPackageForThoseOfTheBuild() throws Exception {
        Path closed = Files.createDirectory(folder.resolve("closed"));
        Files.writeString(closed.resolve("plain"), "");
        Files.writeString(closed.resolve("program"), "");
        Files.setPosixFilePermissions(closed.resolve("plain"), PosixFilePermissions.fromString("rw-------"));
        Files.setPosixFilePermissions(closed.resolve("program"), PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        FileTree tree = new FileTree();
        tree.addAll("/usr/lib", folder);

        assertThat(tree.entries().get("/usr/lib/closed").mode()).isEqualTo(0755);
        assertThat(tree.entries().get("/usr/lib/closed/plain").mode()).isEqualTo(0644);
        assertThat(tree.entries().get("/usr/lib/closed/program").mode()).isEqualTo(0755);
    }

    @Test
    void shouldKeepLinksAndAddParents() throws Exception {
        Files.createSymbolicLink(folder.resolve("link"), Path.of("../elsewhere"));
        FileTree tree = new FileTree();
        tree.addAll("/a/b", folder);

        assertThat(tree.entries()).containsOnlyKeys("/a", "/a/b", "/a/b/link");
        assertThat(tree.entries().get("/a/b/link").target()).isEqualTo("../elsewhere");
    }

    @Test
    void shouldLeaveOutAFolderThatIsNotThere() throws Exception {
        FileTree tree = new FileTree();
        tree.addAll("/usr/share", folder.resolve("share"));

        assertThat(tree.entries()).isEmpty();
    }
}
