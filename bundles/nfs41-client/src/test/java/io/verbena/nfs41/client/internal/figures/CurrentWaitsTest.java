package io.verbena.nfs41.client.internal.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.DelayedOperation;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.rpc.LocalResourceException;
import java.io.IOException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whether a mount says what it waits for. */
@Timeout(60)
class CurrentWaitsTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private static Status[] always(Status status) {
        return Collections.nCopies(1000, status).toArray(Status[]::new);
    }

    private static DelayedOperation await(NfsMount mount) {
        Optional<DelayedOperation> waiting = mount.delayedOperation();
        while (waiting.isEmpty()) {
            Thread.onSpinWait();
            waiting = mount.delayedOperation();
        }
        return waiting.get();
    }

    @Test
    void shouldTellOfWhatTheServerPutsOff() throws Exception {
        try (NfsMount mount = server.mount("")) {
            assertThat(mount.delayedOperation()).isEmpty();
            server.failNext(Opcode.LOOKUP, always(Status.NFS4ERR_GRACE));
            CompletableFuture<FileAttributes> asked = mount.attributesAsync("/file");
            DelayedOperation waiting = await(mount);
            assertThat(waiting.status()).isEqualTo("NFS4ERR_GRACE");
            assertThat(waiting.lease()).isEqualTo(Duration.ofSeconds(90));
            assertThat(waiting.message())
                    .isEqualTo(
                            "LOOKUP waits: the server has restarted and lets its clients claim what they held, for at"
                                    + " most about 90 s (NFS4ERR_GRACE)");
            server.failNoMore(Opcode.LOOKUP);
            asked.get(20, TimeUnit.SECONDS);
            assertThat(mount.delayedOperation()).isEmpty();
        }
    }

    @Test
    void shouldTellSinceWhen() throws Exception {
        try (NfsMount mount = server.mount("")) {
            server.failNext(Opcode.SEQUENCE, always(Status.NFS4ERR_DELAY));
            CompletableFuture<FileAttributes> asked = mount.attributesAsync("/file");
            DelayedOperation first = await(mount);
            int seen = server.seen.size();
            while (server.seen.size() < seen + 2) {
                Thread.onSpinWait();
            }
            assertThat(await(mount).since()).isEqualTo(first.since());
            assertThat(first.status()).isEqualTo("NFS4ERR_DELAY");
            server.failNoMore(Opcode.SEQUENCE);
            asked.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldTellOfWhatThisHostLacks() throws Exception {
        try (NfsMount mount = server.mount("hard")) {
            for (int i = 0; i < 5; i++) {
                server.loseNextReply(new LocalResourceException("no direct memory", null, false));
            }
            CompletableFuture<FileAttributes> asked = mount.attributesAsync("/file");
            DelayedOperation waiting = await(mount);
            assertThat(waiting.status()).isEqualTo("LOCAL_RESOURCES");
            assertThat(waiting.message()).isEqualTo("requests wait: no direct memory");
            asked.get(20, TimeUnit.SECONDS);
            assertThat(mount.delayedOperation()).isEmpty();
        }
    }

    @Test
    void shouldTellOfALockThatAnotherHolds() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.WRITE), 0600)) {
            server.failNext(Opcode.LOCK, always(Status.NFS4ERR_DENIED));
            CompletableFuture<Boolean> locked = CompletableFuture.supplyAsync(() -> {
                try {
                    return file.tryLock(0, 1, false, Duration.ofMinutes(1)).isPresent();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(await(mount).message()).startsWith("LOCK waits: another client holds a conflicting lock");
            server.failNoMore(Opcode.LOCK);
            assertThat(locked.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(mount.delayedOperation()).isEmpty();
        }
    }
}
