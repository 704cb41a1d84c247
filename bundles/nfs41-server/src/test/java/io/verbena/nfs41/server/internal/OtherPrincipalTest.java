package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.BackchannelCtl;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.CallbackSecurity;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another user attacks a client: he knows its client id, and its session's, which nobody tells him. */
class OtherPrincipalTest extends ServerFixture {
    private TestClient victim;
    private TestClient attacker;
    private int sequence;

    @BeforeEach
    void connect() throws Exception {
        victim = new TestClient(server, "victim").as(1000, 1000);
        ExchangeId.Result known = victim.exchangeId(1, 0);
        sequence = known.sequenceId();
        victim.useClientId(known.clientId());
        victim.begun(victim.createSession(sequence));
        attacker = new TestClient(server, "victim").as(1001, 1001);
        attacker.useClientId(victim.clientId());
    }

    private void requireUnharmed() throws Exception {
        assertThat(victim.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldGiveClientsIdsThatNobodyGuesses() throws Exception {
        Set<Long> upperHalves = new HashSet<>();
        Set<Long> steps = new HashSet<>();
        long last = 0;
        for (int i = 0; i < 16; i++) {
            long id = new TestClient(server, "client " + i).exchangeId(1, 0).clientId();
            assertThat(id).isNotZero();
            upperHalves.add(id >>> 32);
            steps.add(id - last);
            last = id;
        }
        assertThat(upperHalves).hasSizeGreaterThan(12);
        assertThat(steps).hasSize(16);
    }

    @Test
    void shouldNotTellTheSessionToAnotherPrincipalThatRepeatsCreateSession() throws Exception {
        Op replay = out -> CreateSession.encodeArgs(out, attacker.createArgs(sequence));
        assertThat(attacker.send(replay).status()).isEqualTo(Status.NFS4ERR_CLID_INUSE);
        Op next = out -> CreateSession.encodeArgs(out, attacker.createArgs(sequence + 1));
        assertThat(attacker.send(next).status()).isEqualTo(Status.NFS4ERR_CLID_INUSE);
        Op wrong = out -> CreateSession.encodeArgs(out, attacker.createArgs(sequence + 7));
        assertThat(attacker.send(wrong).status()).isEqualTo(Status.NFS4ERR_CLID_INUSE);
        requireUnharmed();
    }

    @Test
    void shouldNotLetAnotherPrincipalEndASessionOrAClient() throws Exception {
        Op destroy = out -> DestroySession.encodeArgs(out, new DestroySession.Args(victim.session()));
        assertThat(attacker.send(destroy).status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        Op unknown = out -> DestroySession.encodeArgs(out, new DestroySession.Args(new SessionId(1, 2)));
        assertThat(attacker.send(unknown).status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        Op client = out -> DestroyClientId.encodeArgs(out, new DestroyClientId.Args(victim.clientId()));
        assertThat(attacker.send(client).status()).isEqualTo(Status.NFS4ERR_STALE_CLIENTID);
        requireUnharmed();
        assertThat(victim.send(destroy).status()).isEqualTo(Status.NFS4_OK);
        assertThat(attacker.send(client).status()).isEqualTo(Status.NFS4ERR_STALE_CLIENTID);
        assertThat(victim.send(client).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldNotLetAnotherPrincipalTakeTheOwnerOfAClientThatOpensNothing() throws Exception {
        Op exchange = out -> ExchangeId.encodeArgs(out, attacker.exchangeArgs(2, 0));
        assertThat(attacker.send(exchange).status()).isEqualTo(Status.NFS4ERR_CLID_INUSE);
        requireUnharmed();
    }

    @Test
    void shouldNotLetAnotherPrincipalBindItsConnection() throws Exception {
        attacker.use(new FakePeer("10.0.0.9"));
        Op bind = out -> BindConnToSession.encodeArgs(
                out, new BindConnToSession.Args(victim.session(), BindConnToSession.Wish.FORE_OR_BOTH, false));
        assertThat(attacker.send(bind).status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        assertThat(attacker.send(victim.sequence(9, 3, false)).status())
                .isEqualTo(Status.NFS4ERR_CONN_NOT_BOUND_TO_SESSION);
        requireUnharmed();
    }

    @Test
    void shouldNotLetAnotherPrincipalChangeTheClientBySomeSessionsRequests() throws Exception {
        TestClient fresh = new TestClient(server, "fresh").as(1000, 1000);
        fresh.connect(1);
        Op complete = out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false));
        Op callBack = out ->
                BackchannelCtl.encodeArgs(out, new BackchannelCtl.Args(0x40000001, List.of(CallbackSecurity.NONE)));
        fresh.as(1001, 1001);
        fresh.inSession(complete).expect(Opcode.RECLAIM_COMPLETE, Status.NFS4ERR_WRONG_CRED);
        fresh.inSession(callBack).expect(Opcode.BACKCHANNEL_CTL, Status.NFS4ERR_WRONG_CRED);
        fresh.as(1000, 1000);
        fresh.inSession(callBack).expect(Opcode.BACKCHANNEL_CTL, Status.NFS4_OK);
        fresh.inSession(complete).expect(Opcode.RECLAIM_COMPLETE, Status.NFS4_OK);
    }

    /** Without RPCSEC_GSS nobody has a machine credential that proves anything (RFC 8881 section 18.35.3). */
    @Test
    void shouldPromiseNoProtectionThatItCannotGive() throws Exception {
        StateProtection byMachine =
                new StateProtection(StateProtection.How.SP4_MACH_CRED, AttributeMask.EMPTY, AttributeMask.EMPTY);
        ExchangeId.Args args = new ExchangeId.Args(1, Opaque.of("machine"), 0, byMachine, Optional.empty());
        assertThat(victim.send(out -> ExchangeId.encodeArgs(out, args)).status())
                .isEqualTo(Status.NFS4ERR_INVAL);
    }

    @Test
    void shouldLetAllUsersOfAClientShareItsSession() throws Exception {
        for (int uid = 2000; uid < 2004; uid++) {
            victim.as(uid, uid);
            requireUnharmed();
        }
    }

    @Test
    void shouldRefuseASessionToOtherHostsUntilItsPrincipalCallsFromThere() throws Exception {
        victim.use(new FakePeer("10.0.0.9"));
        assertThat(victim.send(victim.sequence(1, 3, false)).status())
                .isEqualTo(Status.NFS4ERR_CONN_NOT_BOUND_TO_SESSION);
        Op bind = out -> BindConnToSession.encodeArgs(
                out, new BindConnToSession.Args(victim.session(), BindConnToSession.Wish.FORE, false));
        assertThat(victim.send(bind).status()).isEqualTo(Status.NFS4_OK);
        assertThat(victim.send(victim.sequence(1, 3, false)).status()).isEqualTo(Status.NFS4_OK);
        victim.use(new FakePeer("10.0.0.10"));
        assertThat(victim.exchangeId(1, 0).clientId()).isEqualTo(victim.clientId());
        assertThat(victim.send(victim.sequence(2, 3, false)).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldForgetHostsWhereAClientCallsFromEverMore() throws Exception {
        for (int i = 1; i < 20; i++) {
            victim.use(new FakePeer("10.0.1." + i));
            victim.exchangeId(1, 0);
            requireUnharmed();
        }
        victim.use(new FakePeer("10.0.1.1"));
        assertThat(victim.send(victim.sequence(1, 3, false)).status())
                .isEqualTo(Status.NFS4ERR_CONN_NOT_BOUND_TO_SESSION);
    }
}
