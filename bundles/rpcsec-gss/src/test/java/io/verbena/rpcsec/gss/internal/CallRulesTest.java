package io.verbena.rpcsec.gss.internal;

import static io.verbena.rpcsec.gss.internal.GssFixture.ARGUMENTS;
import static io.verbena.rpcsec.gss.internal.GssFixture.SOON;
import static io.verbena.rpcsec.gss.internal.GssFixture.at;
import static io.verbena.rpcsec.gss.internal.GssFixture.numbered;
import static io.verbena.rpcsec.gss.internal.GssFixture.patched;
import static io.verbena.rpcsec.gss.internal.GssFixture.reader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrReader;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a client seals calls, and what it takes for their replies (RFC 2203 section 5.3), octet by octet. */
@Timeout(60)
@ExtendWith(Kerberos.Provider.class)
final class CallRulesTest {
    private static final int SEQUENCE = 40;
    private static final int HANDLE = 48;

    private final Kerberos kerberos;

    CallRulesTest(Kerberos kerberos) {
        this.kerberos = kerberos;
    }

    private GssFixture established(ProtectionService service) throws Exception {
        return new GssFixture(kerberos, service).establish();
    }

    @ParameterizedTest
    @EnumSource(ProtectionService.class)
    @Proves({"GSS-3-1", "GSS-5-1", "GSS-5.3.1-1", "GSS-5.3.2.1-1", "GSS-5.3.2.2-1", "GSS-5.3.2.3-1", "GSS-5.3.3.1-5"})
    void shouldSignTheHeaderAndSealTheArguments(ProtectionService service) throws Exception {
        try (GssFixture ends = established(service)) {
            OneRequest unused = ends.connection.transmit(ends.call(), 0x01020304);
            byte[] call = ends.connection.sent.get(1);
            assertThat(at(call, 0)).isEqualTo(0x01020304);
            assertThat(at(call, 24)).as("flavor").isEqualTo(6);
            assertThat(at(call, 28)).as("octets of the credential").isEqualTo(20 + 16);
            assertThat(at(call, 32)).as("version").isEqualTo(1);
            assertThat(at(call, 36)).as("DATA").isZero();
            int sequence = at(call, SEQUENCE);
            assertThat(at(call, 44)).isEqualTo(service.number());
            assertThat(at(call, HANDLE)).isEqualTo(16);
            assertThat(Arrays.copyOfRange(call, 52, 68)).isEqualTo(ends.handle());
            assertThat(at(call, 68)).as("flavor of the verifier").isEqualTo(6);
            Mechanism peer = ends.kept().mechanism();
            XdrReader in = reader(Arrays.copyOfRange(call, 72, call.length));
            peer.verify(in.getOpaque(400), Arrays.copyOf(call, 68));
            byte[] body = numbered(sequence, ARGUMENTS);
            switch (service) {
                case NONE -> assertThat(in.getFixedOpaque(8)).isEqualTo(ARGUMENTS);
                case INTEGRITY -> {
                    assertThat(in.getOpaque(400)).isEqualTo(body);
                    peer.verify(in.getOpaque(400), body);
                }
                case PRIVACY -> {
                    byte[] sealed = in.getOpaque(400);
                    assertThat(indexOf(sealed, ARGUMENTS)).as("in the clear").isNegative();
                    assertThat(peer.unwrap(sealed)).isEqualTo(body);
                }
            }
            in.requireEnd();
        }
    }

    private static int indexOf(byte[] octets, byte[] part) {
        for (int i = 0; i + part.length <= octets.length; i++) {
            if (Arrays.equals(octets, i, i + part.length, part, 0, part.length)) {
                return i;
            }
        }
        return -1;
    }

    @ParameterizedTest
    @EnumSource(ProtectionService.class)
    @Proves({"GSS-5.3.1-2", "GSS-5.3.3.1-7", "GSS-5.3.3.1-8"})
    void shouldHaveANumberOfItsOwnForEachTransmission(ProtectionService service) throws Exception {
        try (GssFixture ends = established(service)) {
            RpcCall call = ends.call();
            OneRequest first = ends.connection.transmit(call, 7);
            OneRequest again = ends.connection.transmit(call, 7);
            OneRequest next = ends.connection.transmit(ends.call(), 8);
            int last = 0;
            Set<String> verifiers = new HashSet<>();
            for (byte[] sent : ends.connection.sent.subList(1, 4)) {
                assertThat(at(sent, SEQUENCE)).isGreaterThan(last);
                last = at(sent, SEQUENCE);
                verifiers.add(Arrays.toString(Arrays.copyOfRange(sent, 76, 76 + at(sent, 72))));
            }
            assertThat(verifiers).hasSize(3);
            // the reply to each transmission is one to the call; that to another call is none
            for (OneRequest each : new OneRequest[] {first, again}) {
                assertThat(each.outcome).isEqualTo("replied");
                assertThat(ends.connection.<byte[]>decode(each.answer().join(), call, in -> in.getOpaque(400)))
                        .containsExactly(1, 2, 3, 4);
            }
            byte[] foreign = next.answer().join();
            assertThatThrownBy(() -> ends.connection.decode(foreign, call, in -> in.getOpaque(400)))
                    .hasCauseInstanceOf(PeerProtocolException.class);
        }
    }

    @Test
    @Proves("GSS-5.3.1-3")
    void shouldUseNoNumberBeyondTheGreatest() throws Exception {
        try (GssFixture ends = established(ProtectionService.INTEGRITY)) {
            AtomicInteger sequence = (AtomicInteger) GssFixture.field(ends.client.context(), "sequence");
            sequence.set(Integer.MAX_VALUE - 1);
            assertThat(ends.echo()).containsExactly(1, 2, 3, 4);
            assertThat(at(ends.connection.sent.get(1), SEQUENCE)).isEqualTo(Integer.MAX_VALUE);
            assertThat(ends.client.isEstablished()).isFalse();
            assertThatThrownBy(ends::echo)
                    .satisfies(failure -> assertThat(ends.client.isContextLost(failure.getCause()))
                            .isTrue());
            assertThat(ends.connection.sent).hasSize(2);
            assertThat(ends.establish().echo()).containsExactly(1, 2, 3, 4);
            assertThat(at(ends.connection.sent.get(3), SEQUENCE)).isLessThan(10);
        }
    }

    /** Any bit of a reply that is changed on its way: there is a failure, or what the server has sent. */
    @ParameterizedTest
    @EnumSource(ProtectionService.class)
    @Proves({"GSS-3-1", "GSS-5.3.3.2-3"})
    void shouldTakeNoReplyThatWasChanged(ProtectionService service) throws Exception {
        try (GssFixture ends = established(service)) {
            RpcCall call = ends.call();
            byte[] reply = ends.connection.transmit(call, 7).answer().get(20, TimeUnit.SECONDS);
            int resultsAt = 20 + at(reply, 16) + 4;
            int taken = 0;
            for (int at = 4; at < reply.length; at++) { // behind the XID, which the transport compares
                if (service == ProtectionService.NONE && at >= resultsAt) {
                    break; // results are not protected
                }
                byte[] changed = reply.clone();
                changed[at] ^= 2;
                try {
                    assertThat(ends.connection.<byte[]>decode(changed, call, in -> in.getOpaque(400)))
                            .as("octet %d", at)
                            .containsExactly(1, 2, 3, 4);
                    taken++;
                } catch (CompletionException e) {
                    assertThat(e).as("octet %d", at).isNotNull();
                }
            }
            // flags and rotation of an encrypted token are in the clear (RFC 4121 section 4.2.6.2)
            assertThat(taken).isLessThan(service == ProtectionService.PRIVACY ? 16 : 1);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AuthStatus.class,
            names = {"RPCSEC_GSS_CREDPROBLEM", "RPCSEC_GSS_CTXPROBLEM"})
    @Proves("GSS-5.3.3.3-3")
    void shouldGiveAContextUpThatIsDenied(AuthStatus status) throws Exception {
        try (GssFixture ends = established(ProtectionService.PRIVACY)) {
            ends.server.contexts().clear();
            AtomicReference<byte[]> reply = new AtomicReference<>();
            ends.connection.way = octets -> {
                reply.set(patched(octets, 16, status.code()));
                return reply.get();
            };
            assertThatThrownBy(ends::echo)
                    .isInstanceOf(ExecutionException.class)
                    .satisfies(failure -> assertThat(ends.client.isContextLost(failure.getCause()))
                            .isTrue());
            assertThat(reply.get()).hasSize(20);
            assertThat(ends.client.isEstablished()).isFalse();
            ends.connection.way = octets -> octets;
            assertThat(ends.establish().echo()).containsExactly(1, 2, 3, 4);
        }
    }

    @Test
    @Proves("GSS-4-1")
    void shouldReadTheStatusesOfTheFlavor() throws Exception {
        try (GssFixture ends = established(ProtectionService.NONE)) {
            ends.server.contexts().clear();
            int[] status = new int[1];
            ends.connection.way = octets -> {
                status[0] = at(octets, 16);
                return octets;
            };
            assertThat(ends.connection.call(ends.call(), in -> in.getOpaque(400)))
                    .failsWithin(SOON)
                    .withThrowableThat()
                    .withCauseInstanceOf(RpcRejectedException.class);
            assertThat(status[0]).isEqualTo(13);
            OneRequest beyond = ends.establish().send(-1, GssFixture.NONE);
            assertThat(at(beyond.answer().join(), 16)).isEqualTo(14);
        }
    }
}
