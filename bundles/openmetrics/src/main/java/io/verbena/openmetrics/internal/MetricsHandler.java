package io.verbena.openmetrics.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests for metrics: as OpenMetrics where the client accepts it, else as Prometheus's text. */
final class MetricsHandler implements HttpHandler {
    /** The path of the metrics. */
    static final String PATH = "/metrics";

    private static final Logger LOG = LoggerFactory.getLogger(MetricsHandler.class);
    private static final int MISDIRECTED = 421;
    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "");

    private final ExpositionFormatWriter openMetrics = new OpenMetricsTextFormatWriter(false, false);
    private final ExpositionFormatWriter text = PrometheusTextFormatWriter.create();
    private final Figures figures;
    private final boolean loopback;

    /**
     * Creates a handler.
     *
     * @param loopback whether the server listens on loopback only. A page of the web cannot read the metrics there by a
     *     name of its own that it lets point to this host
     */
    MetricsHandler(Figures figures, boolean loopback) {
        this.figures = figures;
        this.loopback = loopback;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            answer(exchange);
        } catch (RuntimeException | Error e) {
            LOG.warn("no answer to a request for metrics", e);
            throw e;
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean head = exchange.getRequestMethod().equals("HEAD");
        Headers asked = exchange.getRequestHeaders();
        Headers told = exchange.getResponseHeaders();
        told.set("X-Content-Type-Options", "nosniff");
        told.set("Cache-Control", "no-store");
        if (loopback && !LOOPBACK_NAMES.contains(hostOf(asked))) {
            refuse(exchange, head, MISDIRECTED, "this endpoint is for loopback: ask it by localhost or 127.0.0.1\n");
        } else if (!exchange.getRequestURI().getPath().equals(PATH)) {
            refuse(exchange, head, HttpURLConnection.HTTP_NOT_FOUND, "the metrics are at " + PATH + "\n");
        } else if (!head && !exchange.getRequestMethod().equals("GET")) {
            told.set("Allow", "GET, HEAD");
            refuse(exchange, false, HttpURLConnection.HTTP_BAD_METHOD, "only GET and HEAD\n");
        } else {
            String accept = String.join(",", asked.getOrDefault("Accept", List.of()));
            ExpositionFormatWriter writer = openMetrics.accepts(accept) ? openMetrics : text;
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            writer.write(body, figures.collect(), EscapingScheme.UNDERSCORE_ESCAPING);
            told.set("Content-Type", writer.getContentType());
            send(exchange, head, HttpURLConnection.HTTP_OK, body.toByteArray());
        }
    }

    /** Returns the host of the request without the port. */
    private static String hostOf(Headers asked) {
        String host = asked.getFirst("Host");
        return host == null ? "" : host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT);
    }

    private static void refuse(HttpExchange exchange, boolean head, int status, String message) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        send(exchange, head, status, message.getBytes(UTF_8));
    }

    private static void send(HttpExchange exchange, boolean head, int status, byte[] body) throws IOException {
        if (head) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
