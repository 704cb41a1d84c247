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
import io.verbena.nfs41.server.internal.testing.PeerAt;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcPeer;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientTableTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Opaque OWNER = Opaque.of("owner");
    private static final Requester BY = Requester.of(Credential.none());
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1 << 20, 1 << 20, 4096, 32, 8, Optional.empty());

    private static final ClientStates NO_STATES = new ClientStates() {
        @Override
        public boolean holdsState(Client client) {
            return false;
        }

        @Override
        public void dropAll(Client client) {
            // there are none
        }
    };

    private static final RpcPeer PEER = new PeerAt(1, "10.0.0.1");

    @TempDir
    Path folder;

    private Path record;
    private ClientTable clients;

    @BeforeEach
    void start() throws Exception {
        Runtime runtime = new SystemRuntime();
        record = folder.resolve("clients");
        clients = new ClientTable(
                ServerLimits.withSlots(8),
                new StateBudget(0),
                NO_STATES,
                new GracePeriod(record, HOUR, runtime),
                HOUR,
                Runnable::run,
                runtime);
    }

    private Client client(SessionId session) throws Exception {
        return clients.sessions().get(session, PEER).client();
    }

    private SessionId session(long verifier) throws Exception {
        ExchangeId.Args args = new ExchangeId.Args(verifier, OWNER, 0, StateProtection.NONE, Optional.empty());
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
}
