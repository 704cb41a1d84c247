package io.verbena.rpcsec.gss.internal;

import static io.verbena.rpcsec.gss.internal.GssFixture.ARGUMENTS;
import static io.verbena.rpcsec.gss.internal.GssFixture.ECHO;
import static io.verbena.rpcsec.gss.internal.GssFixture.INTEGRITY;
import static io.verbena.rpcsec.gss.internal.GssFixture.NONE;
import static io.verbena.rpcsec.gss.internal.GssFixture.PRIVACY;
import static io.verbena.rpcsec.gss.internal.GssFixture.at;
import static io.verbena.rpcsec.gss.internal.GssFixture.numbered;
import static io.verbena.rpcsec.gss.internal.GssFixture.reader;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.Credential;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.Arrays;
import org.ietf.jgss.MessageProp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server takes for a call, and how it answers (RFC 2203 sections 5.3 and 5.4), by calls written by hand. */
@Timeout(60)
@ExtendWith(Kerberos.Provider.class)
final class ServerRulesTest {
    private static final int DATA = 0;
    private static final int DESTROY = 3;
    private static final int NULL = 0;
    private static final int WINDOW = GssServer.WINDOW;
    private static final byte[] NOTHING = {};

    private final Kerberos kerberos;
    private GssFixture ends;
    private int lastNumber = 4;

    ServerRulesTest(Kerberos kerberos) {
        this.kerberos = kerberos;
    }

    @BeforeEach
    void begin() throws Exception {
        ends = new GssFixture(kerberos, ProtectionService.PRIVACY).establish();
    }

    @AfterEach
    void end() {
        ends.close();
    }

    private static OneRequest assertNotExecuted(GssFixture ends, OneRequest request, String outcome) {
        assertThat(request.outcome).isEqualTo(outcome);
        assertThat(ends.executed).isEmpty();
        return request;
    }

    @Test
    @Proves({"GSS-5.3.3.1-3", "GSS-5.3.3.1-4"})
    void shouldTakeEachNumberOnceWithinTheWindow() throws Exception {
        int[] taken = {5000, 5000 - WINDOW + 1, 4999, 5001, 5000 - WINDOW + 2};
        for (int number : taken) {
            assertThat(ends.send(number, INTEGRITY).outcome).as("%d", number).isEqualTo("replied");
        }
        int[] dropped = {5000, 5000 - WINDOW + 2, 4999, 5001, 5000 - WINDOW + 1, 5000 - WINDOW, 1, 0};
        for (int number : dropped) {
            OneRequest request = ends.send(number, INTEGRITY);
            assertThat(request.outcome).as("%d", number).isEqualTo("dropped");
            assertThat(request.answer().join()).as("no answer").isEmpty();
        }
        assertThat(ends.executed).hasSize(taken.length);
    }

    @Test
    @Proves("GSS-5.3.3.1-2")
    void shouldMoveTheWindowByProvedCallsOnly() throws Exception {
        byte[] header = GssFixture.header(ECHO, DATA, 1_000_000, NONE, ends.handle());
        byte[] mic = ends.client.context().mechanism().mic(header);
        mic[mic.length - 1] ^= 1;
        assertThat(ends.send(GssFixture.join(header, mic, ARGUMENTS)).outcome).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
        assertThat(ends.send(1, NONE).outcome).isEqualTo("replied");
        assertThat(ends.send(1_000_000, NONE).outcome).isEqualTo("replied");
        assertThat(ends.send(2, NONE).outcome).isEqualTo("dropped");
    }

    @ParameterizedTest
    @ValueSource(ints = {INTEGRITY, PRIVACY})
    @Proves("GSS-5.3.3.1-5")
    void shouldRefuseABodyOfAnotherNumber(int service) throws Exception {
        byte[] body = ends.body(service, 8, ARGUMENTS);
        OneRequest request = ends.send(ends.octets(ECHO, DATA, 9, service, ends.handle(), body));
        assertNotExecuted(ends, request, "GARBAGE_ARGS");
    }

    @ParameterizedTest
    @CsvSource({"1, 16909060", "2, 16909060", "3, 16909060", "3, 1"})
    @Proves({
        "GSS-3-1",
        "GSS-5.3.1-4",
        "GSS-5.3.2.1-1",
        "GSS-5.3.2.2-1",
        "GSS-5.3.2.3-1",
        "GSS-5.3.3.2-1",
        "GSS-5.3.3.2-2"
    })
    void shouldAnswerByNumberAndServiceOfTheCall(int service, int number) throws Exception {
        byte[] reply = ends.send(number, service).answer().join();
        assertThat(ends.executed).containsExactly(new Credential.Proved(6, "alice@" + Kdc.REALM, service));
        Mechanism peer = ends.client.context().mechanism();
        XdrReader in = reader(Arrays.copyOfRange(reply, 12, reply.length));
        assertThat(in.getInt()).as("flavor of the verifier").isEqualTo(6);
        peer.verify(in.getOpaque(400), networkOrder(number));
        assertThat(in.getInt()).as("SUCCESS").isZero();
        byte[] body = numbered(number, ARGUMENTS);
        switch (service) {
            case NONE -> assertThat(in.getFixedOpaque(8)).isEqualTo(ARGUMENTS);
            case INTEGRITY -> {
                assertThat(in.getOpaque(400)).isEqualTo(body);
                peer.verify(in.getOpaque(400), body);
            }
            default -> assertThat(peer.unwrap(in.getOpaque(400))).isEqualTo(body);
        }
        in.requireEnd();
    }

    private static byte[] networkOrder(int number) {
        return new byte[] {(byte) (number >>> 24), (byte) (number >>> 16), (byte) (number >>> 8), (byte) number};
    }

    @ParameterizedTest
    @ValueSource(ints = {NONE, INTEGRITY, PRIVACY})
    @Proves({"GSS-5.3.3.2-1", "GSS-5.3.3.2-2"})
    void shouldProveItsRefusalOfACall(int service) throws Exception {
        byte[] body = ends.body(service, 3, NOTHING);
        byte[] reply = ends.send(ends.octets(77, DATA, 3, service, ends.handle(), body))
                .answer()
                .join();
        XdrReader in = reader(Arrays.copyOfRange(reply, 12, reply.length));
        assertThat(in.getInt()).isEqualTo(6);
        ends.client.context().mechanism().verify(in.getOpaque(400), networkOrder(3));
        assertThat(in.getInt()).as("PROC_UNAVAIL").isEqualTo(3);
        in.requireEnd();
    }

    @Test
    @Proves({"GSS-5.2-1", "GSS-5.3.3.3-1", "GSS-5.3.3.4.2-1", "GSS-5.3.3.1-1"})
    void shouldDenyWhatNoContextProves() throws Exception {
        byte[] unknown = ends.handle();
        unknown[0] ^= 1;
        assertNotExecuted(
                ends, ends.send(ends.octets(ECHO, DATA, 1, NONE, unknown, ARGUMENTS)), "RPCSEC_GSS_CREDPROBLEM");
        byte[] none = {};
        assertNotExecuted(ends, ends.send(ends.octets(ECHO, DATA, 1, NONE, none, ARGUMENTS)), "RPCSEC_GSS_CREDPROBLEM");
        byte[] header = GssFixture.header(ECHO, DATA, 1, NONE, ends.handle());
        Mechanism mine = ends.client.context().mechanism();
        byte[] withoutXid = mine.mic(Arrays.copyOfRange(header, 4, header.length));
        byte[] credential = mine.mic(Arrays.copyOfRange(header, 24, header.length));
        byte[] andArguments = mine.mic(GssFixture.join(header, NOTHING, ARGUMENTS));
        try (GssFixture other = new GssFixture(kerberos, ProtectionService.PRIVACY).establish()) {
            byte[] ofAnother = other.client.context().mechanism().mic(header);
            for (byte[] mic : new byte[][] {withoutXid, credential, andArguments, ofAnother, NOTHING}) {
                byte[] call = GssFixture.join(header, mic, ARGUMENTS);
                OneRequest denied = assertNotExecuted(ends, ends.send(call), "RPCSEC_GSS_CREDPROBLEM");
                assertThat(denied.answer().join()).as("denied").hasSize(20);
            }
        }
        byte[] otherFlavor = GssFixture.patched(GssFixture.join(header, mine.mic(header), ARGUMENTS), header.length, 1);
        assertNotExecuted(ends, ends.send(otherFlavor), "RPCSEC_GSS_CREDPROBLEM");
        assertThat(ends.send(GssFixture.join(header, mine.mic(header), ARGUMENTS)).outcome)
                .isEqualTo("replied");
    }

    @ParameterizedTest
    @ValueSource(ints = {0x80000001, 0xffffffff, 0xc0000000})
    @Proves("GSS-5.3.3.3-2")
    void shouldDenyNumbersBeyondTheGreatest(int number) throws Exception {
        assertNotExecuted(ends, ends.send(number, NONE), "RPCSEC_GSS_CTXPROBLEM");
        assertThat(ends.send(1, NONE).outcome).isEqualTo("replied");
    }

    @Test
    @Proves({"GSS-5.3.3.4.2-2", "GSS-5.3.2.2-1"})
    void shouldRefuseArgumentsThatWereChanged() throws Exception {
        for (String fault : new String[] {"changed", "unsigned", "empty", "ofArguments", "more", "plain", "nothing"}) {
            int number = ++lastNumber;
            byte[] body = unproved(fault, number);
            OneRequest request = ends.send(ends.octets(ECHO, DATA, number, INTEGRITY, ends.handle(), body));
            assertNotExecuted(ends, request, "GARBAGE_ARGS");
        }
    }

    private byte[] unproved(String fault, int number) throws Exception {
        byte[] numbered = numbered(number, ARGUMENTS);
        byte[] good = ends.body(INTEGRITY, number, ARGUMENTS);
        XdrWriter out = new XdrWriter().putOpaque(numbered);
        return switch (fault) {
            case "changed" -> GssFixture.patched(good, 12, at(good, 12) ^ 1);
            case "unsigned" -> out.toByteArray();
            case "empty" -> out.putOpaque(NOTHING).toByteArray();
            case "ofArguments" ->
                out.putOpaque(ends.client.context().mechanism().mic(ARGUMENTS)).toByteArray();
            case "more" -> Arrays.copyOf(good, good.length + 4);
            case "plain" -> ARGUMENTS;
            default -> NOTHING;
        };
    }

    @Test
    @Proves({"GSS-5.3.3.4.3-1", "GSS-5.3.2.3-1"})
    void shouldRefuseArgumentsThatAreNotEncrypted() throws Exception {
        for (String fault : new String[] {"clear", "changed", "signed", "plain"}) {
            int number = ++lastNumber;
            byte[] body = unsealed(fault, number);
            OneRequest request = ends.send(ends.octets(ECHO, DATA, number, PRIVACY, ends.handle(), body));
            assertNotExecuted(ends, request, "GARBAGE_ARGS");
        }
    }

    private byte[] unsealed(String fault, int number) throws Exception {
        byte[] numbered = numbered(number, ARGUMENTS);
        byte[] sealed = ends.body(PRIVACY, number, ARGUMENTS);
        return switch (fault) {
            case "clear" ->
                new XdrWriter()
                        .putOpaque(GssFixture.raw(ends.client.context().mechanism())
                                .wrap(numbered, 0, numbered.length, new MessageProp(0, false)))
                        .toByteArray();
            case "changed" -> GssFixture.patched(sealed, sealed.length - 12, ~at(sealed, sealed.length - 12));
            case "signed" -> ends.body(INTEGRITY, number, ARGUMENTS);
            default -> new XdrWriter().putOpaque(numbered).toByteArray();
        };
    }

    @Test
    @Proves("GSS-5.3.3.4.1-1")
    void shouldDenyWhereItCannotProveItsReply() throws Exception {
        ends.breakContext("getMIC");
        assertNotExecuted(ends, ends.send(1, PRIVACY), "RPCSEC_GSS_CTXPROBLEM");
    }

    @ParameterizedTest
    @CsvSource({"2, getMIC, 1", "3, wrap, 0"}) // the first checksum is the verifier's
    @Proves({"GSS-5.3.3.4.1-2", "GSS-5.3.3.4.4-1"})
    void shouldSendNoResultsThatItCannotProtect(int service, String method, int after) throws Exception {
        ends.breakContext(method, after);
        OneRequest request = ends.send(1, service);
        assertThat(request.outcome).isEqualTo("dropped");
        assertThat(ends.executed).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"4, 1", "-1, 1", "0, 0", "0, 4", "0, -1"})
    @Proves("GSS-5-2")
    void shouldExecuteNothingThatItDoesNotKnow(int gssProcedure, int service) throws Exception {
        byte[] call = ends.octets(ECHO, gssProcedure, 1, service, ends.handle(), ARGUMENTS);
        assertNotExecuted(ends, ends.send(call), "AUTH_BADCRED");
    }

    @Test
    @Proves("GSS-5.4-2")
    void shouldEndAContextByProofOnly() throws Exception {
        byte[] header = GssFixture.header(NULL, DESTROY, 1, NONE, ends.handle());
        byte[] mic = ends.client.context().mechanism().mic(header);
        byte[] wrong = mic.clone();
        wrong[wrong.length - 1] ^= 1;
        assertThat(ends.send(GssFixture.join(header, wrong, NOTHING)).outcome).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
        assertThat(ends.send(ends.octets(ECHO, DESTROY, 2, NONE, ends.handle(), ARGUMENTS)).outcome)
                .isEqualTo("AUTH_BADCRED");
        assertThat(ends.send(1, NONE).outcome).isEqualTo("replied");
        assertThat(ends.send(GssFixture.join(header, mic, NOTHING)).outcome)
                .as("a number that has come")
                .isEqualTo("dropped");
        assertThat(ends.server.contexts().size()).isOne();

        byte[] last = ends.octets(NULL, DESTROY, 3, NONE, ends.handle(), NOTHING);
        byte[] late = ends.octets(ECHO, DATA, 4, NONE, ends.handle(), ARGUMENTS);
        byte[] reply = ends.send(last).answer().join();
        XdrReader in = reader(Arrays.copyOfRange(reply, 12, reply.length));
        assertThat(in.getInt()).as("flavor of the verifier").isEqualTo(6);
        ends.client.context().mechanism().verify(in.getOpaque(400), networkOrder(3));
        assertThat(in.getInt()).as("SUCCESS").isZero();
        assertThat(ends.server.contexts().size()).isZero();
        assertThat(ends.send(late).outcome).isEqualTo("RPCSEC_GSS_CREDPROBLEM");
        assertThat(ends.executed).hasSize(1);
    }
}
