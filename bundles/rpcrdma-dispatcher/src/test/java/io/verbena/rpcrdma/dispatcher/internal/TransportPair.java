package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A client and a server over a provider, and checks that nothing of them is left. */
public final class TransportPair implements AutoCloseable {
    private final RdmaProvider provider;
    final RdmaRpcTransport client;
    final RdmaRpcTransport server;

    TransportPair(RdmaProvider provider) {
        this(provider, TransportLimits.DEFAULT, TransportLimits.DEFAULT);
    }

    TransportPair(RdmaProvider provider, TransportLimits clientTuning, TransportLimits serverTuning) {
        this.provider = provider;
        client = transportOfBoth(clientTuning, provider);
        server = transportOfBoth(serverTuning, provider);
    }

    /** One that speaks Version One only. */
    static RdmaRpcTransport transport(TransportLimits limits, RdmaProvider provider) {
        return new RdmaRpcTransport(
                new SystemRuntime(),
                limits,
                new DirectMemory(),
                provider,
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator());
    }

    /** One that speaks Versions One and Two. */
    static RdmaRpcTransport transportOfBoth(TransportLimits limits, RdmaProvider provider) {
        return new RdmaRpcTransport(
                new SystemRuntime(),
                limits,
                new DirectMemory(),
                provider,
                List.of(new VersionTwoFraming(), new VersionOneFraming()),
                new PrivateDataNegotiator());
    }

    static RdmaProvider provider(String name) {
        return switch (name) {
            case "iwarp" -> new IwarpProvider(new SystemRuntime(), new DirectMemory());
            case "direct" -> {
                MemoryFabric fabric = new MemoryFabric();
                fabric.requireDirectMemory();
                yield fabric;
            }
            case "device" -> MemoryFabric.ofDevices().withoutRemoteInvalidation();
            default -> new MemoryFabric();
        };
    }

    RpcListener listen(RpcProgram program) throws IOException {
        return listen(program, 64, Map.of());
    }

    RpcListener listen(RpcProgram program, int credits, Map<String, String> options) throws IOException {
        return server.listen(listenOptions(credits, options), program);
    }

    static ListenOptions listenOptions(int credits, Map<String, String> options) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new ListenOptions(any, credits, 16, EchoProgram.MAX, options);
    }

    RpcConnection connect(RpcListener listener) throws IOException {
        return connect(listener, 64, Map.of());
    }

    RpcConnection connect(RpcListener listener, int outstanding, Map<String, String> options) throws IOException {
        return client.connect(options(listener.localAddress(), outstanding, ConnectionObserver.NONE, options));
    }

    /** Connects with a program that the server may call. */
    RpcConnection connect(RpcListener listener, int outstanding, Map<String, String> options, RpcProgram reverse)
            throws IOException {
        return client.connect(
                options(listener.localAddress(), outstanding, ConnectionObserver.NONE, Optional.of(reverse), options));
    }

    static ConnectOptions options(
            InetSocketAddress remote, int outstanding, ConnectionObserver observer, Map<String, String> options) {
        return options(remote, outstanding, observer, Optional.empty(), options);
    }

    static ConnectOptions options(
            InetSocketAddress remote,
            int outstanding,
            ConnectionObserver observer,
            Optional<RpcProgram> reverse,
            Map<String, String> options) {
        return new ConnectOptions(
                remote,
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                Duration.ofSeconds(20),
                outstanding,
                observer,
                reverse,
                options);
    }

    public static RpcCall call(int procedure) {
        return new RpcCall(EchoProgram.PROGRAM, EchoProgram.VERSION, procedure, Credential.none())
                .timeout(Duration.ofSeconds(30));
    }

    static String callNull(RpcConnection connection) throws Exception {
        return connection.call(call(EchoProgram.NULL), in -> "done").get(20, TimeUnit.SECONDS);
    }

    long clientCount(Counter counter) {
        return count(client, counter.label());
    }

    static long count(RdmaRpcTransport transport, String counter) {
        return transport.connections().stream()
                .map(ConnectionStatus::counters)
                .mapToLong(counters -> counters.get(counter))
                .sum();
    }

    /** No memory is in reach of a peer on any connection. */
    void assertFenced() {
        assertThat(count(client, "registrations")).isZero();
        assertThat(count(server, "registrations")).isZero();
    }

    @Override
    public void close() {
        client.close();
        server.close();
        if (provider instanceof MemoryFabric fabric) {
            fabric.awaitAllEnded();
        } else if (provider instanceof IwarpProvider iwarp) {
            iwarp.deactivate();
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("rpcrdma-") || name.startsWith("memory-rdma-"));
    }
}
