package io.verbena.nfs41.client.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Written data survives what the server may lose, and no write is lost silently. */
@Timeout(60)
class WriteBackTest {
    private static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    private static final int NARROW = 16_384;
    private static final SteadyLooks LOOKS = new SteadyLooks(() -> MountSettings.RETRIES.start(() -> 0, () -> 0));

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    /** The writes of a file, by one open of it. */
    private record Writes(WriteBack all, OpenWriter writer) {
        CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException {
            return writer.write(source, position).done;
        }

        CompletableFuture<Void> sync() {
            return writer.sync();
        }

        long retainedBytes() {
            return all.retainedBytes();
        }
    }

    /** The writes of that file, with little room. */
    private static Writes narrow(RemoteFile file) {
        return narrow((NfsFile) file, ((NfsFile) file)::wsize);
    }

    private static Writes narrow(NfsFile file, IntSupplier wsize) {
        WriteBack all = new WriteBack(file.state().handle(), new PendingFiles(), file.memory(), wsize, LOOKS, NARROW);
        return new Writes(all, new OpenWriter(all, file.state(), StableHow.UNSTABLE4));
    }

    private static void await(CompletableFuture<Void> future) throws IOException {
        Blocking.await(new SystemRuntime(), future, TimeUnit.SECONDS.toNanos(20));
    }

    private void assertContent(byte[] expected) {
        assertThat(server.size).isEqualTo(expected.length);
        assertThat(Arrays.equals(server.content, 0, expected.length, expected, 0, expected.length))
                .isTrue();
    }

    @Test
    void shouldWriteAgainWhatTheServerLostBeforeItWasCommitted() throws IOException {
        byte[] content = content(200_000);
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            file.write(ByteBuffer.wrap(content), 0);
            server.forgetsUncommitted = true;
            file.sync();
            assertContent(content);
        }
    }

    @Test
    void shouldWriteAgainInTheOrderOfTheWrites() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 1, 1, 1}), 0);
            server.verifier.incrementAndGet(); // a restart between the two: the first is lost, the second is not
            Arrays.fill(server.content, (byte) 0);
            file.write(ByteBuffer.wrap(new byte[] {2, 2}), 1);
            file.sync();
            assertContent(new byte[] {1, 2, 2, 1});
        }
    }

    @Test
    void shouldLetTheCallersBufferGoOnceAllIsSent() throws IOException {
        try (NfsMount mount = server.mount("");
                NfsFile file = (NfsFile) mount.open("/file", WRITE, 0600)) {
            WriteBack all = new WriteBack(
                    file.state().handle(), new PendingFiles(), file.memory(), file::wsize, LOOKS, 1 << 20);
            OpenWriter writer = new OpenWriter(all, file.state(), StableHow.UNSTABLE4);
            SubmittedWrite written = writer.write(ByteBuffer.allocate(NARROW), 0);
            await(written.done);
            assertThat(all.retainedBytes()).isEqualTo(NARROW);
            assertThat(written.source.capacity()).isZero();
        }
    }

    @Test
    void shouldFinishAWriteThatFillsAllRoomBeforeTheFirstReply() throws IOException {
        byte[] content = content(3 * NARROW);
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            Writes writes = narrow(file);
            server.gate = new CountDownLatch(1);
            CompletableFuture<Void> written = writes.write(ByteBuffer.wrap(content), 0);
            server.gate.countDown();
            await(written);
            await(writes.sync());
            assertContent(content);
        }
    }

    @Test
    void shouldFinishAWriteThatFitsOnlyWhenOthersAreCommitted() throws IOException {
        byte[] content = content(NARROW + 4096);
        try (NfsMount mount = server.mount("wsize=8192");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            NfsFile opened = (NfsFile) file;
            AtomicInteger attempts = new AtomicInteger();
            IntSupplier wsize = () -> {
                attempts.incrementAndGet();
                return opened.wsize();
            };
            Writes writes = narrow(opened, wsize);
            server.gate = new CountDownLatch(1);
            List<CompletableFuture<Void>> written = new ArrayList<>();
            written.add(writes.write(ByteBuffer.wrap(content, 0, 8192), 0));
            written.add(writes.write(ByteBuffer.wrap(content, 8192, 4096), 8192));
            written.add(writes.write(ByteBuffer.wrap(content, 12_288, 8192), 12_288));
            int attemptsBeforeAnyReply = attempts.get();
            server.gate.countDown();
            // it waits, and does not try again and again until the stack is full
            assertThat(attemptsBeforeAnyReply).as("3 to cut, 2 to send").isEqualTo(5);
            for (CompletableFuture<Void> each : written) {
                await(each);
            }
            await(writes.sync());
            assertContent(content);
        }
    }

    @Test
    void shouldEndTheWriteOnlyWhoseStepThrowsAnError() throws IOException {
        byte[] content = content(NARROW);
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            NfsFile opened = (NfsFile) file;
            AtomicInteger failing = new AtomicInteger(2);
            Writes writes = narrow(opened, () -> {
                if (failing.getAndDecrement() == 0) {
                    throw new OutOfMemoryError("Cannot reserve 4096 bytes of direct buffer memory");
                }
                return opened.wsize();
            });
            CompletableFuture<Void> first = writes.write(ByteBuffer.wrap(content), 0);
            assertThatThrownBy(() -> await(first)).isInstanceOf(OutOfMemoryError.class);
            await(writes.write(ByteBuffer.wrap(content), 0));
            assertThatThrownBy(() -> await(writes.sync())).hasMessageContaining("direct buffer memory");
            await(writes.sync());
            assertThat(writes.retainedBytes()).isZero();
            assertContent(content);
        }
    }

    @Test
    void shouldGoOnAfterAChangeAndAnAppendThatThrowErrors() throws IOException {
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            Writes writes = narrow(file);
            CompletableFuture<Void> changed = writes.all().exclusively(() -> {
                throw new LinkageError("a class that went with its bundle");
            });
            assertThatThrownBy(() -> await(changed)).isInstanceOf(LinkageError.class);
            SubmittedWrite append = writes.all()
                    .append(
                            writes.writer(),
                            ByteBuffer.wrap(content(10)),
                            at -> {
                                throw new LinkageError("of the caller's");
                            },
                            () -> CompletableFuture.completedFuture(0L));
            assertThatThrownBy(() -> await(append.done)).isInstanceOf(LinkageError.class);
            byte[] content = content(3000);
            await(writes.write(ByteBuffer.wrap(content), 0));
            assertThatThrownBy(() -> await(writes.sync())).hasMessageContaining("of the caller's");
            assertContent(content);
        }
    }

    @Test
    void shouldGoOnWhenAllOfAFullRoomHadToBeWrittenAgain() throws IOException {
        byte[] content = content(NARROW + 4096);
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            Writes writes = narrow(file);
            server.forgetsUncommitted = true;
            await(writes.write(ByteBuffer.wrap(content), 0));
            await(writes.sync());
            assertContent(content);
        }
    }

    @Test
    void shouldGiveUpWhereTheServerLosesDataAgainAndAgain() throws IOException {
        byte[] content = content(2 * NARROW);
        server.losesAlways = true;
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            Writes writes = narrow(file);
            String reason = "m:/file: the server loses written data again and again";
            assertThatThrownBy(() -> await(writes.write(ByteBuffer.wrap(content), 0)))
                    .hasMessageContaining(reason);
            assertThatThrownBy(() -> await(writes.sync())).hasMessageContaining(reason);

            server.losesAlways = false;
            syncUntilAllIsTold(writes, reason);
            assertThat(writes.retainedBytes()).isZero();
            await(writes.write(ByteBuffer.wrap(content), 0));
            await(writes.sync());
            assertContent(content);
        }
    }

    /** A COMMIT that was under way may tell of the same once more. */
    private static void syncUntilAllIsTold(Writes writes, String reason) throws IOException {
        boolean told = false;
        while (!told) {
            try {
                await(writes.sync());
                told = true;
            } catch (NfsException e) {
                assertThat(e).hasMessageContaining(reason);
            }
        }
    }

    @Test
    void shouldReportAndGiveUpWhatCouldNotBeWrittenAgain() throws IOException {
        byte[] content = content(NARROW);
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            Writes writes = narrow(file);
            await(writes.write(ByteBuffer.wrap(content, 0, 4096), 0));
            server.forgetsUncommitted = true;
            server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
            assertThatThrownBy(() -> await(writes.sync())).hasMessageContaining("no space");
            await(writes.sync());
            assertThat(writes.retainedBytes()).isZero();
            await(writes.write(ByteBuffer.wrap(content), 0));
            await(writes.sync());
            assertContent(content);
        }
    }

    @Test
    void shouldReportACommitThatFailedWhileNobodyWaitedForIt() throws IOException {
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            Writes writes = narrow(file);
            server.failNext(Opcode.COMMIT, Status.NFS4ERR_DQUOT);
            await(writes.write(ByteBuffer.wrap(content(4096)), 0));
            int before = server.seen.size();
            await(writes.write(ByteBuffer.wrap(content(4096)), 4096));
            assertThat(server.opcodesSince(before)).contains(Opcode.COMMIT);
            assertThatThrownBy(() -> await(writes.sync())).hasMessageContaining("quota");
            await(writes.sync());
        }
    }

    @Test
    void shouldCommitWhatWasSentOfAWriteSinceTheSyncWasAsked() throws IOException {
        try (NfsMount mount = server.mount("wsize=4096");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            Writes writes = narrow(file);
            server.gate = new CountDownLatch(1);
            CompletableFuture<Void> written = writes.write(ByteBuffer.wrap(content(3 * NARROW)), 0);
            CompletableFuture<Void> synced = writes.sync();
            server.gate.countDown();
            await(synced);
            assertThat(written).isCompleted();
            assertThat(writes.retainedBytes()).isZero();
        }
    }

    @Test
    void shouldGoOnWhereAServerTookLess() throws IOException {
        server.maxWrite = 1000;
        byte[] content = content(10_500);
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            file.write(ByteBuffer.wrap(content), 0);
            assertContent(content);
        }
    }

    @Test
    void shouldCommitOnlyOnce() throws IOException {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            file.write(ByteBuffer.wrap(content(1000)), 0);
            file.sync();
            int before = server.seen.size();
            file.sync();
            file.close();
            assertThat(server.opcodesSince(before)).doesNotContain(Opcode.COMMIT);
        }
    }

    @Test
    void shouldNotCommitWhatWasWrittenStable() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open(
                        "/file",
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.SYNC),
                        0600)) {
            file.write(ByteBuffer.wrap(content(1000)), 0);
            int before = server.seen.size();
            file.sync();
            assertThat(server.opcodesSince(before)).isEmpty();
        }
    }

    @Test
    void shouldReportAFailedWriteThere() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
            assertThatThrownBy(() -> file.write(ByteBuffer.wrap(content(10)), 0))
                    .isInstanceOf(NfsException.class)
                    .hasMessage("m:/file: no space is left on the server (NFS4ERR_NOSPC)");
            assertThatThrownBy(file::sync).hasMessageContaining("no space");
            file.sync();
        }
    }

    @Test
    void shouldReportAFailedWriteToWhoClosesByItself() throws IOException {
        try (NfsMount mount = server.mount("")) {
            server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
            assertThatThrownBy(() -> {
                        try (RemoteFile file = mount.open("/file", WRITE, 0600)) {
                            file.write(ByteBuffer.wrap(content(10)), 0);
                        }
                    })
                    .isInstanceOf(NfsException.class)
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        }
    }

    @Test
    void shouldReportAFailedWriteToWhoClosesAfterTheMountDid() throws IOException {
        NfsMount mount = server.mount("");
        RemoteFile file = mount.open("/file", WRITE, 0600);
        server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC);
        CompletableFuture<Void> unused = file.writeAsync(ByteBuffer.wrap(content(10)), 0);
        mount.close();
        assertThatThrownBy(file::close).hasMessage("m:/file: no space is left on the server (NFS4ERR_NOSPC)");
    }

    @Test
    void shouldReportWhatWasWrittenBehindAtTheLatestWhenTheChannelIsClosed() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", WRITE, 0600)) {
            SeekableByteChannel channel = file.channel();
            server.failNext(Opcode.WRITE, Status.NFS4ERR_DQUOT);
            server.gate = new CountDownLatch(1);
            channel.write(ByteBuffer.wrap(content(10)));
            server.gate.countDown();
            assertThatThrownBy(channel::close).hasMessageContaining("quota");
            assertThatThrownBy(file::sync).hasMessageContaining("quota");
        }
    }

    @Test
    void shouldReadBackThroughAChannelWhatItWrote() throws IOException {
        byte[] content = content(300_000);
        try (NfsMount mount = server.mount("rsize=4096,wsize=8192");
                RemoteFile file = mount.open("/file", WRITE, 0600);
                SeekableByteChannel channel = file.channel()) {
            for (int at = 0; at < content.length; at += 999) {
                channel.write(ByteBuffer.wrap(content, at, Math.min(999, content.length - at)));
            }
            channel.position(0);
            ByteBuffer read = ByteBuffer.allocate(content.length);
            while (read.hasRemaining() && channel.read(read) >= 0) {
                assertThat(channel.position()).isEqualTo(read.position());
            }
            assertThat(read.array()).isEqualTo(content);
            assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }
}
