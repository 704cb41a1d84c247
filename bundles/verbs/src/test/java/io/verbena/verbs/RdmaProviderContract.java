package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The common part of the provider contract's suites: a provider, and pairs of connected ends on the loopback interface.
 * A suite for two providers connects with one and listens with the other.
 */
public abstract class RdmaProviderContract {
    protected static final Duration TIMEOUT = Duration.ofSeconds(RdmaPeer.BOUND_SECONDS);

    /** The number of 4 MiB transfers in a bulk test; smaller on an emulated machine. */
    protected static final int BULK = Integer.getInteger("verbena.contract.bulk", 32);

    protected static final byte[] NOTHING = {};
    protected static final ConnectionOptions OPTIONS = new ConnectionOptions(64, 64, 16, 16, Map.of());

    private final List<AutoCloseable> toClose = new ArrayList<>();

    /** The provider whose ends connect. */
    protected RdmaProvider connecting;

    /** The provider whose ends are accepted. */
    protected RdmaProvider listening;

    /** The provider under test, new for each test; it connects. */
    protected abstract RdmaProvider createProvider() throws Exception;

    /** The listening provider, created for each test. The default is the connecting provider. */
    protected RdmaProvider createListeningProvider() throws Exception {
        return connecting;
    }

    /** Ends the provider. All its resources have to be free afterwards. */
    protected abstract void destroyProvider(RdmaProvider toDestroy) throws Exception;

    /** An address for connections of the providers. */
    protected InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }

    /** The shortcomings that the tests allow the ends of a provider under test at that address. */
    protected Set<Shortcoming> shortcomings(RdmaProvider provider) {
        return Set.of();
    }

    /** Whether the connecting ends have a shortcoming. */
    protected final boolean connectingLacks(Shortcoming shortcoming) {
        return shortcomings(connecting).contains(shortcoming);
    }

    /** Whether the accepted ends have a shortcoming. */
    protected final boolean listeningLacks(Shortcoming shortcoming) {
        return shortcomings(listening).contains(shortcoming);
    }

    /** Compares private data; some transports append zeros. */
    protected static void assertPrivateData(byte[] arrived, byte[] sent) {
        assertThat(arrived).hasSizeGreaterThanOrEqualTo(sent.length).isEqualTo(Arrays.copyOf(sent, arrived.length));
    }

    @BeforeEach
    void createProviderForTest() throws Exception {
        connecting = createProvider();
        listening = createListeningProvider();
    }

    @AfterEach
    void destroyProviderAfterTest() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
        destroyProvider(connecting);
        if (listening != connecting) {
            destroyProvider(listening);
        }
    }

    /** Closes a resource at the end of the test. */
    protected <T extends AutoCloseable> T closing(T resource) {
        toClose.add(resource);
        return resource;
    }

    protected RdmaListener listen(ConnectionAcceptor acceptor) throws RdmaException {
        return closing(listening.listen(new InetSocketAddress(address(), 0), Map.of(), acceptor));
    }

    protected RdmaConnection open(InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler)
            throws RdmaException {
        return closing(connecting.open(remote, options, handler, TIMEOUT));
    }

    /** Two connected ends. */
    protected record Pair(RdmaPeer client, RdmaPeer server) {}

    protected Pair connect() throws Exception {
        return connect(OPTIONS, OPTIONS);
    }

    protected Pair connect(ConnectionOptions clientOptions, ConnectionOptions serverOptions) throws Exception {
        RdmaPeer client = new RdmaPeer();
        RdmaPeer server = new RdmaPeer();
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        try (RdmaListener listener = listening.listen(new InetSocketAddress(address(), 0), Map.of(), request -> {
            try {
                server.use(request.open(serverOptions, server));
                server.connection().accept(NOTHING, TIMEOUT);
                accepted.complete(null);
            } catch (RdmaException e) {
                accepted.completeExceptionally(e);
            }
        })) {
            client.use(open(listener.localAddress(), clientOptions, client));
            client.connection().connect(NOTHING, TIMEOUT);
            RdmaPeer.await(accepted);
        }
        closing(server.connection());
        return new Pair(client, server);
    }

    protected static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    protected static ByteBuffer buffer(int length) {
        return ByteBuffer.allocateDirect(Math.max(length, 1)).limit(length);
    }

    protected static ByteBuffer filled(byte[] bytes) {
        return buffer(bytes.length).put(bytes).flip();
    }

    protected static byte[] bytes(ByteBuffer b, int offset, int length) {
        byte[] bytes = new byte[length];
        b.get(offset, bytes);
        return bytes;
    }

    protected static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Memory for one operation of the local end. */
    protected static MemoryRegion local(RdmaPeer peer, ByteBuffer b) throws RdmaException {
        return peer.connection().register(b, Access.LOCAL);
    }

    protected static void assertRefused(RdmaException.Kind kind, ThrowingPost post) {
        assertThatThrownBy(post::run).isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.kind())
                .isEqualTo(kind));
    }

    /** An action that may throw the exceptions of posts. */
    @FunctionalInterface
    protected interface ThrowingPost {
        void run() throws RdmaException;
    }
}
