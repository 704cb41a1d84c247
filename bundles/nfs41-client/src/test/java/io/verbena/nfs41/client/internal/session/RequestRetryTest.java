package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.identity.ClientOwner;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.MountAssembly;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A soft mount's patience is 200 ms here. */
@Timeout(60)
class RequestRetryTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private final FakeServer server = new FakeServer();
    private final MountAssembly assembly = new MountAssembly(
            MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse("soft,timeo=2,retrans=0")),
            new TransportSource(server, RUNTIME),
            new SecuritySource(null, RUNTIME),
            null,
            new DirectMemory(),
            new MountLifetime("m", RUNTIME),
            ClientOwner.random("m", RUNTIME),
            RUNTIME);

    @AfterEach
    void close() {
        assembly.close(Duration.ofSeconds(10));
        server.close();
    }

    /** One whose patience is over. */
    private RequestRetry impatient() {
        RequestRetry retry = new RequestRetry(assembly.caller(), false, 0);
        while (!retry.isOver()) {
            Thread.onSpinWait();
        }
        return retry;
    }

    @Test
    void shouldHaveOnePatienceForAllReasons() {
        RequestRetry retry = impatient();
        retry.renew();
        assertThat(retry.mayWaitOut(Status.NFS4ERR_DELAY)).isFalse();
        assertThat(retry.mayRepeat()).as("once in any case").isTrue();
        assertThat(retry.nextRepetitionMillis()).isZero();
        assertThat(retry.mayRepeat()).isFalse();
    }

    @Test
    void shouldLeaveTimeForAnAttemptAfterAnAnswer() {
        RequestRetry retry = impatient();
        assertThat(retry.isOver()).isTrue();
        do {
            retry.renew();
        } while (retry.isOver()); // where the machine was slow
        assertThat(retry.attemptTime()).isLessThanOrEqualTo(Duration.ofMillis(200));
    }

    @Test
    void shouldNotCountTheServersReturn() {
        RequestRetry retry = impatient();
        assertThat(retry.mayWaitOut(Status.NFS4ERR_GRACE)).isTrue();
        assertThat(retry.mayRestart()).isTrue();
        retry.renewInSession(Duration.ofMinutes(1).toNanos());
        assertThat(retry.mayWaitOut(Status.NFS4ERR_DELAY)).isTrue();
    }

    @Test
    void shouldRepeatAtOnceTheFirstTimeOnly() {
        RequestRetry retry = new RequestRetry(assembly.caller(), false, 0);
        assertThat(retry.nextRepetitionMillis()).isZero();
        assertThat(retry.nextRepetitionMillis()).isPositive();
    }
}
