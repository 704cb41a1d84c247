package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.dirfd.internal.LocalPaths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of both implementations. */
abstract class DirectoryContract {
    @TempDir
    Path path;

    Directory directory;

    abstract Directory open(Path path) throws IOException;

    @BeforeEach
    void open() throws IOException {
        directory = open(path);
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    static byte[] name(String ascii) {
        return ascii.getBytes(StandardCharsets.ISO_8859_1);
    }

    static List<String> names(Directory directory) throws IOException {
        List<String> names = new ArrayList<>();
        directory.forEachName(name -> names.add(new String(name, StandardCharsets.ISO_8859_1)));
        return names;
    }

    /** Difficult names: each octet, ill-formed UTF-8, the longest one. */
    static List<byte[]> hardNames() {
        List<byte[]> names = new ArrayList<>();
        for (int octet = 1; octet < 256; octet++) {
            if (octet != '/' && octet != '.') {
                names.add(new byte[] {(byte) octet});
            }
        }
        names.add(name("caf\u00e9.txt"));
        names.add(name("\u00c0\u00af")); // an over-long encoding of a slash
        names.add(name("\u00ed\u00b2\u0080")); // a surrogate
        names.add(name("\u00f5\u0080\u0080\u0080"));
        names.add(name("..."));
        names.add(name("%41%2f"));
        names.add(name("\u00e9".repeat(255)));
        return names;
    }

    @Test
    void shouldKeepEveryOctetOfNames() throws Exception {
        List<String> expected = new ArrayList<>();
        for (byte[] name : hardNames()) {
            directory.createFile(name, 0600).close();
            expected.add(new String(name, StandardCharsets.ISO_8859_1));
        }
        assertThat(names(directory)).containsExactlyInAnyOrderElementsOf(expected);
        for (byte[] name : hardNames()) {
            assertThat(directory.status(name).isRegular()).isTrue();
            byte[] moved = name.clone();
            moved[0] = moved[0] == 'x' ? (byte) 'y' : (byte) 'x';
            Directory target = directory;
            directory.createDirectory(name("sub"), 0700);
            try (Directory sub = target.openDirectory(name("sub"))) {
                directory.rename(name, sub, moved);
                assertThat(sub.status(moved)).isNotNull();
                sub.remove(moved, false);
            }
            directory.remove(name("sub"), true);
        }
        assertThat(names(directory)).isEmpty();
    }

    @Test
    void shouldKeepTheOctetsOfDirectoriesAndTextsOfLinks() throws Exception {
        directory.createDirectory(name("dir\u00e9"), 0750);
        try (Directory inner = directory.openDirectory(name("dir\u00e9"))) {
            assertThat(inner.status().isSameObject(directory.status(name("dir\u00e9"))))
                    .isTrue();
            inner.createSymbolicLink(name("link\u00ff"), name("../caf\u00e9/\u0080"));
            try (FileReference link = inner.refer(name("link\u00ff"))) {
                assertThat(link.status().isSymbolicLink()).isTrue();
                assertThat(link.readLink()).isEqualTo(name("../caf\u00e9/\u0080"));
            }
            inner.createSymbolicLink(name("up"), name("/a"));
            try (FileReference link = inner.refer(name("up"))) {
                assertThat(link.readLink()).isEqualTo(name("/a"));
            }
        }
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
    void shouldRefuseWhatIsNotOneName() {
        for (String wrong : List.of("", ".", "..", "a/b", "/", "a\0b")) {
            assertThatThrownBy(() -> directory.status(name(wrong))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> directory.refer(name(wrong))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> directory.openDirectory(name(wrong))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> directory.createFile(name(wrong), 0600))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> directory.remove(name(wrong), false)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldSayWhatHasFailedByExceptions() throws Exception {
        directory.createDirectory(name("dir"), 0700);
        Files.writeString(path.resolve("dir/file"), "");
        Files.writeString(path.resolve("file"), "");
        assertThatThrownBy(() -> directory.refer(name("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.openDirectory(name("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.remove(name("none"), false)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.createFile(name("file"), 0600))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> directory.createDirectory(name("file"), 0700))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> directory.createSymbolicLink(name("file"), name("x")))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> directory.remove(name("dir"), true)).isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> directory.openDirectory(name("file"))).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> directory.remove(name("file"), true)).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> open(path.resolve("file"))).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> open(path.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.createFile(name("x".repeat(256)), 0600))
                .isInstanceOf(FileSystemException.class);
        try (FileReference file = directory.refer(name("file"));
                FileReference dir = directory.refer(name("dir"))) {
            assertThatThrownBy(file::readLink).isInstanceOf(NotLinkException.class);
            assertThatThrownBy(() -> directory.link(name("dir"), file)).isInstanceOf(FileAlreadyExistsException.class);
            assertThatThrownBy(() -> dir.open(false)).isInstanceOf(FileSystemException.class);
        }
    }

    @Test
    void shouldFollowNoSymbolicLink() throws Exception {
        Path outside = Files.createDirectory(path.resolve("outside"));
        Path secret = Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectory(path.resolve("in"));
        Files.createSymbolicLink(path.resolve("in/dir"), outside);
        Files.createSymbolicLink(path.resolve("in/file"), secret);
        FileTime modified = Files.getLastModifiedTime(secret);
        assertThatThrownBy(() -> open(path.resolve("in/dir"))).isInstanceOf(NotDirectoryException.class);
        try (Directory in = directory.openDirectory(name("in"))) {
            assertThatThrownBy(() -> in.openDirectory(name("dir"))).isInstanceOf(NotDirectoryException.class);
            assertThat(in.status(name("file")).isSymbolicLink()).isTrue();
            assertThatThrownBy(() -> in.createFile(name("file"), 0600)).isInstanceOf(FileAlreadyExistsException.class);
            try (FileReference link = in.refer(name("file"))) {
                assertThatThrownBy(() -> link.open(false)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> link.setMode(0777)).isInstanceOf(IOException.class);
                link.setTimes(null, FileTime.from(Instant.ofEpochSecond(1_000_000)));
                assertThat(link.status().modified()).isEqualTo(FileTime.from(Instant.ofEpochSecond(1_000_000)));
                in.link(name("again"), link);
            }
            assertThat(in.status(name("again")).isSymbolicLink()).isTrue();
            assertThat(in.status(name("again")).linkCount()).isEqualTo(2);
        }
        assertThat(Files.getLastModifiedTime(secret)).isEqualTo(modified);
        assertThat((int) Files.getAttribute(secret, "unix:mode") & 0777).isNotEqualTo(0777);
    }

    @Test
    void shouldReadAndWriteRegularFiles() throws Exception {
        try (FileReference made = directory.createFile(name("caf\u00e9"), 0640)) {
            try (FileChannel channel = made.open(true)) {
                channel.write(ByteBuffer.wrap(name("content")), 3);
            }
            try (FileChannel channel = made.open(false)) {
                ByteBuffer read = ByteBuffer.allocate(20);
                assertThat(channel.read(read, 3)).isEqualTo(7);
                assertThat(new String(read.array(), 0, 7, StandardCharsets.US_ASCII))
                        .isEqualTo("content");
                assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1), 0))
                        .isInstanceOf(java.nio.channels.NonWritableChannelException.class);
            }
            assertThat(made.status().size()).isEqualTo(10);
            assertThat(made.status().mode() & 07777).isEqualTo(0640);
        }
    }

    @Test
    void shouldSetModesOfFilesAndDirectories() throws Exception {
        Files.writeString(path.resolve("file"), "");
        directory.createDirectory(name("dir"), 0700);
        try (FileReference file = directory.refer(name("file"));
                FileReference dir = directory.refer(name("dir"))) {
            for (int mode : new int[] {0, 0777, 04755, 02711, 0644, 01000}) {
                file.setMode(mode);
                assertThat(file.status().mode() & 07777).isEqualTo(mode);
                dir.setMode(mode | 0700);
                assertThat(dir.status().mode() & 07777).isEqualTo(mode | 0700);
            }
        }
        directory.setMode(01770);
        assertThat(directory.status().mode() & 07777).isEqualTo(01770);
    }

    @Test
    void shouldSetTimesApart() throws Exception {
        Files.writeString(path.resolve("file"), "");
        FileTime first = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
        FileTime second = FileTime.from(Instant.parse("1965-02-03T04:05:06Z"));
        try (FileReference file = directory.refer(name("file"))) {
            file.setTimes(first, second);
            assertThat(file.status().accessed()).isEqualTo(first);
            assertThat(file.status().modified()).isEqualTo(second);
            file.setTimes(second, null);
            assertThat(file.status().accessed()).isEqualTo(second);
            assertThat(file.status().modified()).isEqualTo(second);
            file.setTimes(null, null);
            assertThat(file.status().modified()).isEqualTo(second);
        }
        directory.setTimes(first, second);
        assertThat(directory.status().modified()).isEqualTo(second);
    }

    @Test
    void shouldSetOwnersAlsoOfLinks() throws Exception {
        org.junit.jupiter.api.Assumptions.assumeTrue(
                Integer.valueOf(0).equals(Files.getAttribute(path, "unix:uid")), "only root gives files away");
        Path secret = Files.writeString(path.resolve("secret"), "");
        Files.createSymbolicLink(path.resolve("link"), secret);
        try (FileReference link = directory.refer(name("link"))) {
            link.setOwner(4711, 4712);
            assertThat(link.status().uid()).isEqualTo(4711);
            assertThat(link.status().gid()).isEqualTo(4712);
        }
        assertThat(Files.getAttribute(secret, "unix:uid")).isEqualTo(0);
        try (FileReference file = directory.refer(name("secret"))) {
            file.setOwner(null, 7);
            file.setOwner(1_000_000, null);
            assertThat(file.status().uid()).isEqualTo(1_000_000);
            assertThat(file.status().gid()).isEqualTo(7);
        }
    }

    @Test
    void shouldLinkAndReplace() throws Exception {
        Files.writeString(path.resolve("one"), "one");
        Files.writeString(path.resolve("two"), "two");
        try (FileReference one = directory.refer(name("one"))) {
            directory.link(name("three"), one);
            assertThat(directory.status(name("three")).isSameObject(one.status()))
                    .isTrue();
            assertThat(one.status().linkCount()).isEqualTo(2);
        }
        directory.rename(name("two"), directory, name("three"));
        assertThat(path.resolve("three")).hasContent("two");
        directory.sync();
        assertThat(names(directory)).containsExactlyInAnyOrder("one", "three");
    }

    @Test
    void shouldListLargeDirectoriesSideBySide() throws Exception {
        for (int i = 0; i < 3000; i++) {
            Files.createFile(path.resolve("a-rather-long-name-of-a-file-" + i));
        }
        List<String> inner = new ArrayList<>();
        List<byte[]> outer = new ArrayList<>();
        directory.forEachName(name -> {
            if (outer.size() == 1000) {
                inner.addAll(names(directory));
            }
            return outer.add(name);
        });
        assertThat(outer).hasSize(3000);
        assertThat(inner).hasSize(3000).doesNotHaveDuplicates();
        List<byte[]> some = new ArrayList<>();
        directory.forEachName(name -> some.add(name) && some.size() < 7);
        assertThat(some).hasSize(7);
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
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")));
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
    void shouldOpenAFileWithOptionsOfTheCaller() throws Exception {
        try (FileReference file = directory.createFile(name("file"), 0600)) {
            try (FileChannel channel = file.open(Set.of(StandardOpenOption.WRITE, StandardOpenOption.APPEND))) {
                channel.write(ByteBuffer.wrap(name("first ")));
            }
            Files.move(path.resolve("file"), path.resolve("other"));
            Files.move(path.resolve("other"), path.resolve("file"));
            try (FileChannel channel = file.open(Set.of(StandardOpenOption.APPEND))) {
                channel.write(ByteBuffer.wrap(name("second")));
            }
            assertThatThrownBy(() -> file.open(Set.of(StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)))
                    .isInstanceOf(IllegalArgumentException.class);
        }

        assertThat(path.resolve("file")).hasContent("first second");
    }

    @Test
    void shouldOpenWithOptionsNeitherDirectoriesNorLinks() throws Exception {
        Files.createFile(path.resolve("file"));
        Files.createSymbolicLink(path.resolve("link"), Path.of("file"));
        Files.createDirectory(path.resolve("dir"));

        for (String each : List.of("link", "dir")) {
            try (FileReference reference = directory.refer(name(each))) {
                assertThatThrownBy(() -> reference.open(Set.of(StandardOpenOption.READ)))
                        .isInstanceOf(FileSystemException.class);
            }
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
}
