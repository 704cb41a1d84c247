package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a responder has posted at the moment of its Sends. */
final class PostedReceivesTest {
    private static final int CREDITS = 5;

    private final MemoryFabric fabric = new MemoryFabric();
    private final RdmaRpcTransport transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);

    @AfterEach
    void close() {
        transport.close();
        fabric.awaitAllEnded();
    }

    @ParameterizedTest
    @EnumSource
    @Proves("V1-4.3-8")
    @DisplayName("the receive for the next call is posted when a reply, or a refusal, leaves")
    void shouldPostReceivesBeforeReplying(Version version) throws Exception {
        CallingProgram program = new CallingProgram();
        RpcListener listener =
                transport.listen(new ListenOptions(MemoryFabric.address(0), CREDITS, 3, 100_000, Map.of()), program);
        RawPeer client = RawPeer.connect(fabric, listener.localAddress(), RawPeer.NO_PRIVATE_DATA);
        MemoryConnection server = fabric.endTo(client.rdma().localAddress());
        int all = server.postedReceives();
        List<RpcRequest> held = new ArrayList<>();
        for (int i = 0; i < CREDITS; i++) {
            client.send(version.nullCall(i, CREDITS));
            held.add(program.next());
        }
        assertThat(server.postedReceives()).isEqualTo(all - CREDITS);
        for (int i = 0; i < CREDITS; i++) {
            held.get(i).reply();
            assertThat(client.next().octets()).isEqualTo(version.nullReply(i, CREDITS));
            assertThat(server.receivesAtLastSend()).isEqualTo(all - CREDITS + i + 1);
        }
        client.send(version.call(7, CREDITS, Wire.MSG).words(2).done()); // no header
        assertThat(client.next().word(3)).isEqualTo(Wire.ERROR);
        assertThat(server.receivesAtLastSend()).isEqualTo(all);
    }
}
