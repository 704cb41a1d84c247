package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.dirfd.host.Directories;
import io.verbena.dirfd.internal.LocalPaths;
import io.verbena.dirfd.internal.linux.LinuxDirectories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Features that only descriptors offer. */
@EnabledOnOs(OS.LINUX)
class LinuxDirectoryTest extends HostDirectoryContract {
    private static final int S_IFIFO = 0x1000;
    private static final int S_IFCHR = 0x2000;
    private static final int S_IFSOCK = 0xc000;

    @Override
    Directory open(Path path) throws IOException {
        return LinuxDirectories.load().open(LocalPaths.octets(path));
    }

    @Test
    void shouldBeTheOneThatIsUsedHere() throws Exception {
        assertThat(Directories.isDescriptorOnly()).isTrue();
        try (Directory opened = Directories.open(path)) {
            assertThat(opened).hasSameClassAs(directory);
        }
    }

    @Test
    void shouldGoBeyondTheLongestPath() throws Exception {
        byte[] name = name("d".repeat(250));
        Deque<Directory> levels = new ArrayDeque<>();
        Directory at = directory;
        for (int i = 0; i < 40; i++) { // 10 000 octets of path
            at.createDirectory(name, 0700);
            at = at.openDirectory(name);
            levels.push(at);
        }
        at.createFile(name("deep"), 0600).close();
        try (FileReference deep = at.refer(name("deep"));
                FileChannel channel = deep.open(true)) {
            channel.write(ByteBuffer.wrap(name("content")), 0);
            deep.setMode(0640);
            deep.setTimes(null, FileTime.from(Instant.EPOCH));
            at.link(name("link"), deep);
        }
        assertThat(at.status(name("link")).size()).isEqualTo(7);
        at.remove(name("link"), false);
        at.remove(name("deep"), false);
        while (!levels.isEmpty()) {
            levels.pop().close();
            Directory parent = levels.isEmpty() ? directory : levels.peek();
            parent.remove(name, true);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {S_IFIFO, S_IFSOCK})
    void shouldMakeSpecialFiles(int type) throws Exception {
        directory.createSpecial(name("special"), type | 0600, 0);
        assertThat(directory.status(name("special")).mode()).isEqualTo(type | 0600);
        assertThatThrownBy(() -> directory.createSpecial(name("special"), type | 0600, 0))
                .isInstanceOf(FileAlreadyExistsException.class);
        try (FileReference special = directory.refer(name("special"))) {
            special.setMode(0640); // opens nothing, so that no other end is waited for
            assertThat(special.status().mode()).isEqualTo(type | 0640);
        }
    }

    @Test
    void shouldMakeDevicesOfAnyNumberThatLinuxHas() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mknod(2) is for root");
        long rdev = 0xffff_ffffL;
        directory.createSpecial(name("device"), S_IFCHR | 0600, rdev);
        assertThat(directory.status(name("device")).rdev()).isEqualTo(rdev);
        assertThatThrownBy(() -> directory.createSpecial(name("other"), S_IFCHR | 0600, rdev + 1))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(directory.status(name("other"))).isNull();
    }

    @Test
    void shouldKeepNanosecondsBeforeAndAfter1970AndOfLinks() throws Exception {
        FileTime early = FileTime.from(Instant.parse("1955-06-07T08:09:10.123456789Z"));
        FileTime late = FileTime.from(Instant.parse("2021-06-07T08:09:10.987654321Z"));
        Files.writeString(path.resolve("file"), "");
        Files.createSymbolicLink(path.resolve("link"), Path.of("file"));
        FileTime untouched = directory.status(name("file")).modified();
        try (FileReference link = directory.refer(name("link"))) {
            link.setTimes(early, late);
            assertThat(link.status().accessed()).isEqualTo(early);
            assertThat(link.status().modified()).isEqualTo(late);
        }
        assertThat(directory.status(name("file")).modified()).isEqualTo(untouched);
        try (FileReference file = directory.refer(name("file"))) {
            file.setTimes(late, early);
            assertThat(file.status().accessed()).isEqualTo(late);
            assertThat(file.status().modified()).isEqualTo(early);
        }
    }

    @Test
    void shouldStayWithTheObjectWhateverHappensToItsNames() throws Exception {
        Files.createDirectory(path.resolve("dir"));
        Files.writeString(path.resolve("dir/file"), "mine");
        Files.createDirectory(path.resolve("other"));
        Path other = Files.writeString(path.resolve("other/file"), "other");
        try (Directory dir = directory.openDirectory(name("dir"));
                FileReference file = dir.refer(name("file"))) {
            Files.move(path.resolve("dir"), path.resolve("moved"));
            Files.createSymbolicLink(path.resolve("dir"), path.resolve("other"));
            dir.createDirectory(name("sub"), 0700);
            dir.createSymbolicLink(name("link"), name("x"));
            dir.link(name("second"), file);
            file.setMode(06711);
            Files.delete(path.resolve("moved/file"));
            Files.delete(path.resolve("moved/second"));
            assertThat(file.status().linkCount()).isZero();
            file.setTimes(null, FileTime.from(Instant.EPOCH));
            try (FileChannel channel = file.open(false)) {
                assertThat(channel.size()).isEqualTo(4);
            }
            assertThatThrownBy(() -> dir.link(name("third"), file)).isInstanceOf(IOException.class);
        }
        assertThat(path.resolve("moved/sub")).isDirectory();
        assertThat(path.resolve("other").toFile().list()).containsExactly("file");
        assertThat((int) Files.getAttribute(other, "unix:mode") & 06000).isZero();
    }

    @Test
    void shouldLastWhenWhatItIsADuplicateOfIsClosed() throws Exception {
        Files.createSymbolicLink(path.resolve("link"), Path.of("text"));
        FileReference duplicate;
        try (FileReference link = directory.refer(name("link"))) {
            duplicate = link.duplicate().orElseThrow();
        }
        directory.remove(name("link"), false);
        try (duplicate) {
            assertThat(duplicate.readLink()).isEqualTo(name("text"));
            assertThat(duplicate.status().linkCount()).isZero();
        }
    }

    @Test
    void shouldTellTheNumberOfErrorsThatJavaHasNoExceptionFor() throws Exception {
        assertThatThrownBy(() -> directory.createFile(name("x".repeat(256)), 0600))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENAMETOOLONG));
        assertThatThrownBy(() -> directory.createFile(new byte[5000], 0600))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> directory.createFile(name("x".repeat(5000)), 0600))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENAMETOOLONG));
        directory.createDirectory(name("dir"), 0700);
        assertThatThrownBy(() -> directory.remove(name("dir"), false))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EISDIR));
        try (Directory proc = open(Path.of("/proc"))) {
            assertThatThrownBy(() -> directory.rename(name("dir"), proc, name("x")))
                    .isInstanceOfSatisfying(
                            ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EXDEV));
        }
    }

    @Test
    void shouldRefuseToBeUsedOnceItIsClosed() throws Exception {
        Directory closed = open(path);
        closed.close();
        closed.close();
        assertThatThrownBy(closed::status).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> closed.createFile(name("x"), 0600)).isInstanceOf(IOException.class);
    }

    @Test
    void shouldNotNoticeAPipeThatNobodyReads() throws Exception {
        Process mkfifo = new ProcessBuilder("mkfifo", path.resolve("pipe").toString()).start();
        assertThat(mkfifo.waitFor()).isZero();
        try (FileReference pipe = directory.refer(name("pipe"))) {
            assertThatThrownBy(() -> pipe.open(true)).isInstanceOf(ErrnoException.class);
            pipe.setMode(0611);
            assertThat(pipe.status().mode() & 07777).isEqualTo(0611);
        }
    }

    @Test
    void shouldBringAllOfTheFileSystemToStableStorage() throws Exception {
        Files.writeString(path.resolve("file"), "content");
        assertThat(directory.syncFileSystem()).isTrue();
    }

    @Test
    void shouldTellHowManyFilesThereCanBe() throws Exception {
        Process stat = new ProcessBuilder("stat", "-f", "-c", "%c %b %S", path.toString()).start();
        String[] told = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                .strip()
                .split(" ", -1);
        assertThat(stat.waitFor()).isZero();
        FileSystemSpace space = directory.space();
        assertThat(space.files()).isEqualTo(Long.parseLong(told[0]));
        assertThat(space.total()).isEqualTo(Long.parseLong(told[1]) * Long.parseLong(told[2]));
    }
}
