package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.dispatcher.internal.RawPeer.Message;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Messages and calls of tests of the version's negotiation. */
final class VersionMessages {
    static final int ERR_VERS = 1;
    private static final int REPLY = 1;

    private VersionMessages() {}

    static CompletableFuture<String> call(RpcConnection connection, int arguments) {
        RpcCall call = TransportPair.call(EchoProgram.NULL);
        call.arguments().putFixedOpaque(new byte[arguments]);
        return connection.call(call.maxReplySize(100), in -> "done");
    }

    static void awaitDone(CompletableFuture<String> call) throws Exception {
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    static ByteBuffer reply(int version, int xid, int credits) {
        Wire wire = Wire.header(version, xid, credits, Wire.MSG);
        return (version == 2 ? wire.words(REPLY) : wire)
                .words(0, 0, 0)
                .accepted(xid)
                .done();
    }

    static ByteBuffer versionError(int version, int xid, int low, int high) {
        return Wire.header(version, xid, 4, Wire.ERROR)
                .words(ERR_VERS, low, high)
                .done();
    }

    static void assertVersion(Message message, int version) {
        assertThat(message.word(1)).as("rdma_vers").isEqualTo(version);
    }
}
