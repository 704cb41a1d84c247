package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.Relay;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host that opens as many connections to an export as it can, before it says who it is; and another host. */
class FloodTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String ANOTHER_HOST = "127.0.0.2";
    private static final int MOST_CONNECTIONS = 16;
    private static final int HALF_OPEN = 200;

    @TempDir
    Path temporary;

    private final List<AutoCloseable> open = new ArrayList<>();
    private RdmaRpcTransport transport;
    private ExportService export;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("export"));
        transport = new RdmaRpcTransport(
                new SystemRuntime(),
                new DirectMemory(),
                new IwarpProvider(new SystemRuntime(), new DirectMemory()),
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator());
        InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        export = new ExportService(
                new ExportOptions(
                        ExportSettings.of("docs", directory),
                        new ListenOptions(local, 4, MOST_CONNECTIONS, 1 << 20, Map.of())),
                temporary.resolve("state"),
                ServerMemory.ofHeap(),
                new SystemRuntime());
        export.useTransport(transport);
        export.awaitListening(BOUND);
        address = export.localAddress().orElseThrow();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        export.close();
        transport.close();
    }

    /** Connects and sends the NULL procedure, and stays connected. */
    private void call(InetSocketAddress to) throws Exception {
        RpcConnection connection = transport.connect(ConnectOptions.to(to));
        open.add(connection);
        RpcCall nothing = new RpcCall(100_003, 4, 0, Credential.none());
        connection.call(nothing, in -> 0).get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }

    private Relay anotherHost() throws Exception {
        Relay relay = new Relay(address, ANOTHER_HOST);
        open.add(relay);
        return relay;
    }

    @Test
    void shouldLetBothHostsInWhileOneHasMoreHalfOpenHandshakesThanThereMayBe() throws Exception {
        for (int i = 0; i < HALF_OPEN; i++) {
            Socket silent = new Socket(address.getAddress(), address.getPort());
            open.add(silent);
            silent.getOutputStream().write("MPA ".getBytes(StandardCharsets.US_ASCII));
        }
        assertThatCode(() -> call(anotherHost().address())).doesNotThrowAnyException();
        assertThatCode(() -> call(address)).doesNotThrowAnyException();
    }

    @Test
    void shouldLetAnotherHostInWhileOneHasAllConnections() throws Exception {
        for (int i = 0; i < MOST_CONNECTIONS; i++) {
            call(address);
        }
        Relay another = anotherHost();
        for (int i = 0; i < MOST_CONNECTIONS / 2; i++) {
            call(another.address());
        }
        assertThat(export.counters()).containsEntry("clients", 0L);
    }
}
