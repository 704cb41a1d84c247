package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.MemoryShare;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.TestThread;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FileChannelViewTest {
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"SYNC", "DSYNC"})
    void shouldHaveWrittenWhenWriteReturnsWhereDataIsToBeSafeAtOnce(StandardOpenOption option) throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.WRITE, option), 0600);
                SeekableByteChannel channel = file.channel()) {
            int before = server.seen.size();
            assertThat(channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}))).isEqualTo(3);
            assertThat(server.opcodesSince(before)).contains(Opcode.WRITE);
            assertThat(server.content).startsWith(1, 2, 3);
            assertThat(channel.position()).isEqualTo(3);
        }
    }

    @Test
    void shouldRefuseToTruncateWhatIsOpenForReadingOnly() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.READ), 0600);
                SeekableByteChannel channel = file.channel()) {
            assertThatThrownBy(() -> channel.truncate(100)).isInstanceOf(NonWritableChannelException.class);
        }
    }

    @Test
    void shouldSendWhatWasWrittenBehindWhenTheFileIsSyncedOrClosed() throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            SeekableByteChannel channel = file.channel();
            server.gate = new CountDownLatch(1);
            channel.write(ByteBuffer.wrap(new byte[] {1}));
            channel.write(ByteBuffer.wrap(new byte[] {2})); // behind the first, which has no answer
            assertThat(server.content).startsWith(0, 0);
            server.gate.countDown();
            file.sync();
            assertThat(server.content).startsWith(1, 2);
            channel.write(ByteBuffer.wrap(new byte[] {3}));
            file.close();
            assertThat(server.content).startsWith(1, 2, 3);
            channel.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportWhatCouldNotBeWrittenBehind(boolean fileFirst) throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            SeekableByteChannel channel = file.channel();
            server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
            server.gate = new CountDownLatch(1);
            channel.write(ByteBuffer.wrap(new byte[] {1, 2}));
            server.gate.countDown();
            Closeable first = fileFirst ? file : channel;
            assertThatThrownBy(first::close).hasMessageContaining("m:/file: no space is left on the server");
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    void shouldBringWhatWasWrittenBehindToStableStorageWhenTheMountEnds() throws IOException {
        NfsMount mount = server.mount("");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        SeekableByteChannel channel = file.channel();
        channel.write(ByteBuffer.wrap(new byte[] {1, 2}));
        mount.close();
        assertThat(server.content).startsWith(1, 2);
        assertThat(server.opcodesSince(0)).containsSubsequence(Opcode.WRITE, Opcode.COMMIT, Opcode.CLOSE);
        channel.close();
        file.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportAWriteUnderWayThatFailedWhenTheMountWentAway(boolean fileFirst) throws IOException {
        NfsMount mount = server.mount("wsize=4096");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        SeekableByteChannel channel = file.channel();
        server.gate = new CountDownLatch(1);
        server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
        channel.write(ByteBuffer.wrap(new byte[4096])); // as much as goes out at once
        server.gate.countDown();
        mount.close();
        Closeable first = fileFirst ? file : channel;
        assertThatThrownBy(first::close).hasMessageContaining("m:/file: no space is left on the server");
    }

    @Test
    void shouldReportTheFirstFailureAndTheOthersWithIt() throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            SeekableByteChannel channel = file.channel();
            server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC, Status.NFS4ERR_NOSPC);
            server.gate = new CountDownLatch(1);
            channel.write(ByteBuffer.wrap(new byte[] {1, 2}));
            SeekableByteChannel other = file.channel();
            other.position(10).write(ByteBuffer.wrap(new byte[] {3}));
            server.gate.countDown();
            assertThatThrownBy(file::close)
                    .hasMessageContaining("m:/file: no space is left on the server")
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1)); // of the other channel
        }
    }

    @Test
    void shouldSendWhatWasWrittenBehindBeforeWhatDependsOnIt() throws IOException {
        Set<StandardOpenOption> both = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", both, 0600);
                SeekableByteChannel channel = file.channel();
                SeekableByteChannel other = file.channel()) {
            int before = server.seen.size();
            channel.write(ByteBuffer.wrap(new byte[] {1}));
            file.truncate(0);
            assertThat(server.opcodesSince(before)).containsSubsequence(Opcode.WRITE, Opcode.SETATTR);
            channel.write(ByteBuffer.wrap(new byte[] {2}));
            assertThat(file.attributes().size()).isEqualTo(2);
            channel.write(ByteBuffer.wrap(new byte[] {3}));
            assertThat(file.read(ByteBuffer.allocate(3), 0)).isEqualTo(3);
            channel.write(ByteBuffer.wrap(new byte[] {4}));
            assertThat(other.size()).isEqualTo(4);
        }
    }

    @Test
    void shouldSendWhatWasWrittenBehindBeforeALockIsReleased() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600);
                SeekableByteChannel channel = file.channel()) {
            int before = server.seen.size();
            try (RemoteLock lock = file.tryLock(0, 10, false).orElseThrow()) {
                channel.write(ByteBuffer.wrap(new byte[] {1}));
                assertThat(lock.isShared()).isFalse();
            }
            assertThat(server.opcodesSince(before))
                    .containsSubsequence(Opcode.LOCK, Opcode.WRITE, Opcode.COMMIT, Opcode.LOCKU);
        }
    }

    /** READs under way keep their buffers to their end. */
    private static void awaitNoLease(MemoryShare share) {
        while (share.leasedBytes() > 0) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGiveBackWhatIsReadAheadWhenTheFileIsClosedAndNotTheChannel(boolean byMount) throws IOException {
        server.size = server.content.length;
        NfsMount mount = server.mount("");
        MemoryShare share = mount.memory();
        try (mount) {
            RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.READ), 0);
            SeekableByteChannel channel = file.channel();
            assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(10);
            assertThat(share.leasedBytes()).isPositive();
            if (byMount) {
                mount.close();
            } else {
                file.close();
            }
            awaitNoLease(share);
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10))).isInstanceOf(IOException.class);
        }
    }

    /** The other call may wait for as long as the server does not answer. */
    @Test
    void shouldEndAWaitForAnotherCallByAnInterrupt() throws Exception {
        server.size = server.content.length;
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.READ), 0)) {
            SeekableByteChannel channel = file.channel();
            server.gate = new CountDownLatch(1);
            TestThread reads = read(channel);
            assertThat(read(channel).interrupt()).isInstanceOf(InterruptedIOException.class);
            assertThat(TestThread.start(channel::close).awaitWaiting().interrupt())
                    .isInstanceOf(InterruptedIOException.class);
            server.gate.countDown();
            assertThat(reads.end()).isNull();
        } finally {
            server.gate.countDown();
        }
    }

    private static TestThread read(SeekableByteChannel channel) {
        return TestThread.start(() -> {
                    int unused = channel.read(ByteBuffer.allocate(10));
                })
                .awaitWaiting();
    }
}
