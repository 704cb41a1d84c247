package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import java.io.IOException;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that takes each request for a repetition of what it has answered. */
@Timeout(60)
class EndlessRepetitionTest {
    private static final int MANY = 100_000;

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private void repeatAlways(int opcode, Status status) {
        server.failNext(opcode, Collections.nCopies(MANY, status).toArray(Status[]::new));
    }

    @ParameterizedTest
    @CsvSource({"SEQUENCE, NFS4ERR_SEQ_FALSE_RETRY", "GETATTR, NFS4ERR_RETRY_UNCACHED_REP"})
    void shouldEndOnASoftMount(String operation, Status status) throws IOException {
        int opcode = operation.equals("SEQUENCE") ? Opcode.SEQUENCE : Opcode.GETATTR;
        try (NfsMount mount = server.mount("soft,timeo=5,retrans=0")) {
            mount.attributes("/", true);
            repeatAlways(opcode, status);
            long before = server.executed(opcode);
            assertThatThrownBy(() -> mount.attributes("/", true)).hasMessageContaining(status.name());
            // a pause before each but the first: else there would be thousands
            assertThat(server.executed(opcode) - before).isLessThan(40);
            server.failNoMore(opcode);
            assertThat(mount.attributes("/", true)).isNotNull();
        }
    }

    /** What may be repeated has not failed: a soft mount has waited for its replies as long as it waits for any. */
    @Test
    void shouldCallAServerUnavailableWhoseRepliesAreLost() throws IOException {
        try (NfsMount mount = server.mount("soft,timeo=5,retrans=0")) {
            repeatAlways(Opcode.GETATTR, Status.NFS4ERR_RETRY_UNCACHED_REP);
            assertThatThrownBy(() -> mount.attributes("/", true)).isInstanceOf(ServerUnavailableException.class);
        }
    }

    @Test
    void shouldGoOnInAnotherSessionOnAHardMount() throws Exception {
        try (NfsMount mount = server.mount("hard")) {
            mount.attributes("/", true);
            SessionId first = server.session;
            repeatAlways(Opcode.GETATTR, Status.NFS4ERR_RETRY_UNCACHED_REP);
            CompletableFuture<FileAttributes> asked = mount.attributesAsync("/");
            server.beforeSession = () -> server.failNoMore(Opcode.GETATTR);
            asked.get(40, TimeUnit.SECONDS);
            assertThat(server.session).isNotEqualTo(first);
            assertThat(mount.delayedOperation()).isEmpty();
        }
    }

    @Test
    void shouldTellThatItGoesOn() throws Exception {
        try (NfsMount mount = server.mount("hard")) {
            mount.attributes("/", true);
            repeatAlways(Opcode.GETATTR, Status.NFS4ERR_RETRY_UNCACHED_REP);
            CompletableFuture<FileAttributes> asked = mount.attributesAsync("/");
            while (mount.delayedOperation().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(mount.delayedOperation()).hasValueSatisfying(waiting -> assertThat(waiting.message())
                    .isEqualTo("GETATTR waits: the server takes it for a repetition of what it has answered"
                            + " (NFS4ERR_RETRY_UNCACHED_REP)"));
            server.failNoMore(Opcode.GETATTR);
            asked.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldRepeatAtOnceWhatWasTakenForARepetitionOnce() throws IOException {
        try (NfsMount mount = server.mount("soft")) {
            mount.attributes("/", true);
            SessionId first = server.session;
            server.failNext(Opcode.GETATTR, Status.NFS4ERR_RETRY_UNCACHED_REP);
            assertThat(mount.attributes("/", true)).isNotNull();
            assertThat(server.session).isEqualTo(first);
            assertThat(mount.delayedOperation()).isEqualTo(Optional.empty());
        }
    }
}
