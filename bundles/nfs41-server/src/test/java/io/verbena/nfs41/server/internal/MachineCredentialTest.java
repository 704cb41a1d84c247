package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Clients that belong to a principal, and those that have SP4_MACH_CRED guard them (RFC 8881 section 18.35.3). */
class MachineCredentialTest extends SecurityFixture {
    private static final String HOST = "nfs/client.example.org@EXAMPLE.ORG";
    private static final StateProtection ALL = StateProtection.machine(
            Opcode.BIND_CONN_TO_SESSION,
            Opcode.EXCHANGE_ID,
            Opcode.CREATE_SESSION,
            Opcode.DESTROY_SESSION,
            Opcode.DESTROY_CLIENTID,
            Opcode.WRITE);

    private static Op exchange(String owner, long verifier, StateProtection protection) {
        return out -> ExchangeId.encodeArgs(
                out, new ExchangeId.Args(verifier, Opaque.of(owner), 0, protection, Optional.empty()));
    }

    /** A client with a session that is guarded. */
    private TestClient guarded() throws Exception {
        TestClient machine = new TestClient(server, "machine").proved(HOST, INTEGRITY);
        Reply reply = machine.send(exchange("machine", 1, ALL));
        reply.expect(Opcode.EXCHANGE_ID, Status.NFS4_OK);
        ExchangeId.Result known = ExchangeId.decodeResult(reply.in);
        assertThat(known.stateProtection().how()).isEqualTo(StateProtection.How.SP4_MACH_CRED);
        assertThat(known.stateProtection().mustEnforce().size()).isEqualTo(5);
        assertThat(known.stateProtection().enforces(Opcode.WRITE)).isFalse();
        assertThat(known.stateProtection().mustAllow()).isEqualTo(AttributeMask.EMPTY);
        machine.useClientId(known.clientId());
        machine.begun(machine.createSession(known.sequenceId()));
        return machine;
    }

    private static Map<String, Op> guardedOperations(TestClient machine) {
        Map<String, Op> all = new LinkedHashMap<>();
        all.put(
                "BIND_CONN_TO_SESSION",
                out -> BindConnToSession.encodeArgs(
                        out, new BindConnToSession.Args(machine.session(), BindConnToSession.Wish.FORE, false)));
        all.put("CREATE_SESSION", out -> CreateSession.encodeArgs(out, machine.createArgs(2)));
        all.put("DESTROY_SESSION", out -> DestroySession.encodeArgs(out, new DestroySession.Args(machine.session())));
        all.put(
                "DESTROY_CLIENTID",
                out -> DestroyClientId.encodeArgs(out, new DestroyClientId.Args(machine.clientId())));
        return all;
    }

    @Test
    void shouldRequireTheMachineCredential() throws Exception {
        TestClient machine = guarded();
        for (Map.Entry<String, Op> each : guardedOperations(machine).entrySet()) {
            for (TestClient other : new TestClient[] {
                new TestClient(server, "other").as(0, 0),
                new TestClient(server, "other").proved(ALICE, PRIVACY),
                new TestClient(server, "other").proved(HOST, NONE)
            }) {
                assertThat(other.send(each.getValue()).status())
                        .as(each.getKey())
                        .isEqualTo(Status.NFS4ERR_WRONG_CRED);
            }
        }
        TestClient weak = new TestClient(server, "machine").proved(HOST, NONE);
        assertThat(weak.send(exchange("machine", 1, StateProtection.NONE)).status())
                .isEqualTo(Status.NFS4ERR_WRONG_CRED);
        assertThat(weak.send(exchange("machine", 2, StateProtection.NONE)).status())
                .isEqualTo(Status.NFS4ERR_WRONG_CRED);
        assertThat(weak.proved(ALICE, PRIVACY)
                        .send(exchange("machine", 2, StateProtection.NONE))
                        .status())
                .isEqualTo(Status.NFS4ERR_CLID_INUSE);
        machine.proved(HOST, PRIVACY);
        assertThat(machine.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        Map<String, Op> own = guardedOperations(machine);
        assertThat(machine.send(own.get("BIND_CONN_TO_SESSION")).status()).isEqualTo(Status.NFS4_OK);
        assertThat(machine.send(own.get("DESTROY_SESSION")).status()).isEqualTo(Status.NFS4_OK);
        assertThat(machine.send(own.get("DESTROY_CLIENTID")).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldTellTheProtectionAgain() throws Exception {
        TestClient machine = guarded();
        Reply reply = machine.send(exchange("machine", 1, StateProtection.NONE));
        reply.expect(Opcode.EXCHANGE_ID, Status.NFS4_OK);
        ExchangeId.Result again = ExchangeId.decodeResult(reply.in);
        assertThat(again.clientId()).isEqualTo(machine.clientId());
        assertThat(again.stateProtection().enforces(Opcode.DESTROY_SESSION)).isTrue();
    }

    @Test
    void shouldGrantNoProtectionWithoutAProof() throws Exception {
        TestClient weak = new TestClient(server, "weak").proved(HOST, NONE);
        assertThat(weak.send(exchange("weak", 1, ALL)).status()).isEqualTo(Status.NFS4ERR_INVAL);
        assertThat(weak.as(0, 0).send(exchange("weak", 1, ALL)).status()).isEqualTo(Status.NFS4ERR_INVAL);
    }

    @Test
    void shouldTellPrincipalsFromEachOther() throws Exception {
        TestClient victim = connected("victim", ALICE, PRIVACY);
        TestClient attacker = new TestClient(server, "victim").proved("bob@EXAMPLE.ORG", PRIVACY);
        attacker.useClientId(victim.clientId());
        Op create = out -> CreateSession.encodeArgs(out, attacker.createArgs(1));
        assertThat(attacker.send(create).status()).isEqualTo(Status.NFS4ERR_CLID_INUSE);
        assertThat(attacker.send(exchange("victim", 2, StateProtection.NONE)).status())
                .isEqualTo(Status.NFS4ERR_CLID_INUSE);
        Map<String, Op> all = guardedOperations(victim);
        assertThat(attacker.send(all.get("BIND_CONN_TO_SESSION")).status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        assertThat(attacker.send(all.get("DESTROY_SESSION")).status()).isEqualTo(Status.NFS4ERR_BADSESSION);
        assertThat(attacker.send(all.get("DESTROY_CLIENTID")).status()).isEqualTo(Status.NFS4ERR_STALE_CLIENTID);
        victim.proved("bob@EXAMPLE.ORG", PRIVACY);
        victim.inSession(out -> ReclaimComplete.encodeArgs(out, new ReclaimComplete.Args(false)))
                .expect(Opcode.RECLAIM_COMPLETE, Status.NFS4ERR_WRONG_CRED);
        victim.proved(ALICE, INTEGRITY); // the same principal, protected otherwise
        assertThat(victim.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        assertThat(victim.send(all.get("DESTROY_SESSION")).status()).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldRepeatAReplyToNobodyElse() throws Exception {
        TestClient victim = connected("victim", ALICE, PRIVACY);
        assertThat(victim.send(victim.sequence(1, 3, true), root()).status()).isEqualTo(Status.NFS4_OK);
        assertThat(victim.send(victim.sequence(1, 3, true), root()).status()).isEqualTo(Status.NFS4_OK);
        requireFalseRetry(victim.proved("bob@EXAMPLE.ORG", PRIVACY));
        requireFalseRetry(victim.proved(ALICE, INTEGRITY));
        requireFalseRetry(victim.as(0, 0));
    }

    private static void requireFalseRetry(TestClient other) throws Exception {
        assertThat(other.send(other.sequence(1, 3, true), root()).status()).isEqualTo(Status.NFS4ERR_SEQ_FALSE_RETRY);
    }
}
