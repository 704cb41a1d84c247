package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client does when the server says that it has revoked something, and not what. */
@Timeout(60)
class RevocationCheckTest {
    private static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private void awaitFreed(StateId revoked) {
        while (server.delegations.freed.stream().noneMatch(revoked::isSameState)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldTestEachOfManyOpensAndTellOfEachThatWasRevoked() throws IOException {
        int count = 2 * RevocationCheck.BATCH + 88;
        try (NfsMount mount = server.mount("delegations=off")) {
            List<StateId> ids = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                server.stateId = new StateId(1, 2, i);
                ids.add(server.stateId);
                mount.open("/file" + i, WRITE, 0600);
            }
            server.judgement = id -> id.otherLow() % 2 == 0 ? Status.NFS4ERR_ADMIN_REVOKED : Status.NFS4_OK;
            server.statusFlags = Sequence.ADMIN_STATE_REVOKED;
            mount.attributes("/file", true);
            server.statusFlags = 0;
            for (int i = 0; i < count; i += 2) {
                awaitFreed(ids.get(i));
            }
            server.awaitIdle();
            assertThat(server.tested).hasSize(count).doesNotHaveDuplicates();
            assertThat(server.delegations.freed).allMatch(id -> id.otherLow() % 2 == 0);
        }
    }

    @Test
    void shouldFreeARevokedLockAndTellItsHolderThoughTheOpenIsGood() throws IOException {
        try (NfsMount mount = server.mount("delegations=off")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            server.locksStateId = new StateId(1, 3, 3);
            assertThat(file.tryLock(0, 10, false)).isPresent();
            StateId lock = server.locksStateId;
            int before = server.seen.size();
            server.judgement = id -> id.isSameState(lock) ? Status.NFS4ERR_EXPIRED : Status.NFS4_OK;
            server.statusFlags = Sequence.EXPIRED_SOME_STATE_REVOKED;
            mount.attributes("/file", true);
            server.statusFlags = 0;
            awaitFreed(lock);
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(3), 0))
                    .hasMessageContaining("a lock on it was lost")
                    .hasMessageContaining("the server revoked it");
            assertThat(server.opcodesSince(before)).doesNotContain(Opcode.OPEN);
        }
    }

    @Test
    void shouldNotTakeALockForRevokedThatHasChangedMeanwhile() throws IOException {
        try (NfsMount mount = server.mount("delegations=off")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            server.locksStateId = new StateId(1, 3, 3);
            assertThat(file.tryLock(0, 10, false)).isPresent();
            server.judgement = id -> id.seqid() == 0 ? Status.NFS4ERR_OLD_STATEID : Status.NFS4ERR_BAD_STATEID;
            server.statusFlags = Sequence.ADMIN_STATE_REVOKED;
            mount.attributes("/file", true);
            server.statusFlags = 0;
            while (server.tested.size() < 2) {
                Thread.onSpinWait();
            }
            mount.attributes("/file", true);
            file.read(ByteBuffer.allocate(3), 0);
            assertThat(server.delegations.freed).isEmpty();
        }
    }
}
