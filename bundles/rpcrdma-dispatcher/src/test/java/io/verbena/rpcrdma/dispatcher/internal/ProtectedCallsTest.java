package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.CallProtection;
import io.verbena.rpc.CallSecurity;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of a security flavor whose credential and verifier are made anew for each transmission. */
@Timeout(60)
final class ProtectedCallsTest {
    private static final int[][] SIZES = {{0, 0}, {1, 1}, {100, 3900}, {100, 4000}, {100, 65537}, {5000, 100001}};

    private static RpcCall call(CallSecurity security, int procedure) {
        return new RpcCall(new XdrWriter(), EchoProgram.PROGRAM, EchoProgram.VERSION, procedure, security)
                .timeout(Duration.ofSeconds(30));
    }

    private static CompletableFuture<Boolean> echo(
            RpcConnection connection, CallSecurity security, int serial, int streamLength, int dataLength) {
        byte[] stream = EchoProgram.bytes(1, streamLength);
        byte[] data = EchoProgram.bytes(2, dataLength);
        ByteBuffer sink = ByteBuffer.allocateDirect(dataLength);
        RpcCall call = call(security, EchoProgram.ECHO).expectData(sink).maxReplySize(streamLength + 64);
        call.arguments().putInt(serial).putOpaque(stream).putData(ByteBuffer.wrap(data));
        return connection.call(call, in -> {
            assertThat(in.getOpaque(EchoProgram.MAX)).isEqualTo(stream);
            assertThat(in.getDataInto(sink)).isEqualTo(dataLength);
            in.requireEnd();
            assertThat(sink.flip()).isEqualTo(ByteBuffer.wrap(data));
            return true;
        });
    }

    @ParameterizedTest
    @CsvSource({"memory, 1, false", "memory, 2, false", "iwarp, 1, false", "memory, 1, true", "iwarp, 2, true"})
    @Proves({"ULB-5.4.1-6", "ULB-8-1"})
    void shouldCarryArgumentsAndResultsOfAnySize(String provider, String version, boolean isWhole) throws Exception {
        TestFlavor flavor = new TestFlavor(isWhole);
        try (TransportPair rig = new TransportPair(TransportPair.provider(provider))) {
            RpcListener listener = rig.listen(flavor.program(new EchoProgram()));
            RpcConnection connection = rig.connect(listener, 16, Map.of("inline", "4096", "rpcrdma", version));
            for (int[] sizes : SIZES) {
                assertThat(echo(connection, flavor, 1, sizes[0], sizes[1]).get(20, TimeUnit.SECONDS))
                        .isTrue();
                rig.assertFenced();
            }
            // data that is protected as a whole has no Write chunk of its own
            assertThat(TransportPair.count(rig.client, "writeChunkBytes") > 0).isEqualTo(!isWhole);
            assertThat(flavor.taken).hasSize(SIZES.length).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Proves("GSS-5.3.3.1-7")
    void shouldHaveANumberOfItsOwnForEachTransmission(boolean isWhole) throws Exception {
        TestFlavor flavor = new TestFlavor(isWhole);
        Set<RpcPeer> peers = ConcurrentHashMap.newKeySet();
        EchoProgram program = new EchoProgram(Runnable::run, peers);
        try (TransportPair rig = new TransportPair(TransportPair.provider("memory"))) {
            RpcConnection connection = rig.connect(rig.listen(flavor.program(program)), 12, Map.of());
            List<CompletableFuture<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                calls.add(echo(connection, flavor, i, 100, 5000));
                if (i % 20 == 19) {
                    calls.get(i - 3).get(20, TimeUnit.SECONDS);
                    peers.forEach(RpcPeer::disconnect);
                }
            }
            for (CompletableFuture<Boolean> each : calls) {
                assertThat(each.get(20, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(rig.clientCount(Counter.RETRANSMISSIONS)).isPositive();
            assertThat(new HashSet<>(flavor.taken)).hasSameSizeAs(flavor.taken);
        }
    }

    @Test
    void shouldTakeNoReplyWithAnotherVerifierThanThatOfATransmission() throws Exception {
        TestFlavor flavor = new TestFlavor(false);
        try (TransportPair rig = new TransportPair(TransportPair.provider("memory"))) {
            RpcConnection connection = rig.connect(rig.listen(flavor.program(new EchoProgram())));
            flavor.damage = 7;
            assertThatThrownBy(() -> echo(connection, flavor, 1, 0, 0).get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(PeerProtocolException.class);
            flavor.damage = -1;
            assertThat(echo(connection, flavor, 2, 0, 0).get(20, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    @Test
    void shouldRefuseAFlavorThatTheProgramDoesNotTake() throws Exception {
        try (TransportPair rig = new TransportPair(TransportPair.provider("memory"))) {
            RpcConnection connection = rig.connect(rig.listen(new EchoProgram()));
            assertThatThrownBy(() ->
                            echo(connection, new TestFlavor(false), 1, 0, 0).get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(RpcRejectedException.class, refused -> {
                        assertThat(refused.authStatus()).isEqualTo(AuthStatus.AUTH_REJECTEDCRED);
                        assertThat(refused.wasSent())
                                .as("nothing proves a denial")
                                .isTrue();
                    });
            assertThatThrownBy(() -> TransportPair.callNull(
                            rig.connect(rig.listen(new TestFlavor(false).program(new EchoProgram())))))
                    .cause()
                    .isInstanceOfSatisfying(RpcRejectedException.class, refused -> assertThat(refused.wasSent())
                            .as("nothing is proved by this flavor")
                            .isFalse());
        }
    }

    /** Seals once. */
    private static final class Once implements CallSecurity {
        @Override
        public CallProtection protect(int program, int version, int procedure) {
            CallProtection real = new TestFlavor(false).protect(program, version, procedure);
            AtomicBoolean done = new AtomicBoolean();
            return new CallProtection() {
                @Override
                public void seal(int xid, XdrWriter arguments, XdrWriter message) throws RpcException {
                    if (done.getAndSet(true)) {
                        throw new RpcRejectedException(AuthStatus.RPCSEC_GSS_CTXPROBLEM, "there is no context");
                    }
                    real.seal(xid, arguments, message);
                }

                @Override
                public void verify(OpaqueAuth verifier) throws PeerProtocolException {
                    real.verify(verifier);
                }

                @Override
                public XdrReader open(XdrReader results) throws XdrException, PeerProtocolException {
                    return real.open(results);
                }

                @Override
                public boolean isWhole() {
                    return false;
                }

                @Override
                public int replyOverhead() {
                    return real.replyOverhead();
                }
            };
        }
    }

    @Test
    void shouldTellWhetherACallWasSentThatCannotBeProtectedAgain() throws Exception {
        TestFlavor flavor = new TestFlavor(false);
        Set<RpcPeer> peers = ConcurrentHashMap.newKeySet();
        List<Runnable> kept = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch came = new CountDownLatch(1);
        EchoProgram program = new EchoProgram(
                execution -> {
                    kept.add(execution);
                    came.countDown();
                },
                peers);
        try (TransportPair rig = new TransportPair(TransportPair.provider("memory"))) {
            RpcConnection connection = rig.connect(rig.listen(flavor.program(program)));
            CompletableFuture<Boolean> call = echo(connection, new Once(), 1, 10, 10);
            assertThat(came.await(20, TimeUnit.SECONDS)).isTrue();
            peers.forEach(RpcPeer::disconnect);
            assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(RpcRejectedException.class, lost -> assertThat(lost.wasSent())
                            .isTrue());
            kept.forEach(Runnable::run);
        }
    }

    @Test
    void shouldFailACallThatCannotBeProtectedAnyMoreAndSendNothing() throws Exception {
        EchoProgram program = new EchoProgram();
        CallSecurity expired = (number, version, procedure) -> new CallProtection() {
            @Override
            public void seal(int xid, XdrWriter arguments, XdrWriter message) throws PeerProtocolException {
                throw new PeerProtocolException("the credentials have expired", null);
            }

            @Override
            public void verify(OpaqueAuth verifier) {
                throw new AssertionError("nothing was sent");
            }

            @Override
            public XdrReader open(XdrReader results) {
                throw new AssertionError("nothing was sent");
            }

            @Override
            public boolean isWhole() {
                return false;
            }

            @Override
            public int replyOverhead() {
                return 0;
            }
        };
        try (TransportPair rig = new TransportPair(TransportPair.provider("memory"))) {
            RpcConnection connection = rig.connect(rig.listen(program));
            assertThatThrownBy(() -> echo(connection, expired, 1, 10, 70_000).get(20, TimeUnit.SECONDS))
                    .hasRootCauseMessage("the credentials have expired");
            rig.assertFenced();
            assertThat(TransportPair.callNull(connection)).isEqualTo("done");
            assertThat(program.executed).isEmpty();
        }
    }
}
