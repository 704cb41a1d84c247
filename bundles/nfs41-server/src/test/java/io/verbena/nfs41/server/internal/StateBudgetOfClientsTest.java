package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.budget.ClientAccount;
import io.verbena.nfs41.server.internal.budget.Principal;
import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A client that wants more than its part of a small budget, and another one beside it. */
class StateBudgetOfClientsTest extends ServerFixture {
    private static final int CLIENTS = 32;
    private static final ChannelAttributes LARGE =
            new ChannelAttributes(0, 2 << 20, 2 << 20, 8192, 32, 64, Optional.empty());

    @Override
    StateBudget budget() {
        return new StateBudget(2 * CLIENTS * StateBudget.GUARANTEED);
    }

    private static Op create(long clientId, int sequence) {
        return out -> CreateSession.encodeArgs(
                out, new CreateSession.Args(clientId, sequence, 0, LARGE, LARGE, 0, List.of()));
    }

    /** The status of an EXCHANGE_ID. */
    private Status exchange(String owner) throws Exception {
        TestClient fresh = new TestClient(server, owner);
        return fresh.send(out -> ExchangeId.encodeArgs(out, fresh.exchangeArgs(1, 0)))
                .status();
    }

    private void destroy(TestClient gone) throws Exception {
        Op session = out -> DestroySession.encodeArgs(out, new DestroySession.Args(gone.session()));
        assertThat(gone.send(session).status()).isEqualTo(Status.NFS4_OK);
        Op itself = out -> DestroyClientId.encodeArgs(out, new DestroyClientId.Args(gone.clientId()));
        assertThat(gone.send(itself).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldLetUnconfirmedClientsMakeRoomForNewOnes() throws Exception {
        for (int i = 0; i < 5000; i++) {
            assertThat(exchange("flood " + i)).isEqualTo(Status.NFS4_OK);
        }
        TestClient late = TestClient.connected(server, "late");
        assertThat(late.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        assertThat(budget.held()).isLessThan(CLIENTS * StateBudget.GUARANTEED);
    }

    @Test
    void shouldLetThoseOfOneAddressMakeNoRoomForItsOthers() throws Exception {
        TestClient elsewhere = new TestClient(server, "elsewhere");
        elsewhere.use(new FakePeer("10.0.0.1"));
        ExchangeId.Result known = elsewhere.exchangeId(1, 0); // not confirmed yet
        for (int i = 0; i < 100; i++) {
            assertThat(exchange("flood " + i)).isEqualTo(Status.NFS4_OK);
        }
        elsewhere.useClientId(known.clientId());
        assertThat(elsewhere.createSession(known.sequenceId()).sequenceId()).isEqualTo(known.sequenceId());
    }

    @Test
    void shouldLetNewClientsInFromBothHostsWhileOneFloods() throws Exception {
        for (int i = 0; i < 5000; i++) { // each a user of its own, as AUTH_SYS proves none
            TestClient flood = new TestClient(server, "flood " + i).as(i, i);
            flood.use(new FakePeer("127.0.0.1"));
            assertThat(flood.send(out -> ExchangeId.encodeArgs(out, flood.exchangeArgs(1, 0)))
                            .status())
                    .isEqualTo(Status.NFS4_OK);
        }
        for (String host : List.of("127.0.0.1", "127.0.0.2")) {
            TestClient late = new TestClient(server, "late at " + host).as(7000, 7000);
            late.use(new FakePeer(host));
            late.begun();
            assertThat(late.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        }
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        assertThat(budget.held()).isLessThan(CLIENTS * StateBudget.GUARANTEED);
    }

    /** A server of another directory, with the same memory. */
    private NfsServer secondExport() throws Exception {
        ExportSettings settings = ExportSettings.of("second", Files.createDirectory(temporary.resolve("second")));
        return new NfsServer(
                settings,
                temporary.resolve("state of the second"),
                memory,
                UnaryOperator.identity(),
                new ManualClock(clock::get));
    }

    /** As many clients as there may be and more, which only send EXCHANGE_ID, from some addresses and principals. */
    private void flood(int from) throws Exception {
        for (int i = 0; i < 200; i++) {
            TestClient flood = new TestClient(server, "flood " + from + " " + i).as(i % 4, 0);
            flood.use(new FakePeer("10.0.0." + (from + i % 3)));
            flood.send(out -> ExchangeId.encodeArgs(out, flood.exchangeArgs(1, 0)));
        }
    }

    @Test
    void shouldLetUnconfirmedClientsOfAnotherExportMakeRoom() throws Exception {
        try (NfsServer other = secondExport()) {
            for (int round = 0; round < 3; round++) {
                flood(10 * round);
                TestClient fresh = new TestClient(other, "behaved " + round);
                fresh.use(new FakePeer("10.9.9." + round));
                fresh.begun();
            }
        }
    }

    @Test
    void shouldNotConfirmAClientThatHasMadeRoomForOneOfAnotherExport() throws Exception {
        try (NfsServer other = secondExport()) {
            TestClient oldest = new TestClient(other, "oldest");
            oldest.use(new FakePeer("10.9.9.9"));
            ExchangeId.Result known = oldest.exchangeId(1, 0);
            flood(0);
            assertThat(oldest.send(create(known.clientId(), known.sequenceId())).status())
                    .isEqualTo(Status.NFS4ERR_STALE_CLIENTID);
            oldest.begun();
            flood(10);
            assertThat(oldest.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        }
        server.close();
        assertThat(budget.held()).isZero();
    }

    @Test
    void shouldEndExpiredClientsBeforeItRefusesOneTheLongestIdleFirst() throws Exception {
        List<TestClient> confirmed = new ArrayList<>();
        confirmed.add(client);
        while (confirmed.size() < CLIENTS / 2 * 3 / 4) {
            clock.addAndGet(Duration.ofMillis(100).toNanos());
            confirmed.add(TestClient.connected(server, "one of them " + confirmed.size()));
        }
        assertThat(exchange("late")).isEqualTo(Status.NFS4ERR_DELAY);
        TestClient elsewhere = new TestClient(server, "elsewhere");
        elsewhere.use(new FakePeer("10.0.0.1"));
        elsewhere.begun();
        clock.addAndGet(
                Duration.ofSeconds(90).toNanos() - Duration.ofMillis(550).toNanos());
        assertThat(exchange("late")).isEqualTo(Status.NFS4_OK);
        assertThat(client.send(client.sequence(99, 0, false)).status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        for (TestClient lives : confirmed.subList(1, confirmed.size())) {
            assertThat(lives.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        }
        assertThat(elsewhere.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldGrantSmallerSessionsAndThenNoneWhereAClientHasItsPart() throws Exception {
        TestClient greedy = new TestClient(server, "greedy");
        ExchangeId.Result known = greedy.exchangeId(1, 0);
        List<CreateSession.Result> made = new ArrayList<>();
        Reply reply = greedy.send(create(known.clientId(), known.sequenceId()));
        while (reply.status().isOk()) {
            reply.expect(Opcode.CREATE_SESSION, Status.NFS4_OK);
            made.add(CreateSession.decodeResult(reply.in));
            reply = greedy.send(create(known.clientId(), known.sequenceId() + made.size()));
        }
        assertThat(reply.status()).isIn(Status.NFS4ERR_NOSPC, Status.NFS4ERR_DELAY);
        assertThat(made.get(0).foreChannel().maxRequests()).isBetween(8, 64);
        assertThat(made.get(made.size() - 1).foreChannel().maxRequests())
                .isLessThan(made.get(0).foreChannel().maxRequests());
        assertThat(TestClient.connected(server, "late").inSession(root()).status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldRefuseOpensLocksAndRangesAndServeOthers() throws Exception {
        TestClient other = TestClient.connected(server, "other");
        Opened file = client.opened("file", 3, 0, unchecked(0644));
        Reply locked = lock(client, file, new Lock.NewLockOwner(0, file.stateId(), 0, owner(client, "locker")), 0);
        locked.ok(Opcode.PUTFH, Opcode.LOCK);
        StateId lockId = Lock.decodeResult(locked.in).stateId();
        int ranges = 1;
        Status status = Status.NFS4_OK;
        while (status.isOk()) {
            Reply more = lock(client, file, new Lock.ExistingLockOwner(lockId.withoutSeqid(), 0), ranges * 10L);
            status = more.status();
            ranges++;
            assertThat(ranges).isLessThan(100_000);
        }
        assertThat(status).isEqualTo(Status.NFS4ERR_SERVERFAULT);
        // to cut a range in two takes one more
        Op cut = out -> LockU.encodeArgs(out, new LockU.Args(LockType.WRITE_LT, 0, lockId.withoutSeqid(), 1, 1));
        assertThat(client.inSession(fh(file.handle()), cut).status()).isIn(Status.NFS4ERR_SERVERFAULT, Status.NFS4_OK);
        assertThat(client.inSession(fh(file.handle()), cut).status()).isIn(Status.NFS4ERR_SERVERFAULT, Status.NFS4_OK);
        assertThat(openAll(client)).isEqualTo(Status.NFS4ERR_SERVERFAULT);
        Opened others = other.opened("others", 3, 0, unchecked(0644));
        other.write(others, 0, "text", io.verbena.nfs41.StableHow.UNSTABLE4);
        assertThat(other.read(others, 0, 4)).isEqualTo("text");
        // all is unlocked, and there is room again
        Op all = out -> LockU.encodeArgs(out, new LockU.Args(LockType.WRITE_LT, 0, lockId.withoutSeqid(), 0, -1));
        assertThat(client.inSession(fh(file.handle()), all).status()).isEqualTo(Status.NFS4_OK);
        assertThat(client.statusOfOpen("again", 3, 0, unchecked(0644))).isEqualTo(Status.NFS4_OK);
    }

    private Status openAll(TestClient by) throws Exception {
        for (int i = 0; i < 100_000; i++) {
            Status status = by.inSession(root(), by.open("owner " + i, "file", 1, 0, new OpenHow.NoCreate()))
                    .status();
            if (!status.isOk()) {
                return status;
            }
        }
        return Status.NFS4_OK;
    }

    /** Else the file would be there at its next try. */
    @Test
    void shouldMakeNoFileForAClientThatIsPutOff() throws Exception {
        Opened open = client.opened("file", 3, 0, unchecked(0644));
        List<ClientAccount> others = new ArrayList<>();
        for (int i = 0; i < CLIENTS / 2; i++) {
            ClientAccount greedy =
                    budget.open(new InetSocketAddress("10.0.0." + i, 2049), new Principal(1, 7000), () -> {});
            others.add(greedy);
            assertThat(greedy.take(StateKind.OPENS, greedy.spare())).isTrue();
        }
        assertThat(openAll(client)).isEqualTo(Status.NFS4ERR_DELAY);
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0444).build();
        for (OpenHow how : List.of(new OpenHow.Guarded(mode), new OpenHow.Unchecked(mode))) {
            assertThat(client.statusOfOpen("new", 3, 0, how)).isEqualTo(Status.NFS4ERR_DELAY);
            assertThat(directory.resolve("new")).doesNotExist();
        }
        assertThat(client.opened("file", 3, 0, unchecked(0644)).stateId().isSameState(open.stateId()))
                .isTrue();
        long held = budget.held();
        others.forEach(each -> each.give(StateKind.OPENS, each.held()));
        assertThat(client.statusOfOpen("new", 3, 0, new OpenHow.Guarded(mode))).isEqualTo(Status.NFS4_OK);
        assertThat(client.statusOfOpen("new", 3, 0, new OpenHow.Guarded(mode))).isEqualTo(Status.NFS4ERR_EXIST);
        assertThat(budget.held()).isLessThan(held);
    }

    private static StateOwner owner(TestClient of, String name) {
        return new StateOwner(of.clientId(), Opaque.of(name));
    }

    private static Reply lock(TestClient by, Opened file, Lock.Locker locker, long offset) throws Exception {
        return by.inSession(
                fh(file.handle()),
                out -> Lock.encodeArgs(out, new Lock.Args(LockType.WRITE_LT, false, offset, 5, locker)));
    }

    /** A session of a client that fills its reply cache. */
    private static final class Filler {
        private final TestClient by;
        private final SessionId session;
        private final int slots;
        private final int[] sequences;
        private Sequence.Result told;

        Filler(TestClient by, CreateSession.Result made) {
            this.by = by;
            session = made.sessionId();
            slots = made.foreChannel().maxRequests();
            sequences = new int[slots];
        }

        /**
         * A request whose reply is cached, and about as long as the cache takes: by a long tag and many filehandles.
         */
        Status fill(int slot, int highest) throws Exception {
            Op[] all = new Op[31];
            Arrays.fill(all, TestClient.getFh());
            all[0] = out ->
                    Sequence.encodeArgs(out, new Sequence.Args(session, sequences[slot] + 1, slot, highest, true));
            all[1] = root();
            Reply reply = by.send(all);
            if (reply.status().isOk()) {
                sequences[slot]++;
                reply.expect(Opcode.SEQUENCE, Status.NFS4_OK);
                told = Sequence.decodeResult(reply.in);
            }
            return reply.status();
        }
    }

    private List<Filler> sessions(TestClient of) throws Exception {
        ExchangeId.Result known = of.exchangeId(1, 0);
        of.useClientId(known.clientId());
        List<Filler> fillers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Reply reply = of.send(create(known.clientId(), known.sequenceId() + i));
            if (!reply.status().isOk()) {
                break;
            }
            reply.expect(Opcode.CREATE_SESSION, Status.NFS4_OK);
            fillers.add(new Filler(of, CreateSession.decodeResult(reply.in)));
        }
        return fillers;
    }

    @Test
    void shouldPutRequestsOffWhoseRepliesCannotBeCachedAndAskForFewerSlots() throws Exception {
        budget.limit(0); // the least
        TestClient other = TestClient.connected(server, "other");
        List<Filler> fillers = sessions(new TestClient(server, "greedy"));
        boolean isPutOff = false;
        for (Filler filler : fillers) {
            for (int slot = 0; slot < filler.slots; slot++) {
                isPutOff |= filler.fill(slot, filler.slots - 1) == Status.NFS4ERR_DELAY;
            }
        }
        assertThat(isPutOff).isTrue();
        assertThat(budget.held()).isLessThan(budget.limit());
        Opened file = other.opened("file", 3, 0, unchecked(0644));
        assertThat(other.close(file)).isEqualTo(Status.NFS4_OK);
        for (Filler filler : fillers) {
            // there is always room in the lowest slot
            assertThat(filler.fill(0, 0)).isEqualTo(Status.NFS4_OK);
        }
    }

    /** Sessions of a client that has its part of the least budget. */
    private List<Filler> filledSessions() throws Exception {
        budget.limit(0);
        List<Filler> fillers = sessions(new TestClient(server, "greedy"));
        for (Filler filler : fillers) {
            for (int slot = 0; slot < filler.slots; slot++) {
                Status unused = filler.fill(slot, filler.slots - 1);
            }
        }
        clock.addAndGet(Duration.ofSeconds(2).toNanos()); // the server looks again what it can do for each
        return fillers;
    }

    @Test
    void shouldRetireSlotsThatTheClientDoesNotUseAnyMore() throws Exception {
        Filler first = filledSessions().get(0);
        assertThat(first.slots).isGreaterThan(3);
        assertThat(first.fill(0, first.slots - 1)).isEqualTo(Status.NFS4_OK);
        int target = first.told.targetHighestSlotId();
        assertThat(target).isLessThan(first.slots - 1);
        assertThat(first.told.highestSlotId()).isEqualTo(first.slots - 1);
        long before = budget.held();
        // another slot's next request may have been sent before the client was told
        assertThat(first.fill(1, 1)).isIn(Status.NFS4_OK, Status.NFS4ERR_DELAY);
        assertThat(first.told.highestSlotId()).isEqualTo(first.slots - 1);
        assertThat(first.fill(0, 1)).isEqualTo(Status.NFS4_OK);
        assertThat(first.told.highestSlotId()).isEqualTo(target);
        assertThat(budget.held()).isLessThan(before);
        // a client that took an older target for the newest uses a retired slot
        int last = first.slots - 1;
        assertThat(first.fill(last, last)).isIn(Status.NFS4_OK, Status.NFS4ERR_DELAY);
    }

    @Test
    void shouldGiveSlotsBackWhereThereIsRoomAgain() throws Exception {
        List<Filler> fillers = filledSessions();
        Filler first = fillers.get(0);
        assertThat(first.fill(0, 0)).isEqualTo(Status.NFS4_OK);
        assertThat(first.fill(0, 0)).isEqualTo(Status.NFS4_OK);
        assertThat(first.told.highestSlotId()).isLessThan(first.slots - 1);
        for (Filler filler : fillers.subList(1, fillers.size())) {
            Op destroy = out -> DestroySession.encodeArgs(out, new DestroySession.Args(filler.session));
            assertThat(filler.by.send(destroy).status()).isEqualTo(Status.NFS4_OK);
        }
        for (int i = 0; i < 8; i++) {
            clock.addAndGet(Duration.ofSeconds(2).toNanos());
            assertThat(first.fill(0, 0)).isEqualTo(Status.NFS4_OK);
        }
        assertThat(first.told.highestSlotId()).isEqualTo(first.slots - 1);
        int last = first.slots - 1;
        first.sequences[last] = 0; // a client that has forgotten the slot starts at 1 again
        assertThat(first.fill(last, last)).isEqualTo(Status.NFS4_OK);
        assertThat(first.fill(last, last)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldHoldNothingWhenAllHasEnded() throws Exception {
        long before = budget.held();
        Random random = new Random(7);
        for (int round = 0; round < 5; round++) {
            TestClient any = TestClient.connected(server, "any " + round);
            List<Opened> files = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Opened file = any.opened("file " + random.nextInt(10), 3, 0, unchecked(0644));
                files.removeIf(each -> each.stateId().isSameState(file.stateId()));
                files.add(file);
                Opened some = files.get(random.nextInt(files.size()));
                Lock.Locker locker =
                        new Lock.NewLockOwner(0, some.stateId(), 0, owner(any, "locker " + random.nextInt(3)));
                lock(any, some, locker, random.nextInt(1000));
                if (random.nextInt(4) == 0) {
                    assertThat(any.close(some)).isEqualTo(Status.NFS4_OK);
                    files.remove(some);
                }
            }
            assertThat(budget.held()).isGreaterThan(before);
            if (round % 2 == 0) {
                for (Opened file : files) {
                    assertThat(any.close(file)).isEqualTo(Status.NFS4_OK);
                }
                destroy(any);
                assertThat(budget.held()).isEqualTo(before);
            } else {
                clock.addAndGet(Duration.ofSeconds(60).toNanos());
                assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
                clock.addAndGet(Duration.ofSeconds(60).toNanos());
                server.expireLeases();
                assertThat(budget.held()).isEqualTo(before);
            }
        }
        server.close();
        assertThat(budget.held()).isZero();
        assertThat(budget.heldByKind().values()).containsOnly(0L);
    }
}
