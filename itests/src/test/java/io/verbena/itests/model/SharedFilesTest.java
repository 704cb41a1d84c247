package io.verbena.itests.model;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clients share a file: one client does not get octets that the other one has locked, and sees data that the other
 * one has synced.
 */
@Timeout(120)
class SharedFilesTest {
    private static final Set<OpenOption> OPTIONS = Set.of(READ, WRITE, CREATE);
    private static final int LENGTH = 100_000;

    @TempDir
    private Path folder;

    private EmbeddedMountPair pair;

    @BeforeEach
    void mount() throws IOException {
        pair = new EmbeddedMountPair(folder, 1, "", "");
    }

    @AfterEach
    void unmount() throws IOException {
        pair.close();
    }

    private RemoteFile open(int mount) throws IOException {
        Side side = pair.side(mount);
        return side.mount().open(side.remote("f"), OPTIONS, 0644);
    }

    private FileChannel openNio(int mount) throws IOException {
        return FileChannel.open(pair.side(mount).path("f"), OPTIONS);
    }

    private static void expectOverlap(ThrowingCallable lock) {
        assertThatThrownBy(lock).isInstanceOf(OverlappingFileLockException.class);
    }

    /** Whether another mount can get a lock. The lock is released at once. */
    private static boolean canLock(RemoteFile other, long position, long size) throws IOException {
        Optional<RemoteLock> lock = other.tryLock(position, size, false);
        if (lock.isPresent()) {
            lock.get().close();
        }
        return lock.isPresent();
    }

    /** With a delegation of the file, and without one, in which case the server knows the locks. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotGiveAwayOctetsOfALockThatOverlapsTheOneThatEnds(boolean otherIsThereBefore) throws IOException {
        RemoteFile before = otherIsThereBefore ? open(1) : null;
        try (RemoteFile file = open(0)) {
            RemoteLock first = file.tryLock(0, 100, false).orElseThrow();
            expectOverlap(() -> file.tryLock(50, 100, false));
            RemoteLock second = file.tryLock(100, 100, false).orElseThrow();
            try (RemoteFile other = open(1)) {
                first.close();
                assertThat(canLock(other, 0, 100))
                        .as("what nobody has locked any more")
                        .isTrue();
                assertThat(canLock(other, 100, 50)).as("what the second holds").isFalse();
                second.close();
                assertThat(canLock(other, 0, 200)).isTrue();
            }
        } finally {
            if (before != null) {
                before.close();
            }
        }
    }

    @Test
    void shouldNotGiveOverlappingLocksToTwoRemoteFilesOfAMount() throws IOException {
        try (RemoteFile one = open(0);
                RemoteFile other = open(1)) {
            RemoteLock first = one.tryLock(0, 100, false).orElseThrow();
            try (RemoteFile two = open(0)) {
                expectOverlap(() -> two.tryLock(50, 100, false));
                expectOverlap(() -> two.tryLock(50, 100, true));
                assertThat(canLock(other, 50, 50)).isFalse();
            }
            assertThat(canLock(other, 50, 50))
                    .as("what the other RemoteFile holds")
                    .isFalse();
            first.close();
            assertThat(canLock(other, 0, 200)).isTrue();
        }
    }

    @Test
    void shouldNotGiveOverlappingLocksToARemoteFileAndJavaNio() throws IOException {
        try (RemoteFile file = open(0);
                RemoteFile other = open(1)) {
            RemoteLock first = file.tryLock(0, 100, false).orElseThrow();
            try (FileChannel channel = openNio(0)) {
                expectOverlap(() -> channel.tryLock(50, 100, false));
            }
            assertThat(canLock(other, 50, 50)).isFalse();
            first.close();
            assertThat(canLock(other, 50, 50)).isTrue();
        }
    }

    private static String read(SeekableByteChannel channel) throws IOException {
        ByteBuffer found = ByteBuffer.allocate(5);
        assertThat(channel.read(found)).isEqualTo(5);
        return new String(found.array(), US_ASCII);
    }

    private static ByteBuffer letters(String letters, int times) {
        return ByteBuffer.wrap(letters.repeat(times).getBytes(US_ASCII));
    }

    private void changeByOther() throws IOException {
        try (RemoteFile other = open(1)) {
            other.write(letters("after", LENGTH / 5), 0);
        }
    }

    @Test
    void shouldReadUnderALockWhatAnotherClientHasWrittenSinceItReadAhead() throws IOException {
        try (RemoteFile file = open(0);
                SeekableByteChannel channel = file.channel()) {
            file.write(letters("prior", LENGTH / 5), 0);
            file.sync();
            assertThat(read(channel)).isEqualTo("prior");
            changeByOther();
            try (RemoteLock lock = file.tryLock(0, LENGTH, false).orElseThrow()) {
                assertThat(lock.isShared()).isFalse();
                assertThat(read(channel)).isEqualTo("after");
            }
        }
    }

    @Test
    void shouldReadByJavaNioUnderALockWhatAnotherClientHasWrittenSinceItReadAhead() throws IOException {
        try (RemoteFile file = open(0)) {
            file.write(letters("prior", LENGTH / 5), 0);
        }
        try (FileChannel channel = FileChannel.open(pair.side(0).path("f"), READ)) {
            assertThat(read(channel)).isEqualTo("prior");
            changeByOther();
            try (FileLock lock = channel.tryLock(0, LENGTH, true)) {
                assertThat(lock.isShared()).isTrue();
                assertThat(read(channel)).isEqualTo("after");
            }
        }
    }

    @Test
    void shouldReadAfterAnOpenWhatAnotherClientHasWrittenSinceItReadAhead() throws IOException {
        try (RemoteFile file = open(0);
                SeekableByteChannel channel = file.channel()) {
            file.write(letters("prior", LENGTH / 5), 0);
            file.sync();
            assertThat(read(channel)).isEqualTo("prior");
            changeByOther();
            try (RemoteFile again = open(0)) {
                assertThat(read(again.channel())).isEqualTo("after");
                assertThat(read(channel))
                        .as("by the channel that has read ahead")
                        .isEqualTo("after");
            }
        }
    }

    @Test
    void shouldShowToAnotherClientWhatAChannelHasWrittenUnderALockOnceThatEnds() throws IOException {
        try (RemoteFile file = open(0);
                RemoteFile other = open(1);
                SeekableByteChannel channel = file.channel()) {
            RemoteLock lock = file.tryLock(0, 100, false).orElseThrow();
            channel.write(letters("fresh", 1));
            lock.close();
            try (RemoteLock next = other.tryLock(0, 100, false).orElseThrow()) {
                assertThat(next.position()).isZero();
                assertThat(read(other.channel())).isEqualTo("fresh");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAppendWhereTheFileEndsOnceAnotherClientHasTruncatedIt(boolean opensAgain) throws IOException {
        Side side = pair.side(0);
        try (RemoteFile file = side.mount().open(side.remote("f"), Set.of(APPEND, CREATE), 0644);
                SeekableByteChannel channel = file.channel()) {
            channel.write(letters("prior", 10));
            file.sync();
            try (RemoteFile other = open(1)) {
                other.truncate(5);
            }
            if (opensAgain) {
                open(0).close();
            } else {
                file.tryLock(0, 1, false).orElseThrow().close();
            }
            try (RemoteFile another = open(0);
                    SeekableByteChannel pending = another.channel()) {
                pending.write(letters("p", 1)); // an unsynced write
                channel.write(letters("after", 1));
                assertThat(channel.size()).isEqualTo(10);
            }
        }
        assertThat(pair.content("f").orElseThrow()).asString(US_ASCII).isEqualTo("priorafter");
    }

    /** The mount that has the file open removes it, or the other mount. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldGoOnWithAFileThatIsRemovedWhileItIsOpen(int by) throws IOException {
        try (RemoteFile file = open(0);
                SeekableByteChannel channel = file.channel()) {
            channel.write(letters("prior", 1));
            Side side = pair.side(by);
            side.mount().remove(side.remote("f"));
            channel.write(letters("after", 1));
            file.sync();
            channel.position(0);
            assertThat(read(channel)).isEqualTo("prior");
            assertThat(read(channel)).isEqualTo("after");
            assertThat(file.attributes().size()).isEqualTo(10);
            assertThat(side.mount().list(side.directory())).isEmpty();
        }
        assertThat(pair.directory()).isEmptyDirectory();
    }

    @Test
    void shouldGoOnWithAFileThatAnotherOneReplacesWhileItIsOpen() throws IOException {
        try (RemoteFile file = open(0)) {
            file.write(letters("prior", 1), 0);
            file.sync();
            Side side = pair.side(0);
            Path unused = Files.writeString(side.path("g"), "after");
            side.mount().rename(side.remote("g"), side.remote("f"));
            assertThat(read(file.channel())).isEqualTo("prior");
            assertThat(Files.readString(side.path("f"))).isEqualTo("after");
        }
        assertThat(pair.directory()).isDirectoryNotContaining("glob:**.nfs*");
    }
}
