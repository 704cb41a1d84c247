package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls in both directions of one connection, our two ends against each other. */
final class BothWaysTest {
    private static String callBack(RpcPeer peer) throws Exception {
        return peer.call(Rig.call(EchoProgram.NULL), in -> "back").get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"memory, 1", "iwarp, 1", "memory, 2", "iwarp, 2"})
    @DisplayName("BI-4.1-1 V2-4.2.2-1 a reverse call is answered while the only forward credit is in use")
    void shouldCallBackBeforeTheReply(String provider, String version) throws Exception {
        CallingProgram program = new CallingProgram();
        try (Rig rig = new Rig(Rig.provider(provider))) {
            RpcConnection connection =
                    rig.connect(rig.listen(program, 1, Map.of()), 1, Map.of("rpcrdma", version), new EchoProgram());
            CompletableFuture<String> forward = connection.call(Rig.call(EchoProgram.NULL), in -> "done");
            RpcRequest request = program.next();
            for (int i = 0; i < 100; i++) {
                assertThat(callBack(request.peer())).isEqualTo("back");
            }
            assertThat(forward).isNotDone();
            request.reply();
            assertThat(forward.get(10, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(rig.clientCount(Counter.REVERSE_REPLIES)).isEqualTo(100);
            assertThat(rig.clientCount(Counter.REPLIES)).isOne();
        }
    }
}
