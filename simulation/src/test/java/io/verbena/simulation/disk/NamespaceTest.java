package io.verbena.simulation.disk;

import static io.verbena.simulation.disk.DiskFixture.name;
import static io.verbena.simulation.disk.DiskFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class NamespaceTest {
    private final DiskFixture fixture = new DiskFixture();
    private final Directory root = fixture.root;

    private static void assertErrno(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(ErrnoException.class, e -> assertThat(e.errno())
                .isEqualTo(errno));
    }

    @Test
    void shouldCountTheLinksOfDirectories() throws Exception {
        Directory one = fixture.directory("one");
        Directory two = fixture.directory("two");
        assertThat(root.status().linkCount()).isEqualTo(4);
        one.createDirectory(name("sub"), 0755);
        assertThat(one.status().linkCount()).isEqualTo(3);
        one.rename(name("sub"), two, name("moved"));
        assertThat(one.status().linkCount()).isEqualTo(2);
        assertThat(two.status().linkCount()).isEqualTo(3);
        root.createDirectory(name("other"), 0755);
        root.rename(name("other"), two, name("moved")); // replaces the empty directory
        assertThat(two.status().linkCount()).isEqualTo(3);
        two.remove(name("moved"), true);
        assertThat(two.status().linkCount()).isEqualTo(2);
        root.remove(name("one"), true);
        assertThat(one.status().linkCount()).isZero();
        assertThat(root.status().linkCount()).isEqualTo(3);
    }

    @Test
    void shouldRefuseToMoveADirectoryIntoItself() throws Exception {
        Directory one = fixture.directory("one");
        one.createDirectory(name("two"), 0755);
        Directory two = one.openDirectory(name("two"));
        assertErrno(Errno.EINVAL, () -> root.rename(name("one"), one, name("x")));
        assertErrno(Errno.EINVAL, () -> root.rename(name("one"), two, name("x")));
        assertThatThrownBy(() -> two.rename(name("none"), root, name("one"))).isInstanceOf(NoSuchFileException.class);
        fixture.file("file", "").close();
        root.rename(name("file"), two, name("file"));
        assertThatThrownBy(() -> two.rename(name("file"), root, name("one")))
                .isInstanceOf(DirectoryNotEmptyException.class);
    }

    @Test
    void shouldReplaceOnlyWhatIsOfTheSameKind() throws Exception {
        fixture.directory("dir").close();
        Directory full = fixture.directory("full");
        full.createFile(name("file"), 0644).close();
        fixture.file("file", "content").close();
        assertErrno(Errno.EISDIR, () -> root.rename(name("file"), root, name("dir")));
        assertThatThrownBy(() -> root.rename(name("dir"), root, name("file")))
                .isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> root.rename(name("dir"), root, name("full")))
                .isInstanceOf(DirectoryNotEmptyException.class);
        root.rename(name("full"), root, name("dir"));
        assertThat(fixture.paths()).containsExactly("dir", "dir/file", "file");
    }

    @Test
    void shouldDoNothingWhereBothNamesAreOfOneObject() throws Exception {
        try (FileReference file = fixture.file("one", "content")) {
            root.link(name("two"), file);
            FileStatus before = file.status();
            root.rename(name("one"), root, name("two"));
            assertThat(fixture.paths()).containsExactly("one", "two");
            assertThat(file.status()).isEqualTo(before);
        }
    }

    @Test
    void shouldKeepAnOpenFileWithoutAName() throws Exception {
        FileReference file = fixture.file("file", "content");
        FileChannel channel = file.open(true);
        FileReference duplicate = file.duplicate().orElseThrow();
        file.close();
        root.remove(name("file"), false);
        assertThat(duplicate.status().linkCount()).isZero();
        assertThat(read(duplicate)).isEqualTo("content");
        assertThatThrownBy(() -> root.link(name("again"), duplicate)).isInstanceOf(NoSuchFileException.class);
        long used = used();
        duplicate.close();
        assertThat(channel.size()).isEqualTo(7);
        assertThat(used()).isEqualTo(used);
        channel.close();
        assertThat(used()).isEqualTo(used - 4096);
    }

    private long used() throws Exception {
        return fixture.disk.fileStore().getTotalSpace()
                - fixture.disk.fileStore().getUsableSpace();
    }

    @Test
    void shouldFreeFilesWithoutANameWhenTheProcessEnds() throws Exception {
        long used = used();
        FileReference file = fixture.file("file", "content");
        fixture.file("other", "").close();
        root.remove(name("file"), false);
        fixture.disk.endProcess();
        assertThat(used()).isEqualTo(used);
        assertErrno(Errno.EIO, file::status);
        assertErrno(Errno.EIO, root::status);
        file.close();
        assertThat(fixture.paths()).containsExactly("other");
    }

    @Test
    void shouldMakeNothingInARemovedDirectory() throws Exception {
        Directory gone = fixture.directory("gone");
        root.remove(name("gone"), true);
        assertThatThrownBy(() -> gone.createFile(name("file"), 0644)).isInstanceOf(NoSuchFileException.class);
        fixture.file("file", "").close();
        assertThatThrownBy(() -> root.rename(name("file"), gone, name("file"))).isInstanceOf(NoSuchFileException.class);
        gone.forEachName(each -> {
            throw new AssertionError();
        });
    }

    @Test
    void shouldTellTimesOfChanges() throws Exception {
        Directory dir = fixture.directory("dir");
        try (FileReference file = dir.createFile(name("file"), 0644)) {
            FileStatus made = file.status();
            assertThat(made.created()).isEqualTo(made.modified());
            FileStatus directory = dir.status();
            DiskFixture.write(file, 0, "content");
            FileStatus written = file.status();
            assertThat(written.modified()).isGreaterThan(made.modified()).isEqualTo(written.changed());
            assertThat(dir.status()).isEqualTo(directory);
            file.setMode(0600);
            FileStatus changed = file.status();
            assertThat(changed.changed()).isGreaterThan(written.changed());
            assertThat(changed.modified()).isEqualTo(written.modified());
            dir.rename(name("file"), dir, name("moved"));
            assertThat(dir.status().modified()).isGreaterThan(directory.modified());
            assertThat(file.status().changed()).isGreaterThan(changed.changed());
            assertThat(file.status().created()).isEqualTo(made.created());
        }
    }

    @Test
    void shouldGiveNewObjectsTheirOwnerAndMode() throws Exception {
        fixture.disk.setProcess(7, 8);
        try (FileReference file = root.createFile(name("file"), 06666)) {
            assertThat(file.status().mode()).isEqualTo(0x8000 | 06644);
            assertThat(file.status().uid()).isEqualTo(7);
            assertThat(file.status().gid()).isEqualTo(8);
            file.setMode(06755);
            file.setOwner(9, null);
            assertThat(file.status().mode()).isEqualTo(0x8000 | 0755);
        }
        try (Directory dir = fixture.directory("dir")) {
            dir.setMode(02755);
            dir.setOwner(null, 4711);
            dir.createDirectory(name("sub"), 0777);
            assertThat(dir.status(name("sub")).mode()).isEqualTo(0x4000 | 02755);
            assertThat(dir.status(name("sub")).gid()).isEqualTo(4711);
        }
    }

    @Test
    void shouldRefuseLinksOfDirectoriesAndToOtherDisks() throws Exception {
        try (FileReference dir = fixture.directory("dir");
                FileReference file = fixture.file("file", "")) {
            assertErrno(Errno.EPERM, () -> root.link(name("link"), dir));
            Directory other = new SimulatedDisk(() -> Instant.EPOCH).root();
            assertErrno(Errno.EXDEV, () -> other.link(name("link"), file));
            assertErrno(Errno.EXDEV, () -> root.rename(name("file"), other, name("file")));
            assertErrno(Errno.ENAMETOOLONG, () -> root.createFile(name("x".repeat(256)), 0644));
        }
    }

    @Test
    void shouldRefuseMoreObjectsAndPagesThanThereIsRoomFor() throws Exception {
        fixture.faults.setInodes(3);
        fixture.file("one", "").close();
        fixture.file("two", "").close();
        assertErrno(Errno.ENOSPC, () -> root.createFile(name("three"), 0644));
        root.remove(name("one"), false);
        fixture.file("three", "").close();
        fixture.faults.setInodes(10);
        fixture.faults.setCapacity(4096); // the root's
        assertErrno(Errno.ENOSPC, () -> root.createDirectory(name("dir"), 0755));
        assertThat(fixture.faults.count(DiskFault.NO_INODE)).isEqualTo(1);
        assertThat(fixture.faults.count(DiskFault.NO_SPACE)).isEqualTo(1);
        assertThat(fixture.paths()).containsExactly("three", "two");
    }
}
