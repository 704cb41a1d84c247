package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.dirfd.internal.LocalPaths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of the implementations that reach the files of this host, which java.nio shows as well. */
abstract class HostDirectoryContract extends DirectoryContract {
    @TempDir
    Path path;

    abstract Directory open(Path path) throws IOException;

    @Override
    protected final Directory openEmpty() throws IOException {
        return open(path);
    }

    @Test
    void shouldTellWhatStatTells() throws Exception {
        Path file = Files.writeString(path.resolve("file"), "content");
        FileStatus status = directory.status(name("file"));
        assertThat(status.ino()).isEqualTo(Files.getAttribute(file, "unix:ino"));
        assertThat(status.device()).isEqualTo(Files.getAttribute(file, "unix:dev"));
        assertThat(status.mode()).isEqualTo(Files.getAttribute(file, "unix:mode"));
        assertThat(status.uid()).isEqualTo(Files.getAttribute(file, "unix:uid"));
        assertThat(status.gid()).isEqualTo(Files.getAttribute(file, "unix:gid"));
        assertThat(status.rdev()).isEqualTo(Files.getAttribute(file, "unix:rdev"));
        assertThat(status.linkCount()).isEqualTo(1);
        assertThat(status.size()).isEqualTo(7);
        assertThat(status.modified()).isEqualTo(Files.getLastModifiedTime(file));
        assertThat(status.changed()).isEqualTo(Files.getAttribute(file, "unix:ctime"));
        assertThat(directory.status(name("none"))).isNull();
        try (Directory devices = open(Path.of("/dev"))) {
            FileStatus device = devices.status(name("null"));
            assertThat(device.rdev()).isEqualTo(Files.getAttribute(Path.of("/dev/null"), "unix:rdev"));
        }
    }

    @Test
    void shouldOpenADirectoryWhoseNameIsNoText() throws Exception {
        Path odd = path.resolve(LocalPaths.name(name("dir\u00e9")));
        Files.createDirectory(odd);
        try (Directory opened = open(odd)) {
            opened.createFile(name("file"), 0600).close();
        }
        assertThat(Files.exists(odd.resolve("file"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    @Test
    void shouldLeaveNoDescriptorOpen() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")));
        Files.writeString(path.resolve("file"), "");
        directory.createDirectory(name("dir"), 0700);
        long before = descriptors();
        for (int i = 0; i < 200; i++) {
            directory.openDirectory(name("dir")).close();
            directory.refer(name("file")).close();
            names(directory);
            assertThatThrownBy(() -> directory.openDirectory(name("file"))).isInstanceOf(IOException.class);
            directory.createFile(name("made"), 0600).close();
            directory.remove(name("made"), false);
        }
        assertThat(descriptors()).isLessThan(before + 100);
    }

    private static long descriptors() throws IOException {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void shouldTellWhatMayBeWritten() throws Exception {
        try (FileReference file = directory.createFile(name("file"), 0600)) {
            assertThat(file.isWritable()).isTrue();
            file.setMode(0400);
            assertThat(file.isWritable()).isEqualTo(Files.isWritable(path.resolve("file")));
        }
    }

    @Test
    void shouldSetThePrincipalsOfTheHost() throws Exception {
        PosixFileAttributes own = Files.readAttributes(path, PosixFileAttributes.class);
        Files.createSymbolicLink(path.resolve("link"), Path.of("file"));
        try (FileReference file = directory.createFile(name("file"), 0600);
                FileReference link = directory.refer(name("link"))) {
            file.setPrincipals(own.owner(), own.group());

            assertThatThrownBy(() -> link.setPrincipals(own.owner(), own.group()))
                    .isInstanceOf(FileSystemException.class);
        }
        assertThat(Files.getOwner(path.resolve("file"))).isEqualTo(own.owner());
    }

    @Test
    void shouldListExtendedAttributesOfTheObjectItself() throws Exception {
        Path file = Files.createFile(path.resolve("file"));
        Files.createSymbolicLink(path.resolve("link"), Path.of("file"));
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        assumeTrue(view != null && Files.getFileStore(file).supportsFileAttributeView("user"), "no attributes here");
        view.write("origin", ByteBuffer.wrap(name("x")));

        try (FileReference reference = directory.refer(name("file"));
                FileReference link = directory.refer(name("link"))) {
            assertThat(reference.extendedAttributeNames()).contains("user.origin");
            assertThat(link.extendedAttributeNames()).doesNotContain("user.origin");
        }
    }

    @Test
    void shouldOpenNothingButDirectories() throws Exception {
        Files.writeString(path.resolve("file"), "");
        Path outside = Files.createDirectory(path.resolve("outside"));
        Files.createSymbolicLink(path.resolve("link"), outside);
        assertThatThrownBy(() -> open(path.resolve("file"))).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> open(path.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> open(path.resolve("link"))).isInstanceOf(NotDirectoryException.class);
    }
}
