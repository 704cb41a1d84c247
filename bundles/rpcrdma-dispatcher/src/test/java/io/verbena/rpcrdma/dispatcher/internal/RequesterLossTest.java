package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that are given up, and connections that are lost or closed under calls. */
final class RequesterLossTest extends RequesterFixture {
    RequesterLossTest(Version version, boolean device) {
        super(version, device);
    }

    @Test
    void shouldTellWhetherACallThatTimedOutWasSent() throws Exception {
        CompletableFuture<String> holdsTheCredit =
                connection.call(TransportPair.call(EchoProgram.NULL).timeout(Duration.ofMillis(40)), in -> "done");
        CompletableFuture<String> waits =
                connection.call(TransportPair.call(EchoProgram.NULL).timeout(Duration.ofMillis(20)), in -> "done");

        assertThat(failureOf(waits))
                .isInstanceOfSatisfying(CallTimedOutException.class, late -> assertThat(late.wasSent())
                        .isFalse());
        assertThat(failureOf(holdsTheCredit))
                .isInstanceOfSatisfying(CallTimedOutException.class, late -> assertThat(late.wasSent())
                        .isTrue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"timeout", "cancel", "orTimeout"})
    @Proves({"V1-5.4.1-1", "V1-5.4.1-2", "V1-10.1-1", "V1-10.1-4"})
    @DisplayName("a call given up is fenced before its future completes")
    void shouldFenceCallGivenUp(String how) throws Exception {
        grant(2);
        ByteBuffer sink = ByteBuffer.allocateDirect(5000);
        RpcCall call = TransportPair.call(EchoProgram.READ).expectData(sink);
        if (how.equals("timeout")) {
            call.timeout(Duration.ofMillis(20));
        }
        CompletableFuture<Integer> future = connection.call(call, in -> in.getDataInto(sink));
        CompletableFuture<Integer> openAtEnd = future.handle((value, failure) -> registrations());
        Message sent = server.next();
        if (how.equals("cancel")) {
            assertThat(registrations()).isOne();
            assertThat(future.cancel(false)).isTrue();
        } else if (how.equals("orTimeout")) {
            future.orTimeout(10, TimeUnit.MILLISECONDS);
        }
        assertThat(openAtEnd.get(10, TimeUnit.SECONDS)).isZero();
        assertThat(future).isCompletedExceptionally();
        if (how.equals("timeout")) {
            assertThatThrownBy(future::join).hasCauseInstanceOf(CallTimedOutException.class);
        }
        server.write(sent.chunks().onlySink(), new byte[] {1});
        server.awaitEnd();
        assertThat(sink.get(0)).isZero();
    }

    @Test
    @Proves("V1-5.5-6")
    @DisplayName("a connection whose credits are all held by calls given up is made again")
    void shouldReplaceConnectionThatIsStuck() throws Exception {
        grant(1);
        CompletableFuture<String> lost = callNull();
        server.next();
        CompletableFuture<String> waits = callNull();
        assertThat(lost.cancel(true)).isTrue();
        server.awaitEnd();
        server = listener.next();
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(waits);
    }

    @Test
    @DisplayName("a connection is made again where a reply leaves no credit but those of calls given up")
    void shouldReplaceConnectionThatIsStuckByItsLastReply() throws Exception {
        grant(2);
        CompletableFuture<String> lost = callNull();
        server.next();
        CompletableFuture<String> answered = callNull();
        Message last = server.next();
        CompletableFuture<String> waits = callNull();
        assertThat(lost.cancel(true)).isTrue();
        server.send(version.nullReply(last.xid(), 1));
        awaitNull(answered);
        server.awaitEnd();
        server = listener.next();
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(waits);
    }

    @Test
    @Proves({"V1-5.5-6", "V1-4.3.1-2", "CM-4-2", "BI-4.3.1-2"})
    @DisplayName("lost calls are sent again with their XIDs, in their order, from one credit on")
    void shouldRetransmitAfterLoss() throws Exception {
        grant(3);
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            calls.add(callNull());
        }
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            xids.add(server.next().xid());
        }
        server.rdma().close();
        server = listener.next();
        for (int i = 0; i < 3; i++) {
            assertThat(server.next().xid()).isEqualTo(xids.get(i));
            assertThat(server.isQuiet()).isTrue();
            server.send(version.nullReply(xids.get(i), 1));
        }
        server.send(version.nullReply(server.next().xid(), 1));
        server.send(version.nullReply(server.next().xid(), 1));
        for (CompletableFuture<String> call : calls) {
            awaitNull(call);
        }
        assertThat(count(Counter.RETRANSMISSIONS)).isEqualTo(3);
        assertThat(count(Counter.RECONNECTS)).isOne();
    }

    @Test
    @Proves("V1-5.5-6")
    @DisplayName("an idle connection that is lost is made again by the next call")
    void shouldReconnectAtNextCall() throws Exception {
        grant(3);
        server.rdma().close();
        assertThat(listener.isIdle()).isTrue();
        CompletableFuture<String> call = callNull();
        server = listener.next();
        server.send(version.nullReply(server.next().xid(), 1));
        awaitNull(call);
    }

    @Test
    void shouldFailCallsOnClose() throws Exception {
        grant(2);
        ByteBuffer sink = ByteBuffer.allocateDirect(9000);
        CompletableFuture<Integer> sent =
                connection.call(TransportPair.call(EchoProgram.READ).expectData(sink), in -> in.getDataInto(sink));
        started.add(callNull());
        CompletableFuture<String> waits = callNull();
        connection.close();
        assertThat(failureOf(sent)).isInstanceOf(TransportLostException.class).hasMessageContaining("closed");
        assertThat(failureOf(waits)).isInstanceOf(TransportLostException.class);
        assertThat(failureOf(callNull())).isInstanceOf(TransportLostException.class);
        assertThat(connection.isOpen()).isFalse();
        server.awaitEnd();
    }
}
