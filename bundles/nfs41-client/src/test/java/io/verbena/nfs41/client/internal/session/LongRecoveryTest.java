package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Recovery that goes wrong the first time, takes long, or cannot bring all back. */
@Timeout(60)
class LongRecoveryTest {
    private static final Set<StandardOpenOption> OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldSendWhatWasNotAnsweredInTimeByAnotherConnection() throws IOException {
        try (NfsMount mount = server.mount("")) {
            server.loseNextReply(new CallTimedOutException("no answer", true));
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
            assertThat(server.connections).hasValue(2);
        }
    }

    @Test
    void shouldStayWithTheConnectionOfACallThatNeverWentOut() throws IOException {
        try (NfsMount mount = server.mount("")) {
            server.loseNextReply(new CallTimedOutException("others went before it", false));
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
            assertThat(server.connections).hasValue(1);
        }
    }

    @Test
    void shouldTryOnASoftMountForAsLongAsItsCallsMayTake() throws IOException {
        try (NfsMount mount = server.mount("soft,retrans=1,timeo=100")) {
            for (int i = 0; i < 4; i++) {
                server.loseNextReply(new TransportLostException("connection refused", null));
            }
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldBePatientAnewOnceTheServerHasAnswered() throws IOException {
        // it may put off for a lease what a soft mount gives up after 2 s without an answer
        try (NfsMount mount = server.mount("soft,retrans=1,timeo=10")) {
            server.failNext(
                    Opcode.LOOKUP, Collections.nCopies(7, Status.NFS4ERR_GRACE).toArray(Status[]::new));
            server.loseNoReply(7);
            server.loseNextReply(new TransportLostException("connection reset", null));
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldNotWriteUnderALockThatIsLostWhileTheWriteWaits() throws Exception {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", OPTIONS, 0600);
            assertThat(file.tryLock(0, 10, false)).isPresent();
            server.gate = new CountDownLatch(1);
            CompletableFuture<Void> writing = file.writeAsync(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            server.restart();
            server.failNext(Opcode.LOCK, Status.NFS4ERR_RECLAIM_CONFLICT);
            server.gate.countDown();
            assertThatThrownBy(() -> writing.get(20, TimeUnit.SECONDS)).hasMessageContaining("a lock on it was lost");
            assertThat(server.size).isZero();
            assertThatThrownBy(file::close).hasMessageContaining("a lock on it was lost");
        }
    }

    @Test
    void shouldKeepALockWhenTheSessionIsLostWhileItIsClaimed() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", OPTIONS, 0600)) {
            assertThat(file.tryLock(0, 10, false)).isPresent();
            server.restart();
            int before = server.seen.size();
            server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_BADSESSION, Status.NFS4ERR_DEADSESSION);
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            assertThat(server.opcodesSince(before))
                    .containsSubsequence(
                            Opcode.CREATE_SESSION,
                            Opcode.CREATE_SESSION,
                            Opcode.OPEN,
                            Opcode.LOCK,
                            Opcode.RECLAIM_COMPLETE,
                            Opcode.WRITE);
        }
    }

    @Test
    void shouldClaimOnceWhenTheSessionIsLostBehindReclaimComplete() throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", OPTIONS, 0600)) {
            assertThat(file.tryLock(0, 10, false)).isPresent();
            server.restart();
            int before = server.seen.size();
            Status ok = Status.NFS4_OK; // OPEN, LOCK and RECLAIM_COMPLETE
            server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_BADSESSION, ok, ok, ok, Status.NFS4ERR_BADSESSION);
            server.failNext(Opcode.OPEN, ok, Status.NFS4ERR_NO_GRACE);
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            assertThat(server.opcodesSince(before)).containsOnlyOnce(Opcode.OPEN, Opcode.LOCK);
        }
    }
}
