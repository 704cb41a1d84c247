package io.verbena.verbs.iwarp.internal.provider;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaPeer;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A provider that accepts, and raw peers that connect to it. */
public abstract class RawPeerFixture {
    public static final Duration TIMEOUT = Duration.ofSeconds(RdmaPeer.BOUND_SECONDS);
    public static final byte[] NOTHING = {};
    public static final ConnectionOptions OPTIONS = new ConnectionOptions(16, 16, 4, 2, Map.of());

    public final IwarpProvider provider = new IwarpProvider(settings(), new SystemRuntime(), new DirectMemory());
    public final RdmaPeer server = new RdmaPeer();
    public final CompletableFuture<RdmaConnection> accepted = new CompletableFuture<>();
    public RdmaListener listener;

    public IwarpSettings settings() {
        return IwarpSettings.DEFAULT;
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
    public RawPeer connect() throws Exception {
        RawPeer peer = RawPeer.to(listener.localAddress()).handshake();
        RdmaPeer.await(accepted);
        return peer;
    }

    MemoryRegion register(ByteBuffer memory, Access access) throws RdmaException {
        return server.connection().register(memory, access);
    }

    public void postReceive(int length) throws RdmaException {
        server.connection().postReceive(1, register(ByteBuffer.allocateDirect(length), Access.LOCAL), 0, length);
    }
}
