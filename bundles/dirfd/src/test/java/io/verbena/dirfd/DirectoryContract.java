package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of every implementation, whatever holds its files. */
public abstract class DirectoryContract {
    protected Directory directory;

    /** Opens an empty directory that the next test may fill. */
    protected abstract Directory openEmpty() throws IOException;

    @BeforeEach
    void open() throws IOException {
        directory = openEmpty();
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    protected static byte[] name(String ascii) {
        return ascii.getBytes(StandardCharsets.ISO_8859_1);
    }

    protected static List<String> names(Directory directory) throws IOException {
        List<String> names = new ArrayList<>();
        directory.forEachName(name -> names.add(new String(name, StandardCharsets.ISO_8859_1)));
        return names;
    }

    /** Makes a file with a content. */
    protected static void write(Directory directory, String name, String content) throws IOException {
        try (FileReference made = directory.createFile(name(name), 0644);
                FileChannel channel = made.open(true)) {
            channel.write(ByteBuffer.wrap(name(content)));
        }
    }

    /** The content of a small file. */
    protected static String read(Directory directory, String name) throws IOException {
        try (FileReference file = directory.refer(name(name));
                FileChannel channel = file.open(false)) {
            ByteBuffer content = ByteBuffer.allocate(1000);
            channel.read(content);
            return new String(content.array(), 0, content.position(), StandardCharsets.ISO_8859_1);
        }
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
        try (Directory dir = directory.openDirectory(name("dir"))) {
            write(dir, "file", "");
        }
        write(directory, "file", "");
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
        directory.createDirectory(name("outside"), 0700);
        directory.createDirectory(name("in"), 0700);
        try (Directory outside = directory.openDirectory(name("outside"));
                Directory in = directory.openDirectory(name("in"))) {
            write(outside, "secret", "secret");
            FileStatus secret = outside.status(name("secret"));
            in.createSymbolicLink(name("dir"), name("../outside"));
            in.createSymbolicLink(name("file"), name("../outside/secret"));
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
            assertThat(outside.status(name("secret")).modified()).isEqualTo(secret.modified());
            assertThat(outside.status(name("secret")).mode()).isEqualTo(secret.mode());
        }
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
        write(directory, "file", "");
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
        write(directory, "file", "");
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
        assumeTrue(directory.status().uid() == 0, "only root gives files away");
        write(directory, "secret", "");
        directory.createSymbolicLink(name("link"), name("secret"));
        try (FileReference link = directory.refer(name("link"))) {
            link.setOwner(4711, 4712);
            assertThat(link.status().uid()).isEqualTo(4711);
            assertThat(link.status().gid()).isEqualTo(4712);
        }
        assertThat(directory.status(name("secret")).uid()).isZero();
        try (FileReference file = directory.refer(name("secret"))) {
            file.setOwner(null, 7);
            file.setOwner(1_000_000, null);
            assertThat(file.status().uid()).isEqualTo(1_000_000);
            assertThat(file.status().gid()).isEqualTo(7);
        }
    }

    @Test
    void shouldLinkAndReplace() throws Exception {
        write(directory, "one", "one");
        write(directory, "two", "two");
        try (FileReference one = directory.refer(name("one"))) {
            directory.link(name("three"), one);
            assertThat(directory.status(name("three")).isSameObject(one.status()))
                    .isTrue();
            assertThat(one.status().linkCount()).isEqualTo(2);
        }
        directory.rename(name("two"), directory, name("three"));
        assertThat(read(directory, "three")).isEqualTo("two");
        directory.sync();
        assertThat(names(directory)).containsExactlyInAnyOrder("one", "three");
    }

    @Test
    void shouldListLargeDirectoriesSideBySide() throws Exception {
        for (int i = 0; i < 3000; i++) {
            directory
                    .createFile(name("a-rather-long-name-of-a-file-" + i), 0600)
                    .close();
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
    void shouldOpenAFileWithOptionsOfTheCaller() throws Exception {
        try (FileReference file = directory.createFile(name("file"), 0600)) {
            try (FileChannel channel = file.open(Set.of(StandardOpenOption.WRITE, StandardOpenOption.APPEND))) {
                channel.write(ByteBuffer.wrap(name("first ")));
            }
            directory.rename(name("file"), directory, name("other"));
            directory.rename(name("other"), directory, name("file"));
            try (FileChannel channel = file.open(Set.of(StandardOpenOption.APPEND))) {
                channel.write(ByteBuffer.wrap(name("second")));
            }
            assertThatThrownBy(() -> file.open(Set.of(StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)))
                    .isInstanceOf(IllegalArgumentException.class);
        }

        assertThat(read(directory, "file")).isEqualTo("first second");
    }

    @Test
    void shouldOpenWithOptionsNeitherDirectoriesNorLinks() throws Exception {
        write(directory, "file", "");
        directory.createSymbolicLink(name("link"), name("file"));
        directory.createDirectory(name("dir"), 0700);

        for (String each : List.of("link", "dir")) {
            try (FileReference reference = directory.refer(name(each))) {
                assertThatThrownBy(() -> reference.open(Set.of(StandardOpenOption.READ)))
                        .isInstanceOf(FileSystemException.class);
            }
        }
    }

    @Test
    void shouldTellTheSpace() throws IOException {
        FileSystemSpace space = directory.space();
        assertThat(space.available()).isPositive().isLessThanOrEqualTo(space.free());
        assertThat(space.free()).isLessThanOrEqualTo(space.total());
        assertThat(space.availableFiles()).isLessThanOrEqualTo(space.freeFiles());
        assertThat(space.freeFiles()).isLessThanOrEqualTo(space.files());
    }
}
