package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.dispatcher.internal.base.Counter;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** A requester, of either version and over either kind of fabric, and a server that the test plays. */
@ParameterizedClass
@CsvSource({"ONE, false", "TWO, false", "ONE, true", "TWO, true"})
abstract class RequesterFixture {
    final Version version;
    final MemoryFabric fabric;
    final RdmaRpcTransport transport;
    final List<CompletableFuture<?>> started = new ArrayList<>();
    RawPeer.Listener listener;
    RpcConnection connection;
    RawPeer server;

    RequesterFixture(Version version, boolean device) {
        this.version = version;
        fabric = device ? MemoryFabric.ofDevices() : new MemoryFabric();
        transport = TransportPair.transportOfBoth(TransportLimits.DEFAULT, fabric);
    }

    @BeforeEach
    void listen() throws Exception {
        connect(4, RawPeer.NO_PRIVATE_DATA);
    }

    /**
     * Connects, or connects anew, with a server that sends that private data. In Version Two the first message is one
     * of few octets whatever follows, and so is gone before a test of something else begins.
     */
    void connect(int outstanding, byte[] privateData) throws Exception {
        open(outstanding, privateData);
        if (version == Version.TWO) {
            grant(1);
        }
    }

    void open(int outstanding, byte[] privateData) throws Exception {
        if (connection != null) {
            connection.close();
        }
        listener = new RawPeer.Listener(fabric, privateData);
        connection = transport.connect(
                TransportPair.options(listener.address(), outstanding, ConnectionObserver.NONE, version.options()));
        server = listener.next();
    }

    @AfterEach
    void close() {
        transport.close();
        listener.close();
        fabric.awaitAllEnded();
    }

    CompletableFuture<String> callNull() {
        return connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
    }

    int registrations() {
        return (int) TransportPair.count(transport, "registrations");
    }

    long count(Counter counter) {
        return TransportPair.count(transport, counter.label());
    }

    static Throwable failureOf(CompletableFuture<?> call) throws Exception {
        try {
            call.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause();
        }
        throw new AssertionError("the call did not fail");
    }

    void awaitNull(CompletableFuture<String> call) throws Exception {
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("done");
    }

    /** Has the server answer a first call, so that further ones may be in flight. */
    void grant(int credits) throws Exception {
        CompletableFuture<String> first = callNull();
        server.send(version.nullReply(server.next().xid(), credits));
        awaitNull(first);
    }
}
