package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaPeer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A provider that accepts, and raw peers that connect to it. */
abstract class RawPeerFixture {
    static final Duration TIMEOUT = Duration.ofSeconds(RdmaPeer.BOUND_SECONDS);
    static final byte[] NOTHING = {};
    static final ConnectionOptions OPTIONS = new ConnectionOptions(16, 16, 4, 2, Map.of());

    final IwarpProvider provider = new IwarpProvider(settings());
    final RdmaPeer server = new RdmaPeer();
    final CompletableFuture<RdmaConnection> accepted = new CompletableFuture<>();
    RdmaListener listener;

    ProviderSettings settings() {
        return ProviderSettings.DEFAULT;
    }

    @BeforeEach
    void listen() throws Exception {
        listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Map.of(), request -> {
            try {
                server.use(request.open(OPTIONS, server));
                server.connection().accept(NOTHING, TIMEOUT);
                accepted.complete(server.connection());
            } catch (RdmaException e) {
                accepted.completeExceptionally(e);
            }
        });
    }

    @AfterEach
    void deactivate() {
        provider.deactivate();
    }

    /** A raw peer, connected. */
    RawPeer connect() throws Exception {
        RawPeer peer = RawPeer.to(listener.localAddress()).handshake();
        RdmaPeer.await(accepted);
        return peer;
    }

    MemoryRegion register(ByteBuffer memory, Access access) throws RdmaException {
        return server.connection().register(memory, access);
    }

    void postReceive(int length) throws RdmaException {
        server.connection().postReceive(1, register(ByteBuffer.allocateDirect(length), Access.LOCAL), 0, length);
    }
}
