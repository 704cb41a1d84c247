package io.verbena.itests;

import io.verbena.verbs.trace.capture.CaptureHandler;
import io.verbena.verbs.trace.capture.CaptureSummary;
import io.verbena.verbs.trace.capture.CapturedConnection;
import io.verbena.verbs.trace.capture.IwarpCapture;
import io.verbena.verbs.trace.capture.IwarpWriter;
import io.verbena.verbs.trace.capture.PcapngWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Splits the octets of captured iWARP connections into TCP segments of one handshake frame or FPDU each, as adapters
 * send them (RFC 5044 section 5.1). TCP may carry many FPDUs in a segment, and software does so; but Wireshark's iWARP
 * dissectors keep their state by frame, and lose track of a frame with several messages. They also take the handshake
 * of a connection for FPDUs if an earlier connection had the same addresses and ports, so each connection gets ports
 * that no other one has.
 */
final class FpduAlignedCapture implements CaptureHandler {
    private static final int MAX_PORT = 65_535;

    private final Map<Integer, Aligned> connections = new HashMap<>();
    private final Set<List<InetSocketAddress>> taken = new HashSet<>();
    private final PcapngWriter out;
    private final int networkInterface;

    /** A connection and its initiator, which is the end that sends first. */
    private record Aligned(IwarpWriter writer, InetSocketAddress initiator) {}

    private FpduAlignedCapture(PcapngWriter out) throws IOException {
        this.out = out;
        networkInterface = out.addInterface("lo", "cut into one FPDU a segment");
    }

    /**
     * Reads a capture and writes another one.
     *
     * @param captured the capture, which begins before the first connection
     * @return the summary, with the octets that were not split into frames
     */
    static CaptureSummary write(Path captured, Path file) throws IOException {
        try (PcapngWriter out = new PcapngWriter(
                new BufferedOutputStream(Files.newOutputStream(file), 1 << 20),
                "Verbena's tests",
                "made of " + captured)) {
            return IwarpCapture.read(Files.newInputStream(captured), new FpduAlignedCapture(out));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void onFrame(CapturedConnection connection, ByteBuffer octets, long packet, Instant time) {
        try {
            long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
            Aligned aligned = connections.get(connection.number());
            if (aligned == null) {
                aligned = new Aligned(
                        IwarpWriter.open(
                                out,
                                networkInterface,
                                free(connection.source(), connection.destination()),
                                connection.destination(),
                                connection.number(),
                                nanos,
                                null),
                        connection.source());
                connections.put(connection.number(), aligned);
            }
            aligned.writer.frame(connection.source().equals(aligned.initiator), nanos, octets.duplicate(), null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The initiator's address with the first port, from its own upwards, that no connection has yet. */
    private InetSocketAddress free(InetSocketAddress initiator, InetSocketAddress responder) {
        InetSocketAddress free = initiator;
        while (!taken.add(List.of(free, responder))) {
            free = new InetSocketAddress(initiator.getAddress(), free.getPort() % MAX_PORT + 1);
        }
        return free;
    }
}
