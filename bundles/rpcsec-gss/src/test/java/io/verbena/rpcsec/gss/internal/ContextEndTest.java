package io.verbena.rpcsec.gss.internal;

import static io.verbena.rpcsec.gss.internal.GssFixture.PROGRAM;
import static io.verbena.rpcsec.gss.internal.GssFixture.SOON;
import static io.verbena.rpcsec.gss.internal.GssFixture.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.rpc.security.SecurityUnavailableException;
import io.verbena.rpc.security.UserLogin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How contexts end (RFC 2203 section 5.4). */
@Timeout(60)
@ExtendWith(Kerberos.Provider.class)
final class ContextEndTest {
    private final Kerberos kerberos;

    ContextEndTest(Kerberos kerberos) {
        this.kerberos = kerberos;
    }

    @ParameterizedTest
    @EnumSource(ProtectionService.class)
    @Proves({"GSS-5.4-1", "GSS-5.4-3"})
    void shouldTellTheServerByASignedCallOfNull(ProtectionService service) throws Exception {
        try (GssFixture ends = new GssFixture(kerberos, service).establish()) {
            assertThat(ends.echo()).containsExactly(1, 2, 3, 4);
            byte[] handle = ends.handle();
            Mechanism peer = ends.kept().mechanism();
            ends.client.end(ends.connection, PROGRAM, 1, SOON);
            byte[] call = ends.connection.sent.get(2);
            assertThat(at(call, 20)).as("procedure").isZero();
            assertThat(at(call, 36)).as("DESTROY").isEqualTo(3);
            assertThat(at(call, 40)).isGreaterThan(at(ends.connection.sent.get(1), 40));
            assertThat(Arrays.copyOfRange(call, 52, 68)).isEqualTo(handle);
            assertThat(at(call, 68)).isEqualTo(6);
            peer.verify(Arrays.copyOfRange(call, 76, 76 + at(call, 72)), Arrays.copyOf(call, 68));
            assertThat(ends.server.contexts().size()).isZero();
            assertThat(ends.client.isEstablished()).isFalse();
            assertThatThrownBy(ends::echo).hasMessageContaining("no security context");
            assertThatThrownBy(ends::establish)
                    .isInstanceOf(SecurityUnavailableException.class)
                    .hasMessageContaining("the mount has ended");
        }
    }

    @Test
    @Proves("GSS-5.4-3")
    void shouldEndThoughTheServerHasNotAnswered() throws Exception {
        try (GssFixture ends = new GssFixture(kerberos, ProtectionService.INTEGRITY).establish()) {
            ends.connection.way = reply -> GssFixture.patched(reply, 20, ~at(reply, 20)); // a wrong verifier
            ends.client.end(ends.connection, PROGRAM, 1, SOON);
            assertThat(ends.client.isEstablished()).isFalse();
            assertThatThrownBy(ends::echo).hasMessageContaining("no security context");
        }
    }

    @Test
    @Proves("GSS-5.4-4")
    void shouldForgetContextsThatNobodyEnds() throws Exception {
        try (GssFixture ends = new GssFixture(kerberos, ProtectionService.NONE).establish()) {
            AcceptorContexts contexts = ends.server.contexts();
            long now = System.nanoTime();
            String server = ends.kept().acceptor();
            assertThat(contexts.find(ByteBuffer.wrap(ends.handle()), server, now))
                    .isNotNull();
            long later = now + Duration.ofHours(25).toNanos();
            assertThat(contexts.find(ByteBuffer.wrap(ends.handle()), server, later))
                    .isNull();
            assertThat(contexts.size()).isZero();
            for (int i = 0; i <= AcceptorContexts.MOST_OF_PRINCIPAL; i++) {
                contexts.add(new AcceptorContext(number(i), server, null, "alice", 0, later, 8), now);
            }
            assertThat(contexts.size()).isEqualTo(AcceptorContexts.MOST_OF_PRINCIPAL);
            assertThat(contexts.find(number(0), server, now)).isNull();
            assertThat(contexts.find(number(1), server, now)).isNotNull();
        }
    }

    @Test
    void shouldNotKeepMoreOctetsOfTicketsThanThereIsRoomFor() throws Exception {
        try (GssFixture ends = new GssFixture(kerberos, ProtectionService.NONE).establish()) {
            String server = ends.kept().acceptor();
            AcceptorContexts contexts = new AcceptorContexts();
            contexts.join(server);
            int octets = 1 << 16;
            int most = Math.toIntExact(AcceptorContexts.MOST_OCTETS / octets);
            for (int i = 0; i < 2 * most; i++) {
                contexts.add(new AcceptorContext(number(i), server, null, "user" + i, octets, Long.MAX_VALUE, 8), 0);
            }
            assertThat(contexts.size()).isEqualTo(most);
            assertThat(contexts.find(number(0), server, 0)).isNull();
            contexts.leave(server);
            assertThat(contexts.size()).isZero();
        }
    }

    @Test
    void shouldEndWhileALoginWaitsForItsCentre() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        UserLogin slow = () -> {
            asked.countDown();
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new SecurityUnavailableException("interrupted", e);
            }
            return kerberos.alice;
        };
        try (GssFixture ends = new GssFixture(kerberos, ProtectionService.INTEGRITY);
                SecurityClient client = Kerberos.SECURITY.client(slow, "nfs@localhost", ProtectionService.INTEGRITY)) {
            CompletableFuture<Void> made = CompletableFuture.runAsync(() -> {
                try {
                    client.establish(ends.connection, PROGRAM, 1, SOON);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            asked.await();
            client.end(ends.connection, PROGRAM, 1, SOON); // does not wait
            answers.countDown();
            assertThatThrownBy(() -> made.get(20, TimeUnit.SECONDS))
                    .rootCause()
                    .isInstanceOfSatisfying(SecurityUnavailableException.class, e -> assertThat(e.isPassing())
                            .as("another client may be there")
                            .isTrue());
            assertThat(client.isEstablished()).isFalse();
        }
    }

    @Test
    void shouldWaitForTheThreadsOfAServerThoughInterrupted() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (GssFixture ends = new GssFixture(kerberos, ProtectionService.NONE)) {
            assertThat(ends.server.later(() -> {
                        asked.countDown();
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }))
                    .isTrue();
            asked.await();
            Thread closing = new Thread(() -> {
                Thread.currentThread().interrupt();
                ends.server.close();
            });
            closing.start();
            while (closing.getState() != Thread.State.TIMED_WAITING && closing.getState() != Thread.State.TERMINATED) {
                Thread.onSpinWait();
            }
            assertThat(closing.isAlive()).isTrue();
            goOn.countDown();
            closing.join();
        }
    }

    private static ByteBuffer number(int number) {
        return ByteBuffer.allocate(4).putInt(0, number);
    }
}
