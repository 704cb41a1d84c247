package io.verbena.verbs.trace.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.trace.capture.PcapngWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sorts events by connection and writes them. If both ends of a connection are in this process, the file holds what
 * each end sends, and leaves out the same octets as received. For one thread, except for the counts.
 */
final class TraceFile {
    private static final String COMMENT =
            "Made by rdma:trace of Verbena: iWARP as it was sent, or as a device of another"
                    + " kind would have sent it. Times are those at which software sent or received.";

    /** The addresses of an end. */
    private record Ends(InetSocketAddress local, InetSocketAddress remote) {}

    private final PcapngWriter out;
    private final long start = PcapngWriter.now();
    private final Map<String, TracedInterface> interfaces = new ConcurrentHashMap<>();
    private final Map<WireConnection, TracedStream> streams = new HashMap<>();
    private final Map<Ends, TracedStream> byEnds = new HashMap<>();
    private final AtomicInteger connections = new AtomicInteger();

    TraceFile(OutputStream stream, String application) throws IOException {
        out = new PcapngWriter(stream, application, COMMENT);
    }

    int connections() {
        return connections.get();
    }

    long frames() {
        return interfaces.values().stream().mapToLong(TracedInterface::frames).sum();
    }

    long octets() {
        return interfaces.values().stream().mapToLong(TracedInterface::octets).sum();
    }

    void write(Event event) throws IOException {
        WireConnection connection = event.connection();
        if (event.octets() == null) {
            end(connection, event.nanos());
            return;
        }
        TracedStream stream = streams.get(connection);
        if (stream == null) {
            stream = begin(connection);
        }
        if (!isToldTwice(stream, event)) {
            stream.write(event);
        }
    }

    private TracedStream begin(WireConnection connection) throws IOException {
        TracedStream twin = byEnds.get(new Ends(connection.remote(), connection.local()));
        TracedStream stream;
        if (twin != null && !twin.isTwofold() && twin.first().isInitiator() != connection.isInitiator()) {
            twin.joined(connection);
            stream = twin;
        } else {
            stream = new TracedStream(out, interfaceOf(connection), connections.getAndIncrement(), connection);
            byEnds.put(new Ends(connection.local(), connection.remote()), stream);
        }
        streams.put(connection, stream);
        return stream;
    }

    private TracedInterface interfaceOf(WireConnection connection) throws IOException {
        String key = keyOf(connection);
        TracedInterface known = interfaces.get(key);
        if (known == null) {
            String name = connection.device().isEmpty() ? connection.provider() : connection.device();
            known = new TracedInterface(out.addInterface(
                    name, "RDMA provider " + connection.provider() + ", device " + connection.device()));
            interfaces.put(key, known);
        }
        return known;
    }

    /** The key of a provider's device; connections of the same device have the same key. */
    static String keyOf(WireConnection connection) {
        return connection.provider() + " " + connection.device();
    }

    /**
     * Whether both ends of a connection report the event. One end receives what the other end has sent, except that
     * only the reading end reports a read. Ends of two providers report different events, so only one of them is used.
     */
    private static boolean isToldTwice(TracedStream stream, Event event) {
        if (!stream.isTwofold()) {
            return false;
        }
        WireMessage.Kind kind = event.message() == null ? null : event.message().kind();
        boolean handshake = kind == WireMessage.Kind.CONNECT_REQUEST || kind == WireMessage.Kind.CONNECT_REPLY;
        if (handshake || stream.isOfTwoProviders()) {
            return event.connection() != stream.first();
        }
        return !event.sent() && kind != WireMessage.Kind.READ_RESPONSE;
    }

    private void end(WireConnection connection, long nanos) throws IOException {
        TracedStream stream = streams.remove(connection);
        if (stream != null && stream.end(nanos)) {
            WireConnection first = stream.first();
            byEnds.remove(new Ends(first.local(), first.remote()), stream);
        }
    }

    void flush() throws IOException {
        out.flush();
    }

    /** Ends the file in order. */
    void close(EventQueue queue) throws IOException {
        long now = PcapngWriter.now();
        for (Map.Entry<String, TracedInterface> each : interfaces.entrySet()) {
            long written = each.getValue().frames();
            long dropped = queue.dropped(each.getKey());
            out.statistics(
                    each.getValue().number(),
                    start,
                    now,
                    written + dropped,
                    dropped,
                    "frames written: " + written + ", dropped since they came too fast: " + dropped);
        }
        out.close();
    }

    /** Closes the file without completing it. */
    void abandon() throws IOException {
        out.close();
    }
}
