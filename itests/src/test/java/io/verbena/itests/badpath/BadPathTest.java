package io.verbena.itests.badpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.itests.model.Side;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The faults of a path, seen by two plain sockets; and changed octets, seen by a mount. */
@Timeout(120)
class BadPathTest {
    private static final int BEFORE = 1000;
    private static final int SHORT_MILLIS = 200;

    private final byte[] sent = new byte[50_000];

    private ServerSocket server;
    private BadPath path;

    @BeforeEach
    void listen() throws IOException {
        new Random(1).nextBytes(sent);
        server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        path = new BadPath((InetSocketAddress) server.getLocalSocketAddress(), 1);
    }

    @AfterEach
    void end() throws IOException {
        path.close();
        server.close();
    }

    private Socket connect() throws IOException {
        return new Socket(path.address().getAddress(), path.address().getPort());
    }

    private void order(Fault fault) {
        path.orderFaults(1, BEFORE, BEFORE + 1, fault);
    }

    private static CompletableFuture<byte[]> read(Socket from, int octets) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return from.getInputStream().readNBytes(octets);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Sends, and returns what arrives. */
    private byte[] transfer(Socket from, Socket to) throws Exception {
        CompletableFuture<byte[]> got = read(to, sent.length);
        from.getOutputStream().write(sent);
        return got.get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldForwardEveryOctetHoweverItIsCut(long seed) throws Exception {
        try (BadPath cutting = new BadPath((InetSocketAddress) server.getLocalSocketAddress(), seed)) {
            cutting.cutUp();
            try (Socket client = new Socket(
                            cutting.address().getAddress(), cutting.address().getPort());
                    Socket accepted = server.accept()) {
                assertThat(transfer(client, accepted)).isEqualTo(sent);
                assertThat(transfer(accepted, client)).isEqualTo(sent);
                client.shutdownOutput();
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PAUSE", "STALL"})
    void shouldForwardEveryOctetInTheEnd(Fault fault) throws Exception {
        order(fault);
        try (Socket client = connect();
                Socket accepted = server.accept()) {
            assertThat(transfer(client, accepted)).isEqualTo(sent);
            assertThat(transfer(accepted, client)).isEqualTo(sent);
            assertThat(path.counts()).containsEntry(fault, 1);
        }
    }

    @Test
    void shouldChangeBitsOfOneOctet() throws Exception {
        order(Fault.CORRUPTION);
        try (Socket client = connect();
                Socket accepted = server.accept()) {
            byte[] got = transfer(client, accepted);
            assertThat(got[BEFORE]).isNotEqualTo(sent[BEFORE]);
            got[BEFORE] = sent[BEFORE];
            assertThat(got).isEqualTo(sent);
        }
    }

    @Test
    void shouldStopOneDirection() throws Exception {
        order(Fault.HOLE);
        try (Socket client = connect();
                Socket accepted = server.accept()) {
            client.getOutputStream().write(sent);
            assertThat(accepted.getInputStream().readNBytes(BEFORE)).isEqualTo(Arrays.copyOf(sent, BEFORE));
            accepted.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            assertThat(transfer(accepted, client)).isEqualTo(sent);
        }
    }

    @Test
    void shouldStopBothDirections() throws Exception {
        order(Fault.SILENCE);
        try (Socket client = connect();
                Socket accepted = server.accept()) {
            client.getOutputStream().write(sent);
            path.awaitOver(60);
            accepted.getOutputStream().write(sent);
            client.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void shouldEndBothSidesInOrder() throws Exception {
        order(Fault.END);
        try (Socket client = connect();
                Socket accepted = server.accept()) {
            client.getOutputStream().write(sent);
            assertThat(accepted.getInputStream().readAllBytes()).isEqualTo(Arrays.copyOf(sent, BEFORE));
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void shouldResetBothSides() throws Exception {
        order(Fault.RESET);
        try (Socket client = connect();
                Socket accepted = server.accept()) {
            client.getOutputStream().write(sent, 0, BEFORE + 1);
            assertThatThrownBy(() -> accepted.getInputStream().readAllBytes()).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> client.getInputStream().readAllBytes()).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void shouldRefuseConnectionsForATime() throws Exception {
        order(Fault.REFUSAL);
        boolean refused = false;
        try (Socket client = connect();
                Socket accepted = server.accept()) {
            client.getOutputStream().write(sent, 0, BEFORE + 1);
            assertThatThrownBy(() -> accepted.getInputStream().readAllBytes()).isInstanceOf(SocketException.class);
        }
        Socket next = null;
        while (next == null) {
            try {
                next = connect();
            } catch (ConnectException e) {
                refused = true;
            }
        }
        try (Socket client = next;
                Socket accepted = server.accept()) {
            assertThat(refused).isTrue();
            assertThat(transfer(client, accepted)).isEqualTo(sent);
        }
    }

    /** Each fault is a changed octet, and a connection has one fault: so each of them has ended its connection. */
    @ParameterizedTest
    @ValueSource(strings = {"rpcrdma=1", "rpcrdma=2"})
    void shouldEndAConnectionThatHasChangedAnOctetOfAnFpdu(String options, @TempDir Path folder) throws Exception {
        int times = 30;
        try (ServedPath served = new ServedPath(folder, 1)) {
            Side side = served.mount("hard,timeo=10," + options);
            try (RemoteFile file = side.mount()
                    .open(side.remote("f"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0644)) {
                served.path().orderFaults(times, BadConnection.HANDSHAKE, 100_000, Fault.CORRUPTION);
                while (!served.path().isOver()) {
                    file.write(ByteBuffer.wrap(sent), 0);
                }
            }
            assertThat(side.mount().statistics().reconnects()).isGreaterThanOrEqualTo(times - 1);
            assertThat(Files.readAllBytes(served.directory().resolve("f"))).isEqualTo(sent);
            served.end();
        }
    }
}
