package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.vfs.Intercepted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Who may reclaim after two restarts: the edge conditions of RFC 8881 section 8.4. In each a third client gets what the
 * first one held and gives it back, so that a reclaim would find nothing in its way.
 */
class RecoveryTest extends ServerFixture {
    private static final OpenHow EXISTING = new OpenHow.NoCreate();

    private FileHandle file;

    @BeforeEach
    void open() throws Exception {
        Files.writeString(directory.resolve("file"), "0123456789");
        file = client.opened("file", 3, 0, EXISTING).handle();
    }

    /** The client comes back, and has not sent RECLAIM_COMPLETE. */
    private void returns() throws Exception {
        client = new TestClient(server, "first");
        client.connect(1);
    }

    private void complete() throws Exception {
        client.inSession(out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false)))
                .ok(Opcode.RECLAIM_COMPLETE);
    }

    private Status reclaim() throws Exception {
        Open.Args args = new Open.Args(
                0, 3, 0, new StateOwner(client.clientId(), Opaque.of("owner")), EXISTING, new OpenClaim.Previous(0));
        return client.inSession(fh(file), out -> Open.encodeArgs(out, args)).status();
    }

    private void pass(int seconds) {
        clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private void interfere(int deny) throws Exception {
        TestClient third = TestClient.connected(server, "third");
        third.close(third.opened("file", 3, deny, EXISTING));
    }

    @Test
    void shouldNotLetAClientReclaimThatCameBackInTheGracePeriodAndNeverCompleted() throws Exception {
        restart(settings());
        returns();
        pass(89);
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        pass(2);
        interfere(Open.SHARE_DENY_BOTH);
        restart(settings());
        returns();

        assertThat(reclaim()).isEqualTo(Status.NFS4ERR_NO_GRACE);
    }

    @Test
    void shouldNotLetAClientReclaimThatReclaimedOnlyInPart() throws Exception {
        restart(settings());
        returns();
        assertThat(reclaim()).isEqualTo(Status.NFS4_OK);
        pass(89);
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        pass(2);
        server.expireLeases(); // ends the grace period, too: nobody has to ask for a new open
        restart(settings());
        returns();

        assertThat(reclaim()).isEqualTo(Status.NFS4ERR_NO_GRACE);
    }

    @Test
    void shouldNotLetAClientReclaimThatMissedTheGracePeriodOfTheRestartBefore() throws Exception {
        restart(settings());
        pass(91);
        interfere(Open.SHARE_DENY_BOTH);
        restart(settings());
        returns();

        assertThat(reclaim()).isEqualTo(Status.NFS4ERR_NO_GRACE);
    }

    @Test
    void shouldNotLetAClientReclaimWhoseLeaseHadRunOut() throws Exception {
        pass(91);
        server.expireLeases();
        interfere(Open.SHARE_DENY_BOTH);
        restart(settings());
        returns();

        assertThat(reclaim()).isEqualTo(Status.NFS4ERR_NO_GRACE);
    }

    @Test
    void shouldLetAClientReclaimAfterASecondRestartWithinTheGracePeriod() throws Exception {
        restart(settings());
        returns();
        restart(settings());
        returns();

        assertThat(reclaim()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldLetAClientReclaimAfterASecondRestartThatHadCompletedAfterTheFirst() throws Exception {
        TestClient other = TestClient.connected(server, "other"); // never comes back
        assertThat(other.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        restart(settings());
        returns();
        assertThat(reclaim()).isEqualTo(Status.NFS4_OK);
        complete();
        pass(89);
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        pass(2);
        interfere(0);
        restart(settings());
        returns();

        assertThat(reclaim()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldNotWaitForAClientThatHadNothingToReclaimYet() throws Exception {
        pass(91);
        server.expireLeases();
        returns(); // may not open anything before RECLAIM_COMPLETE
        restart(settings());

        assertThat(TestClient.connected(server, "third").statusOfOpen("file", 3, 0, EXISTING))
                .isEqualTo(Status.NFS4_OK);
    }

    /** From now on the record of clients cannot be written. */
    private Path fillDisk() throws Exception {
        Path record = state.resolve("clients");
        Files.move(record, state.resolve("clients.kept"));
        Files.createDirectory(record);
        return Files.createDirectories(state.resolve("clients.new/full"));
    }

    private void freeDisk(Path obstacle) throws Exception {
        Files.delete(obstacle);
        Files.delete(obstacle.getParent());
        Path record = state.resolve("clients");
        Files.delete(record);
        Files.move(state.resolve("clients.kept"), record);
    }

    @Test
    void shouldKeepWhatAnExpiredClientHoldsUntilItIsOffTheRecord() throws Exception {
        pass(60);
        TestClient third = TestClient.connected(server, "third");
        pass(31);
        Path obstacle = fillDisk();
        server.expireLeases();
        assertThat(third.statusOfOpen("file", 3, Open.SHARE_DENY_BOTH, EXISTING))
                .isEqualTo(Status.NFS4ERR_SHARE_DENIED);

        freeDisk(obstacle);
        server.expireLeases();
        third.close(third.opened("file", 3, Open.SHARE_DENY_BOTH, EXISTING));
        restart(settings());
        returns();
        assertThat(reclaim()).isEqualTo(Status.NFS4ERR_NO_GRACE);
    }

    @Test
    void shouldLetAClientReclaimThatCouldNotBeEnded() throws Exception {
        pass(91);
        Path obstacle = fillDisk();
        server.expireLeases();
        assertThat(client.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        server.expireLeases();
        freeDisk(obstacle);
        restart(settings());
        returns();
        assertThat(reclaim()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldStayInTheGracePeriodUntilItsEndIsOnRecord() throws Exception {
        restart(settings());
        TestClient third = TestClient.connected(server, "third");
        pass(60);
        assertThat(third.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        pass(31);
        Path obstacle = fillDisk();
        server.expireLeases();
        assertThat(third.statusOfOpen("file", 3, 0, EXISTING)).isEqualTo(Status.NFS4ERR_GRACE);
        returns();
        assertThat(reclaim()).isEqualTo(Status.NFS4_OK); // nobody has got anything meanwhile

        freeDisk(obstacle);
        pass(1);
        assertThat(third.statusOfOpen("file", 3, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldTellAClientToComeAgainThatCannotBePutOnRecord() throws Exception {
        TestClient third = new TestClient(server, "third");
        third.connect(1);
        Op complete = out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false));
        Path obstacle = fillDisk();
        assertThat(third.inSession(complete).status()).isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(third.statusOfOpen("file", 3, 0, EXISTING)).isEqualTo(Status.NFS4ERR_GRACE);
        freeDisk(obstacle);
        assertThat(third.inSession(complete).status()).isEqualTo(Status.NFS4_OK);
        assertThat(third.statusOfOpen("file", 3, 0, EXISTING)).isEqualTo(Status.NFS4_OK);
    }

    /** A killed server may have made changes and answered none of them; its clients look, and take them for done. */
    @ParameterizedTest
    @CsvSource({"true, 0, 1", "true, 2, 3", "false, 0, 0"})
    void shouldBringWhatAnEarlierRunHasDoneToStableStorage(boolean sync, int failures, int times) throws Exception {
        server.close();
        AtomicInteger synced = new AtomicInteger();
        server = start(settings().withSync(sync), synced, failures);
        assertThat(synced).hasValue(times);
    }

    @Test
    void shouldNotServeWhatAnEarlierRunHasDoneAndTheDiskDoesNotTake() throws Exception {
        server.close();
        assertThatIOException()
                .isThrownBy(() -> start(settings(), new AtomicInteger(), Integer.MAX_VALUE))
                .withMessageContaining("changes of an earlier run cannot be brought to stable storage")
                .withMessageContaining("check the disk");
        server = start(settings(), new AtomicInteger(), 0);
        returns();
        assertThat(reclaim()).isEqualTo(Status.NFS4_OK);
    }

    /** A read-only export may be there to save what is left on a disk. */
    @Test
    void shouldServeADiskThatFailsToReadersAlone() throws Exception {
        server.close();
        server = start(settings().withReadOnly(true), new AtomicInteger(), Integer.MAX_VALUE);
        assertThat(TestClient.connected(server, "third").inSession(root()).status())
                .isEqualTo(Status.NFS4_OK);
    }

    /** Starts the server anew. The first calls of syncfs(2) fail. */
    private NfsServer start(ExportSettings settings, AtomicInteger synced, int failures) throws IOException {
        return new NfsServer(
                settings,
                state,
                memory,
                path -> Intercepted.directory(Directories.open(path), (target, method, real) -> {
                    if (method.equals("syncFileSystem") && synced.incrementAndGet() <= failures) {
                        throw new IOException("Input/output error");
                    }
                    return real.make();
                }),
                UnaryOperator.identity(),
                new ManualClock(clock::get));
    }
}
