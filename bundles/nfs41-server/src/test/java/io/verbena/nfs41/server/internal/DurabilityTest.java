package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.file.Durability.Storage;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.Intercepted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is on stable storage when a client is told of it. */
class DurabilityTest extends ServerFixture {
    private static final OpenHow EXISTING = new OpenHow.NoCreate();
    private static final int SECONDS = 30;
    private static final int READ = Open.SHARE_ACCESS_READ;
    private static final int WRITE = Open.SHARE_ACCESS_WRITE;
    private static final int BOTH = Open.SHARE_ACCESS_BOTH;
    private static final int DENY_WRITE = Open.SHARE_DENY_WRITE;

    @GuardedBy("itself")
    private final List<Long> forced = new ArrayList<>();

    private volatile Semaphore gate;
    private volatile boolean fails;
    private volatile CountDownLatch entered = new CountDownLatch(1);

    @Override
    NfsServer server(ExportSettings settings) throws Exception {
        return new NfsServer(settings, state, memory, disk -> inode -> force(disk, inode), new ManualClock(clock::get));
    }

    private void force(Storage disk, Inode inode) throws IOException {
        entered.countDown();
        Semaphore closed = gate;
        if (closed != null) {
            closed.acquireUninterruptibly();
        }
        if (fails) {
            fails = false; // the kernel tells it once
            throw new IOException("Input/output error");
        }
        disk.force(inode);
        synchronized (forced) {
            forced.add(inode.number());
        }
    }

    @BeforeEach
    void directories() throws Exception {
        Files.createDirectory(directory.resolve("a"));
        Files.createDirectory(directory.resolve("b"));
        Files.writeString(directory.resolve("a/file"), "content");
    }

    private long number(String path) throws IOException {
        Path of = directory.resolve(path);
        return (Long) Files.getAttribute(of, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    private List<Long> takeForced() {
        synchronized (forced) {
            List<Long> taken = List.copyOf(forced);
            forced.clear();
            return taken;
        }
    }

    private static Op create(String name) {
        return out -> Create.encodeArgs(out, Create.directory(name, Attributes.EMPTY));
    }

    private static Op remove(String name) {
        return out -> Remove.encodeArgs(out, new Remove.Args(name));
    }

    private static void assertOk(Reply reply) {
        assertThat(reply.status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldForceANewDirectoryAndItsParent() throws Exception {
        assertOk(client.inSession(root(), look("a"), create("new")));
        assertThat(takeForced()).containsExactly(number("a"), number("a/new"));
    }

    @Test
    void shouldForceTheParentOfANewSymbolicLink() throws Exception {
        Op link = out -> Create.encodeArgs(out, Create.symbolicLink("new", "text", Attributes.EMPTY));
        assertOk(client.inSession(root(), look("a"), link));
        assertThat(takeForced()).contains(number("a"));
    }

    @Test
    void shouldForceANewFileAndItsParent() throws Exception {
        assertOk(client.inSession(root(), look("a"), client.open("new", 3, 0, unchecked(0644))));
        assertThat(takeForced()).containsExactlyInAnyOrder(number("a"), number("a/new"));
    }

    /** WRITE and SETATTR of the file that the COMPOUND has opened. */
    private static Op[] openAndWrite(Op open) {
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3});
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0600).build();
        return new Op[] {
            root(),
            look("a"),
            open,
            out -> Write.encodeArgs(out, new Write.Args(StateId.CURRENT, 0, StableHow.FILE_SYNC4, data.duplicate())),
            out -> SetAttr.encodeArgs(out, new SetAttr.Args(StateId.ANONYMOUS, mode))
        };
    }

    @Test
    void shouldForceEachObjectOnceForACompound() throws Exception {
        assertOk(client.inSession(openAndWrite(client.open("new", 3, 0, unchecked(0644)))));
        assertThat(takeForced()).containsExactlyInAnyOrder(number("a"), number("a/new"));
    }

    @Test
    void shouldForceStableWritesWhereTheExportIsAsync() throws Exception {
        restart(settings().withSync(false));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(91));
        client = TestClient.connected(server, "second");
        assertOk(client.inSession(openAndWrite(client.open("new", 3, 0, unchecked(0644)))));
        assertThat(takeForced()).containsExactly(number("a/new"));
    }

    @Test
    void shouldAnswerTheFirstOperationThatIsNotDurableAndNoneBehindIt() throws Exception {
        fails = true;
        Reply reply = client.inSession(openAndWrite(client.open("new", 3, 0, unchecked(0644))));
        assertThat(reply.status()).isEqualTo(Status.NFS4ERR_IO);
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP).expect(Opcode.OPEN, Status.NFS4ERR_IO);
        assertThat(reply.in.remaining()).isZero();
        assertThat(server.counters()).containsEntry("openStates", 0L);
    }

    @Test
    void shouldForceWhatARepeatedExclusiveCreateClaimsToHaveMade() throws Exception {
        OpenHow how = new OpenHow.ExclusiveWithAttributes(77, Attributes.EMPTY);
        assertOk(client.inSession(root(), look("a"), client.open("new", 3, 0, how)));
        takeForced();
        assertOk(client.inSession(root(), look("a"), client.open("new", 3, 0, how)));
        assertThat(takeForced()).containsExactlyInAnyOrder(number("a"), number("a/new"));
    }

    @Test
    void shouldForceAFileThatIsCutWhenItIsOpened() throws Exception {
        Attributes empty = Attributes.builder().put(Attribute.SIZE, 0L).build();
        assertOk(client.inSession(root(), look("a"), client.open("file", 3, 0, new OpenHow.Unchecked(empty))));
        assertThat(takeForced()).containsExactly(number("a/file"));
    }

    @Test
    void shouldForceNothingWhereAFileIsOpened() throws Exception {
        assertOk(client.inSession(root(), look("a"), client.open("file", 3, 0, unchecked(0644))));
        assertThat(takeForced()).isEmpty();
    }

    @Test
    void shouldForceTheDirectoryThatANameWasRemovedFrom() throws Exception {
        assertOk(client.inSession(root(), look("a"), remove("file")));
        assertThat(takeForced()).containsExactly(number("a"));
    }

    @Test
    void shouldForceBothDirectoriesOfARenameAndTheNewNameFirst() throws Exception {
        Op rename = out -> Rename.encodeArgs(out, new Rename.Args("file", "moved"));
        assertOk(client.inSession(root(), look("a"), SaveFh::encodeArgs, root(), look("b"), rename));
        assertThat(takeForced()).containsExactly(number("b"), number("a"));
    }

    @Test
    void shouldForceADirectoryOnceWhereAFileIsRenamedInIt() throws Exception {
        Op rename = out -> Rename.encodeArgs(out, new Rename.Args("file", "moved"));
        assertOk(client.inSession(root(), look("a"), SaveFh::encodeArgs, rename));
        assertThat(takeForced()).containsExactly(number("a"));
    }

    @Test
    void shouldForceAFileAndTheDirectoryOfItsNewName() throws Exception {
        Op link = out -> Link.encodeArgs(out, new Link.Args("linked"));
        assertOk(client.inSession(root(), look("a"), look("file"), SaveFh::encodeArgs, root(), look("b"), link));
        assertThat(takeForced()).containsExactly(number("b"), number("a/file"));
    }

    @Test
    void shouldForceAnObjectWhoseAttributesWereSet() throws Exception {
        Attributes size = Attributes.builder().put(Attribute.SIZE, 3L).build();
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0700).build();
        assertThat(client.setAttributes(client.handle("a", "file"), size)).isEqualTo(Status.NFS4_OK);
        assertThat(client.setAttributes(client.handle("b"), mode)).isEqualTo(Status.NFS4_OK);
        assertThat(takeForced()).containsExactly(number("a/file"), number("b"));
    }

    @Test
    void shouldForceNothingWhereTheExportIsAsync() throws Exception {
        restart(settings().withSync(false));
        clock.addAndGet(TimeUnit.SECONDS.toNanos(91));
        client = TestClient.connected(server, "second");
        assertOk(client.inSession(root(), create("new")));
        assertOk(client.inSession(root(), look("a"), client.open("new", 3, 0, unchecked(0644))));
        assertOk(client.inSession(root(), look("a"), remove("new")));
        assertThat(takeForced()).isEmpty();
    }

    /** Sends a request by a client of its own, without waiting for the answer. */
    private CompletableFuture<Status> begin(String owner, Op... operations) throws Exception {
        TestClient other = TestClient.connected(server, owner);
        return CompletableFuture.supplyAsync(() -> {
            try {
                return other.inSession(operations).status();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void shouldNotAnswerBeforeAChangeIsOnStableStorageNorKeepTheReceiveThread() throws Exception {
        gate = new Semaphore(0);
        CompletableFuture<Status> made = begin("maker", root(), look("a"), create("new"));
        assertThat(entered.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        // the change is made, and others are served by the thread that has made it
        assertOk(client.inSession(root(), look("a"), look("new")));
        assertThat(made).isNotDone();
        gate.release(2);
        assertThat(made.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldShareAnFsyncThatBeginsAfterAllOfItsChanges() throws Exception {
        for (int i = 0; i < 20; i++) {
            Files.createFile(directory.resolve("a/old" + i));
        }
        gate = new Semaphore(0);
        List<CompletableFuture<Status>> removed = new ArrayList<>();
        removed.add(begin("remover", root(), look("a"), remove("file")));
        assertThat(entered.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 20; i++) {
            removed.add(begin("remover" + i, root(), look("a"), remove("old" + i)));
        }
        awaitOnlyDirectoryEntries(0);
        gate.release();
        assertThat(removed.get(0).get(SECONDS, TimeUnit.SECONDS)).isEqualTo(Status.NFS4_OK);
        // the first fsync had begun before: it is no answer to the others
        assertThat(removed.subList(1, 21)).noneMatch(CompletableFuture::isDone);
        gate.release(20);
        for (CompletableFuture<Status> each : removed) {
            assertThat(each.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(Status.NFS4_OK);
        }
        // each that comes while one is under way shares the next; the last of them may be late for that
        assertThat(takeForced().size()).isBetween(2, 3);
    }

    private void awaitOnlyDirectoryEntries(int count) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (directory.resolve("a").toFile().list().length != count) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldFailAndChangeTheVerifierWhereAnFsyncFails() throws Exception {
        Opened file = client.opened("written", 3, 0, unchecked(0644));
        long before = client.write(file, 0, "x", StableHow.UNSTABLE4).verifier();
        fails = true;
        assertThat(client.inSession(root(), look("a"), remove("file")).status()).isEqualTo(Status.NFS4ERR_IO);
        Reply reply = client.inSession(fh(file.handle()), out -> Commit.encodeArgs(out, new Commit.Args(0, 0)));
        reply.ok(Opcode.PUTFH, Opcode.COMMIT);
        assertThat(Commit.decodeResult(reply.in).verifier()).isNotEqualTo(before);
    }

    @Test
    void shouldConfirmWhatIsStableThoughAnotherFileWasLost() throws Exception {
        assertThat(writeWhereTheFirstFails(files(false))).isEqualTo(Status.NFS4_OK);
    }

    /** The kernel tells a loss once. So it may be that of any file whose forces exclude those of the one that fails. */
    @Test
    void shouldHaveAWriteDoneAgainWhoseDataMayBeLost() throws Exception {
        List<FileHandle> files = files(true);
        assertThat(writeWhereTheFirstFails(files)).isEqualTo(Status.NFS4ERR_DELAY);
        gate = null;
        assertOk(client.inSession(fh(files.get(1)), stableWrite()));
    }

    /** Two files whose inode numbers share a lock of the write verifier, or do not. */
    private List<FileHandle> files(boolean isShared) throws Exception {
        Map<Long, String> names = new HashMap<>();
        for (int i = 0; ; i++) {
            String name = "file-" + i;
            client.opened(name, 3, 0, unchecked(0644));
            String other = names.put(number(name) % 64, name);
            if (other != null && isShared) {
                return List.of(client.handle(other), client.handle(name));
            } else if (names.size() > 1 && !isShared) {
                return names.values().stream().limit(2).map(this::handle).toList();
            }
        }
    }

    private FileHandle handle(String name) {
        try {
            return client.handle(name);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes to two files. The fsync of one fails while that of the other waits. Returns the status of the other. */
    private Status writeWhereTheFirstFails(List<FileHandle> files) throws Exception {
        entered = new CountDownLatch(2);
        gate = new Semaphore(0);
        CompletableFuture<Status> first = begin("a", fh(files.get(0)), stableWrite());
        CompletableFuture<Status> second = begin("b", fh(files.get(1)), stableWrite());
        assertThat(entered.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        fails = true;
        gate.release();
        assertThat(CompletableFuture.anyOf(first, second).get(SECONDS, TimeUnit.SECONDS))
                .isEqualTo(Status.NFS4ERR_IO);
        gate.release();
        Status one = first.get(SECONDS, TimeUnit.SECONDS);
        return one == Status.NFS4ERR_IO ? second.get(SECONDS, TimeUnit.SECONDS) : one;
    }

    private static Op stableWrite() {
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3});
        return out -> Write.encodeArgs(out, new Write.Args(StateId.ANONYMOUS, 0, StableHow.FILE_SYNC4, data));
    }

    /** RFC 8881 section 8.3: the lease runs from the reply on. */
    @Test
    void shouldKeepWhatAClientHoldsWhileItsRequestIsExecuted() throws Exception {
        TestClient slow = TestClient.connected(server, "slow");
        assertThat(slow.opened("held", 3, 0, unchecked(0644))).isNotNull();
        entered = new CountDownLatch(1);
        gate = new Semaphore(0);
        CompletableFuture<Reply> made = CompletableFuture.supplyAsync(() -> {
            try {
                return slow.inSession(root(), look("a"), create("new"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(entered.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        long more = settings().lease().toNanos() + 1;
        clock.addAndGet(more);
        server.expireLeases();
        assertThat(server.counters()).containsEntry("openStates", 1L);
        gate.release(100);
        assertOk(made.get(SECONDS, TimeUnit.SECONDS));
        server.expireLeases();
        assertThat(server.counters()).containsEntry("openStates", 1L);
        clock.addAndGet(more);
        server.expireLeases();
        assertThat(server.counters()).containsEntry("openStates", 0L);
    }

    @Test
    void shouldAnswerWhatIsUnderWayThoughWhoClosesIsInterrupted() throws Exception {
        gate = new Semaphore(0);
        CompletableFuture<Status> made = begin("maker", root(), look("a"), create("new"));
        assertThat(entered.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        Thread closing = new Thread(() -> {
            Thread.currentThread().interrupt();
            server.close();
        });
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING && closing.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        assertThat(closing.isAlive()).isTrue();
        gate.release(2);
        assertThat(made.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(Status.NFS4_OK);
        closing.join();
        server = server(settings());
    }

    @Test
    void shouldLeaveNoOpenBehindThatCouldNotBeMadeDurable() throws Exception {
        fails = true;
        assertThat(client.statusOfOpen("new", 3, 0, unchecked(0644))).isEqualTo(Status.NFS4ERR_IO);
        assertThat(server.counters()).containsEntry("openStates", 0L);
        assertThat(client.statusOfOpen("new", 3, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
    }

    /** As of a program that the host executes (ETXTBSY). */
    @Test
    void shouldLeaveNoOpenBehindWhoseTruncationFails() throws Exception {
        AtomicBoolean isBusy = new AtomicBoolean();
        server.close();
        server = new NfsServer(
                settings(),
                temporary.resolve("another"), // without a grace period
                memory,
                path -> Intercepted.directory(Directories.open(path), (target, method, real) -> {
                    if (method.equals("open") && isBusy.get()) {
                        throw new IOException("Text file busy");
                    }
                    return real.make();
                }),
                disk -> disk,
                new ManualClock(clock::get));
        client = TestClient.connected(server, "another");
        Path program = Files.writeString(directory.resolve("program"), "content");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxrwxrwx"));
        Attributes empty = Attributes.builder().put(Attribute.SIZE, 0L).build();
        isBusy.set(true);
        assertThat(client.statusOfOpen("program", 3, 0, new OpenHow.Unchecked(empty)))
                .isEqualTo(Status.NFS4ERR_ACCESS);
        isBusy.set(false);
        assertThat(server.counters()).containsEntry("openStates", 0L);
        assertThat(TestClient.connected(server, "third").statusOfOpen("program", 3, 3, EXISTING))
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldKeepAnOpenThatWasThereBefore() throws Exception {
        Opened before = client.opened("new", 3, 0, unchecked(0644));
        Attributes empty = Attributes.builder().put(Attribute.SIZE, 0L).build();
        fails = true;
        assertThat(client.statusOfOpen("new", 3, 0, new OpenHow.Unchecked(empty)))
                .isEqualTo(Status.NFS4ERR_IO);
        assertThat(client.read(new Opened(before.stateId().withoutSeqid(), before.handle()), 0, 9))
                .isEmpty();
    }

    @Test
    void shouldTakeBackWhatAFailedOpenHasAddedToAnEarlierOne() throws Exception {
        Opened before = client.opened("new", READ, 0, unchecked(0644));
        Attributes empty = Attributes.builder().put(Attribute.SIZE, 0L).build();
        fails = true;
        assertThat(client.statusOfOpen("new", BOTH, DENY_WRITE, new OpenHow.Unchecked(empty)))
                .isEqualTo(Status.NFS4ERR_IO);
        assertThat(client.read(before, 0, 9)).isEmpty();
        TestClient other = TestClient.connected(server, "other");
        assertThat(other.statusOfOpen("new", WRITE, DENY_WRITE, EXISTING)).isEqualTo(Status.NFS4_OK);
        assertThat(client.close(before)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldAnswerWhatIsUnderWayWhenTheExportIsClosed() throws Exception {
        gate = new Semaphore(0);
        CompletableFuture<Status> made = begin("maker", root(), look("a"), create("new"));
        assertThat(entered.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
        gate.release(100);
        assertThat(made.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(Status.NFS4_OK);
        closed.get(SECONDS, TimeUnit.SECONDS);
    }

    /** It may search a directory and write there, and not read it, so that it cannot open it for fsync(2). */
    @Test
    void shouldChangeDirectoriesThatThisProcessMayNotRead() throws Exception {
        Opened file = client.opened("written", 3, 0, unchecked(0644));
        long before = client.write(file, 0, "x", StableHow.UNSTABLE4).verifier();
        Files.setPosixFilePermissions(directory.resolve("a"), PosixFilePermissions.fromString("-wx-wx-wx"));
        Attributes none = Attributes.builder().put(Attribute.MODE, 0).build();
        assertOk(client.inSession(root(), look("a"), create("new")));
        assertOk(client.inSession(root(), look("a"), client.open("made", 3, 0, unchecked(0644))));
        assertOk(client.inSession(root(), look("a"), remove("file")));
        assertOk(client.inSession(root(), out -> Create.encodeArgs(out, Create.directory("shut", none))));
        assertThat(client.setAttributes(client.handle("b"), none)).isEqualTo(Status.NFS4_OK);
        assertThat(client.write(file, 0, "x", StableHow.UNSTABLE4).verifier()).isEqualTo(before);
        Files.setPosixFilePermissions(directory.resolve("a"), PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(directory.resolve("b"), PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(directory.resolve("shut"), PosixFilePermissions.fromString("rwx------"));
    }
}
