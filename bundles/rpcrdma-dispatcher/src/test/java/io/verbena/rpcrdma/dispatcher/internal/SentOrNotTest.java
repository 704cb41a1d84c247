package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.RpcConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who hears that a call has failed hears whether it went out: the peer may have executed it then. */
final class SentOrNotTest {
    @Test
    void shouldTellOfACallWithoutMemoryThatItDidNotGoOut() throws Exception {
        MemoryFabric fabric = new MemoryFabric();
        HeldProgram held = new HeldProgram();
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcConnection connection = rig.connect(rig.listen(held.program));
            TransportPair.callNull(connection);
            fabric.refuseMemory();
            assertSent(HeldProgram.call(connection, 1), false);
            assertThat(held.isQuiet()).isTrue();
        }
    }

    @Test
    void shouldTellOfACallWithoutMemoryThatItHadGoneOutBefore() throws Exception {
        MemoryFabric fabric = new MemoryFabric();
        HeldProgram held = new HeldProgram();
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcConnection connection = rig.connect(rig.listen(held.program));
            TransportPair.callNull(connection);
            CompletableFuture<String> call = HeldProgram.call(connection, 1);
            Runnable tooLate = held.next();
            fabric.refuseMemory();
            fabric.breakAll();
            assertSent(call, true);
            tooLate.run(); // to nobody
        }
    }

    @Test
    void shouldFailThousandsOfWaitingCallsOneAfterTheOther() throws Exception {
        MemoryFabric fabric = new MemoryFabric();
        HeldProgram held = new HeldProgram();
        try (TransportPair rig = new TransportPair(fabric)) {
            RpcConnection connection = rig.connect(rig.listen(held.program));
            TransportPair.callNull(connection);
            CompletableFuture<String> first = HeldProgram.call(connection, 1);
            Runnable answer = held.next();
            List<CompletableFuture<String>> calls = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                calls.add(HeldProgram.call(connection, 1));
            }
            fabric.refuseMemory();
            answer.run(); // the thread that brings the credit sends, and fails to
            assertThat(first.get(10, TimeUnit.SECONDS)).isNotNull();
            assertSent(calls.get(calls.size() - 1), false);
        }
    }

    private static void assertSent(CompletableFuture<String> call, boolean sent) {
        assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                .cause()
                .hasMessageContaining("cannot open memory")
                .isInstanceOfSatisfying(LocalResourceException.class, e -> assertThat(e.wasSent())
                        .isEqualTo(sent));
    }
}
