package io.verbena.openmetrics.internal;

import com.sun.net.httpserver.HttpServer;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The HTTP server of the metrics: the JDK's, with few threads and a time limit for each exchange. The JDK closes
 * connections that ask for nothing; the JVM's property {@code jdk.httpserver.maxConnections} bounds their number.
 */
final class MetricsServer implements AutoCloseable {
    /** Scrapes are short, and come one at a time from each of the few who scrape. */
    private static final int THREADS = 2;

    private static final int MOST_EXCHANGES = 16;
    private static final int BACKLOG = 16;

    private final HttpServer server;
    private final TimedWorkers workers;

    private MetricsServer(HttpServer server, TimedWorkers workers) {
        this.server = server;
        this.workers = workers;
    }

    /**
     * Starts a server.
     *
     * @param address where it listens
     * @param limit the time that an exchange may take, from the first octet of the request to the last of the answer
     * @throws IOException if the address cannot be used
     */
    static MetricsServer start(Figures figures, Runtime runtime, InetSocketAddress address, Duration limit)
            throws IOException {
        HttpServer server = HttpServer.create(address, BACKLOG);
        TimedWorkers workers = new TimedWorkers(runtime, THREADS, MOST_EXCHANGES, limit);
        server.setExecutor(workers);
        InetAddress bound = server.getAddress().getAddress();
        server.createContext("/", new MetricsHandler(figures, bound.isLoopbackAddress()));
        server.start();
        return new MetricsServer(server, workers);
    }

    /** Returns the address with the port that the system has chosen. */
    InetSocketAddress address() {
        return server.getAddress();
    }

    /** Closes all connections, and ends all threads. */
    @Override
    public void close() {
        server.stop(0);
        workers.close();
    }
}
