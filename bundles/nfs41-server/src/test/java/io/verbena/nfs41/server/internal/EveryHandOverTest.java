package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.attributes;
import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.verbena.conformance.HandOvers;
import io.verbena.dirfd.Directory;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.ToldClient.AnsweredException;
import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.file.CountedChannel;
import io.verbena.nfs41.server.internal.file.Durability;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.util.CacheShares;
import io.verbena.nfs41.server.internal.vfs.Intercepted;
import io.verbena.runtime.Runtime;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An Error at any one hand-over between the server and its transport, its executors, its clock, its file system, its
 * stable storage and the clients that it calls back: each request has one answer, the request that the Error concerns
 * fails, nothing is left behind, and the next requests go.
 */
class EveryHandOverTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(90);
    private static final int AT_ONCE = 8;
    private static final OpenHow EXISTING = new OpenHow.NoCreate();

    /** How long a test waits for a callback that the Error may have ended, before the lease ends the delegation. */
    private static final long CALLBACK_MILLIS = 300;

    @TempDir
    Path temporary;

    private interface Step {
        void run() throws Exception;
    }

    /** Several at a time, as most of the time of each is a wait for a callback that does not come. */
    @Test
    @Timeout(600)
    void shouldEndExactlyWhatAnErrorConcerns() throws Exception {
        int handOvers = assertTimeoutPreemptively(BOUND, () -> new Run(0).run());
        assertThat(handOvers).isGreaterThan(200);
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<Integer>> runs = new ArrayList<>();
            for (int i = 1; i <= handOvers; i++) {
                int number = i;
                runs.add(threads.submit(() ->
                        assertTimeoutPreemptively(BOUND, () -> new Run(number).run(), () -> "hand-over " + number)));
            }
            for (int i = 0; i < handOvers; i++) {
                Future<Integer> run = runs.get(i);
                assertThatCode(run::get).as("hand-over %d", i + 1).doesNotThrowAnyException();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** A server, of which one hand-over fails. */
    private final class Run {
        private final int number;
        private final HandOvers handOvers =
                new HandOvers().including(ExecutorService.class, ScheduledExecutorService.class);
        private final AtomicLong clock = new AtomicLong(1_000_000_000L);
        private final StateBudget budget = StateBudget.ofHeap();
        private final Path directory;
        private final NfsServer server;

        Run(int number) throws Exception {
            this.number = number;
            directory = Files.createDirectory(temporary.resolve("export " + number));
            Files.writeString(directory.resolve("file"), "0123456789");
            Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
            server = new NfsServer(
                    ExportSettings.of("every", directory).withSquash(nobody),
                    temporary.resolve("state " + number),
                    new ServerMemory(budget, CacheShares.ofHeap()),
                    path -> counted(Directories.open(path)),
                    disk -> handOvers.through(Durability.Storage.class, disk),
                    handOvers.through(Runtime.class, new ManualClock(clock::get)));
        }

        private Directory counted(Directory real) {
            return Intercepted.directory(real, (target, method, call) -> {
                handOvers.pass(method);
                Object result = call.make();
                return result instanceof FileChannel file ? new CountedChannel(file, handOvers::pass) : result;
            });
        }

        /** Returns the number of hand-overs. */
        int run() throws Exception {
            try (server) {
                ToldClient holder = client("holder");
                ToldClient other = client("other");
                handOvers.failAt(number);
                begin(holder);
                begin(other);
                use(holder, other);
                int passed = handOvers.passed();
                handOvers.failAt(0);
                requireFewFailures(holder, other);
                requireWhole();
                requireNothingLeft();
                return passed;
            }
        }

        private ToldClient client(String owner) {
            return (ToldClient) new ToldClient(server, owner, handOvers).callable();
        }

        /** As a client does that has no answer to RECLAIM_COMPLETE: it asks again. */
        private void begin(ToldClient client) throws Exception {
            attempt(client::begun);
            if (client.session() != null && !client.failures().isEmpty()) {
                Op again = out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false));
                attempt(() -> client.inSession(again));
            }
        }

        private void attempt(Step step) throws Exception {
            try {
                step.run();
            } catch (AnsweredException e) {
                assertThat(number).as("%s", e.getMessage()).isPositive();
            }
        }

        /** The first that failed is the one that the Error concerned; the rest may miss what that one has not made. */
        private void requireFewFailures(ToldClient... clients) {
            for (ToldClient each : clients) {
                each.failures().stream()
                        .filter(failure -> !failure.equals("NFS4ERR_DELAY"))
                        .findFirst()
                        .ifPresent(first -> assertThat(first).isIn("SYSTEM_ERR", "NFS4ERR_SERVERFAULT", "NFS4ERR_IO"));
            }
        }

        /** Of each kind of request one, which is answered whatever becomes of it. */
        private void use(ToldClient holder, ToldClient other) throws Exception {
            if (holder.session() == null || other.session() == null) {
                return;
            }
            attempt(() -> useFile(holder));
            attempt(() -> useNames(holder));
            attempt(() -> delegate(holder, other));
            attemptAnyway(server::expireLeases);
        }

        private void useFile(ToldClient by) throws Exception {
            Opened file = by.opened("new", Open.SHARE_ACCESS_BOTH, 0, unchecked(0600));
            attempt(() -> by.write(file, 0, "text", StableHow.UNSTABLE4));
            attempt(() -> by.write(file, 2, "more", StableHow.FILE_SYNC4));
            attempt(() -> by.inSession(fh(file.handle()), out -> Commit.encodeArgs(out, new Commit.Args(0, 0))));
            attempt(() -> by.read(file, 0, 100));
            attempt(() -> lock(by, file));
            Attributes size = Attributes.builder().put(Attribute.SIZE, 3L).build();
            attempt(() -> by.setAttributes(file.handle(), size));
            attempt(() -> by.attributesOf(file.handle(), Attribute.SIZE));
            by.close(file);
        }

        private void lock(ToldClient by, Opened file) throws Exception {
            Lock.NewLockOwner owner =
                    new Lock.NewLockOwner(0, file.stateId(), 0, new StateOwner(by.clientId(), Opaque.of("owner")));
            Lock.Args args = new Lock.Args(LockType.WRITE_LT, false, 0, 10, owner);
            Reply reply = by.inSession(fh(file.handle()), out -> Lock.encodeArgs(out, args));
            reply.ok(Opcode.PUTFH, Opcode.LOCK);
            StateId lock = Lock.decodeResult(reply.in).stateId();
            LockU.Args unlock = new LockU.Args(LockType.WRITE_LT, 0, lock, 0, 10);
            by.inSession(fh(file.handle()), out -> LockU.encodeArgs(out, unlock));
        }

        private void useNames(ToldClient by) throws Exception {
            Op make = out -> Create.encodeArgs(out, Create.directory("folder", Attributes.EMPTY));
            attempt(() -> by.inSession(root(), make));
            Op link = out -> Create.encodeArgs(out, Create.symbolicLink("link", "file", Attributes.EMPTY));
            attempt(() -> by.inSession(root(), link));
            Op rename = out -> Rename.encodeArgs(out, new Rename.Args("new", "moved"));
            attempt(() -> by.inSession(root(), SaveFh::encodeArgs, look("folder"), rename));
            ReadDir.Args list = new ReadDir.Args(0, 0, 4096, 32_768, AttributeMask.of(Attribute.TYPE));
            attempt(() -> by.inSession(root(), out -> ReadDir.encodeArgs(out, list)));
            attempt(() -> by.inSession(root(), look("file"), getFh(), attributes(Attribute.SIZE)));
            attempt(() -> by.inSession(root(), look("folder"), remove("moved")));
            attempt(() -> by.inSession(root(), remove("link")));
            attempt(() -> by.inSession(root(), remove("folder")));
        }

        /** A delegation is in the way of an OPEN; it is given back, or the lease ends it. */
        private void delegate(ToldClient holder, ToldClient other) throws Exception {
            DelegationFixture.Granted granted = DelegationFixture.open(holder, "file", Open.SHARE_ACCESS_READ);
            List<Status> seen = new ArrayList<>();
            while (true) {
                assertThat(seen)
                        .as("answers to OPEN after %s: %s", handOvers.failed(), other.failures())
                        .hasSizeLessThan(50);
                seen.add(openForWriting(other));
                if (seen.get(seen.size() - 1).isOk()) {
                    return;
                }
                attemptAnyway(() -> answerRecall(holder, granted));
                clock.addAndGet(LEASE.dividedBy(9).toNanos());
                attemptAnyway(() -> holder.inSession(root()));
                attemptAnyway(server::expireLeases);
            }
        }

        private Status openForWriting(ToldClient by) throws Exception {
            try {
                return by.statusOfOpen("file", Open.SHARE_ACCESS_WRITE, 0, EXISTING);
            } catch (AnsweredException e) {
                return Status.NFS4ERR_DELAY;
            }
        }

        private void answerRecall(ToldClient holder, DelegationFixture.Granted granted) throws Exception {
            FakePeer.Received call = holder.peer().poll(CALLBACK_MILLIS);
            if (call != null) {
                call.answer(Status.NFS4_OK);
                DelegationFixture.giveBack(holder, granted);
            }
        }

        private void attemptAnyway(Step step) throws Exception {
            try {
                step.run();
            } catch (AnsweredException e) {
                assertThat(e).hasMessageMatching("NFS4ERR_.*|SYSTEM_ERR");
            } catch (OutOfMemoryError e) {
                assertThat(number).isPositive(); // of the server's scheduler, not of a request
            }
        }

        private static Op remove(String name) {
            return out -> Remove.encodeArgs(out, new Remove.Args(name));
        }

        /** What came behind the failure goes as if there had been none. */
        private void requireWhole() throws Exception {
            ToldClient first = client("first");
            ToldClient second = client("second");
            first.begun();
            second.begun();
            Opened file = first.opened("after", Open.SHARE_ACCESS_BOTH, 0, unchecked(0600));
            first.write(file, 0, "after", StableHow.FILE_SYNC4);
            assertThat(first.read(file, 0, 10)).isEqualTo("after");
            lock(first, file);
            first.close(file);
            Op renamed = out -> Rename.encodeArgs(out, new Rename.Args("after", "renamed"));
            first.inSession(root(), SaveFh::encodeArgs, renamed);
            first.inSession(root(), remove("renamed"));
            second.inSession(root(), look("file"), attributes(Attribute.SIZE));
            assertThat(first.failures()).isEmpty();
            assertThat(second.failures()).isEmpty();
        }

        /** All leases expire: neither clients nor their state nor their octets are left. */
        private void requireNothingLeft() {
            clock.addAndGet(LEASE.multipliedBy(3).toNanos());
            server.expireLeases();
            clock.addAndGet(LEASE.multipliedBy(3).toNanos());
            server.expireLeases();
            Map<String, Long> counters = server.counters();
            assertThat(counters)
                    .as("after %s", handOvers.failed())
                    .containsEntry("clients", 0L)
                    .containsEntry("sessions", 0L)
                    .containsEntry("openStates", 0L)
                    .containsEntry("waiting", 0L)
                    .containsEntry("stateOctets", 0L);
            assertThat(budget.held()).isZero();
        }
    }
}
