package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mounts of a port without an NFS/RDMA server. */
@Timeout(60)
final class NoServerIT {
    private final VerbenaStack stack = new VerbenaStack();

    @AfterEach
    void close() {
        stack.close();
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThatThrownBy(() -> stack.mount(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), "/", ""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + port)
                .hasMessageContaining("refused");
    }

    /** What a foreign server does with a connection. */
    @FunctionalInterface
    private interface Impostor {
        void serve(Socket socket) throws IOException;
    }

    @Test
    void shouldSayThatSomethingElseListens() throws Exception {
        byte[] garbage = "220 mail.example.org ESMTP ready, or what a mail server says\r\n"
                .repeat(50)
                .getBytes(UTF_8);
        String atOnce = failureAgainst(Socket::close);
        String spoken = failureAgainst(socket -> {
            socket.getOutputStream().write(garbage);
            readAll(socket);
        });
        String afterwards = failureAgainst(socket -> {
            socket.getInputStream().readNBytes(20);
            socket.getOutputStream().write(garbage);
            readAll(socket);
        });
        String silent = failureAgainst(NoServerIT::readAll);

        assertThat(List.of(atOnce, spoken, afterwards))
                .allMatch(message ->
                        message.endsWith(" answers, but does not speak MPA/iWARP; is it a plain TCP service?"));
        assertThat(silent).endsWith(" no answer within 2 s; is the host up and the port reachable?");
    }

    private static void readAll(Socket socket) throws IOException {
        socket.getInputStream().readAllBytes();
    }

    private String failureAgainst(Impostor impostor) throws Exception {
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> serve(server, impostor));
        try {
            IOException thrown =
                    catchThrowableOfType(IOException.class, () -> stack.mount(addressOf(server), "/", "timeo=20"));
            assertThat(thrown).hasMessageContaining("127.0.0.1:" + server.getLocalPort());
            return thrown.getMessage();
        } finally {
            server.close();
            serving.get(10, TimeUnit.SECONDS); // throws failed assertions of the server
        }
    }

    private static InetSocketAddress addressOf(ServerSocket server) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    private static void serve(ServerSocket server, Impostor impostor) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                impostor.serve(socket);
            } catch (IOException e) {
                assertThat(e).isInstanceOf(SocketException.class); // one of the two ends has closed the connection
            }
        }
    }
}
