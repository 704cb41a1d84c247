package io.verbena.openmetrics.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetricsServerTest {
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final TestServices services = new TestServices();
    private final Figures figures = Sample.figures(services, 20_000);
    private final HttpClient client = HttpClient.newHttpClient();
    private Set<Thread> before;
    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        before = Thread.getAllStackTraces().keySet();
        services.add(Sample.mount("docs", 3));
        server = start(Duration.ofSeconds(30));
    }

    private MetricsServer start(Duration limit) throws IOException {
        return MetricsServer.start(
                figures, new SystemRuntime(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), limit);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + server.address().getPort() + path);
    }

    private HttpResponse<String> ask(String method, String path, String accept) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .header("Accept", accept)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static String type(HttpResponse<?> response) {
        return response.headers().firstValue("Content-Type").orElseThrow();
    }

    @Test
    void shouldAnswerInTheFormThatTheClientAccepts() throws Exception {
        HttpResponse<String> openMetrics = ask(
                "GET", "/metrics", "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2");
        assertThat(openMetrics.statusCode()).isEqualTo(200);
        assertThat(type(openMetrics)).isEqualTo("application/openmetrics-text; version=1.0.0; charset=utf-8");
        assertThat(Exposition.parse(openMetrics.body())
                        .value("verbena_nfs_operations_total{mount=docs, operation=READ}"))
                .isEqualTo(3);

        HttpResponse<String> text = ask("GET", "/metrics?name=x", "*/*");
        assertThat(text.statusCode()).isEqualTo(200);
        assertThat(type(text)).startsWith("text/plain; version=0.0.4");
        assertThat(text.body())
                .contains("# TYPE verbena_nfs_operations_total counter\n")
                .doesNotContain("# EOF");

        HttpResponse<String> head = ask("HEAD", "/metrics", "*/*");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void shouldRefuseEverythingElse() throws Exception {
        assertThat(ask("GET", "/", "*/*").statusCode()).isEqualTo(404);
        assertThat(ask("GET", "/metrics/../etc/passwd", "*/*").statusCode()).isEqualTo(404);
        HttpResponse<String> post = ask("POST", "/metrics", "*/*");
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("Allow")).contains("GET, HEAD");
    }

    @Test
    void shouldRefuseThePagesOfTheWebThatNameThisHost() throws Exception {
        assertThat(answer("GET /metrics HTTP/1.1\r\nHost: evil.example:9464\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 421 ");
        assertThat(answer("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9464\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
        assertThat(answer("GET /metrics HTTP/1.1\r\nHost: [::1]:9464\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
    }

    private Socket connect() throws IOException {
        return new Socket(server.address().getAddress(), server.address().getPort());
    }

    private String answer(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    private static boolean hasEnded(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() == -1;
        } catch (SocketException e) {
            return true; // reset
        }
    }

    @Test
    void shouldCutOffClientsThatSendHalfARequest() throws Exception {
        server.close();
        server = start(LIMIT);
        try (Socket one = connect();
                Socket other = connect();
                Socket third = connect()) {
            for (Socket each : List.of(one, other, third)) {
                each.getOutputStream().write("GET /metr".getBytes(US_ASCII));
            }
            assertThat(ask("GET", "/metrics", "*/*").statusCode()).isEqualTo(200);
            for (Socket each : List.of(one, other, third)) {
                assertThat(hasEnded(each)).isTrue();
            }
        }
    }

    @Test
    void shouldCutOffClientsThatTakeNoAnswer() throws Exception {
        server.close();
        for (int i = 0; i < 150; i++) { // more than the sockets' buffers take
            services.add(Sample.mount("mount-" + i + "-" + "x".repeat(200), 3));
        }
        server = start(LIMIT);
        try (Socket one = new Socket();
                Socket other = new Socket()) {
            for (Socket each : List.of(one, other)) {
                each.setReceiveBufferSize(4096);
                each.connect(server.address());
                each.getOutputStream()
                        .write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .repeat(3)
                                .getBytes(US_ASCII));
            }
            HttpResponse<String> answer = ask("GET", "/metrics", "*/*");
            assertThat(answer.statusCode()).isEqualTo(200);
        }
    }

    @Test
    void shouldLeaveNoThreadAndNoListener() throws Exception {
        assertThat(ask("GET", "/metrics", "*/*").statusCode()).isEqualTo(200);
        InetSocketAddress address = server.address();
        server.close();

        assertThatThrownBy(() -> new Socket(address.getAddress(), address.getPort()).close())
                .isInstanceOf(ConnectException.class);
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> !before.contains(thread) && thread.isAlive())
                        .map(Thread::getName)
                        .filter(name -> name.startsWith("verbena-") || name.startsWith("HTTP-"))
                        .collect(Collectors.toSet()))
                .isEmpty();
        server = start(Duration.ofSeconds(30));
    }
}
