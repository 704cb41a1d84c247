package io.verbena.nfs41.server.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.testing.PeerAt;
import io.verbena.nfs41.server.internal.testing.UnspeakableError;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcPeer;
import io.verbena.runtime.Runtime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientTableTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Opaque OWNER = Opaque.of("owner");
    private static final Requester BY = Requester.of(Credential.none());
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1 << 20, 1 << 20, 4096, 32, 8, Optional.empty());

    private static final RpcPeer PEER = new PeerAt(1, "10.0.0.1");

    @TempDir
    Path folder;

    private final AtomicLong clock = new AtomicLong();
    private final StateBudget budget = new StateBudget(0);
    private Path record;
    private ClientTable clients;
    private Error lack;

    private final ClientStates noStates = new ClientStates() {
        @Override
        public boolean holdsState(Client client) {
            return false;
        }

        @Override
        public void dropAll(Client client) {
            if (lack != null) {
                Error thrown = lack;
                lack = null;
                throw thrown;
            }
        }
    };

    @BeforeEach
    void start() throws Exception {
        Runtime runtime = new ManualClock(clock::get);
        record = folder.resolve("clients");
        clients = new ClientTable(
                ServerLimits.withSlots(8),
                budget,
                noStates,
                new GracePeriod(record, HOUR, runtime),
                HOUR,
                Runnable::run,
                runtime);
    }

    private Client client(SessionId session) throws Exception {
        return clients.sessions().get(session, PEER).client();
    }

    private SessionId session(long verifier) throws Exception {
        return session(OWNER, verifier);
    }

    private SessionId session(Opaque owner, long verifier) throws Exception {
        ExchangeId.Args args = new ExchangeId.Args(verifier, owner, 0, StateProtection.NONE, Optional.empty());
        KnownClient known = clients.exchangeId(args, BY, PEER.remoteAddress());
        return clients.createSession(
                        new CreateSession.Args(known.clientId(), known.sequenceId(), 0, CHANNEL, CHANNEL, 0, List.of()),
                        BY,
                        PEER)
                .sessionId();
    }

    /** Its RECLAIM_COMPLETE waits for a worker meanwhile: nobody would ever take the client off the record. */
    @Test
    void shouldNotRecordAClientThatHasGone() throws Exception {
        SessionId session = session(1);
        Client client = client(session);
        clients.destroySession(session, BY);
        clients.destroyClient(client.id(), BY);
        assertThatThrownBy(() -> clients.reclaimComplete(client, BY.principal()))
                .isInstanceOfSatisfying(
                        NfsError.class, e -> assertThat(e.status()).isEqualTo(Status.NFS4ERR_DEADSESSION));
        assertThat(Files.readString(record)).isEmpty();
    }

    @Test
    void shouldLeaveTheRecordToTheNextClientOfAnOwner() throws Exception {
        Client old = client(session(1));
        Client next = client(session(2));
        clients.reclaimComplete(next, BY.principal());
        assertThatThrownBy(() -> clients.reclaimComplete(old, BY.principal())).isInstanceOf(NfsError.class);
        assertThat(Files.readAllLines(record)).containsExactly(OWNER.toString());
        assertThat(next.isReclaimComplete()).isTrue();
    }

    /** Else its owner would have its id again each time it asks, and the id would be unknown. */
    @Test
    void shouldEndAClientLaterWhereAnErrorHasKeptItFromThat() throws Exception {
        SessionId session = session(1);
        Client client = client(session);
        clients.destroySession(session, BY);
        lack = new NoClassDefFoundError("as a test has it");
        assertThatThrownBy(() -> clients.destroyClient(client.id(), BY)).isInstanceOf(NoClassDefFoundError.class);
        clock.addAndGet(HOUR.toNanos() + 1);
        clients.expire();
        assertThat(budget.held()).isZero();
        assertThat(client(session(1))).isNotSameAs(client);
    }

    @Test
    void shouldEndTheOtherClientsWhereOneCannotBeEnded() throws Exception {
        session(1);
        session(Opaque.of("other"), 1);
        clock.addAndGet(HOUR.toNanos() + 1);
        lack = new UnspeakableError();
        assertThat(clients.expire()).isEqualTo(1);
        assertThat(clients.expire()).isEqualTo(1);
        assertThat(clients.clientCount()).isZero();
        assertThat(budget.held()).isZero();
    }
}
