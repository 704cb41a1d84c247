package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fuzzing.capture.TcpCapture;
import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.WireMessage.Kind;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.trace.capture.CaptureFpduWriter;
import io.verbena.verbs.trace.capture.CaptureHandler;
import io.verbena.verbs.trace.capture.CapturedConnection;
import io.verbena.verbs.trace.capture.IwarpCapture;
import io.verbena.verbs.trace.internal.TraceService;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A session of Linux's client and server is reported as messages, as a device's provider does, written by a trace, and
 * read by independent dissectors. Needs tshark, but no device.
 */
@Tag("tshark")
class DeviceTraceIT {
    private static final int ULPDU = 2;
    private static final int LAST = 0x40;

    @TempDir
    private Path folder;

    /** Reports the messages of a captured server to an observer, as the server's device sent and received them. */
    private static final class Retold implements CaptureHandler {
        private final Map<Integer, WireConnection> servers = new HashMap<>();
        private final WireObserver observer;
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();
        private int sends;

        private Retold(WireObserver observer) {
            this.observer = observer;
        }

        private void tell(CapturedConnection of, Kind kind, int tag, long offset, int number, ByteBuffer data) {
            WireConnection server = servers.computeIfAbsent(
                    of.number(), key -> new WireConnection("native", "rxe0", of.destination(), of.source(), false));
            boolean sent = of.source().equals(server.local());
            boolean request = kind == Kind.READ_REQUEST;
            int length = request ? data.getInt() : data.remaining();
            WireMessage message = new WireMessage(
                    kind, request ? data.getInt() : tag, request ? data.getLong() : offset, length, number);
            observer.onMessage(server, sent, message, data);
        }

        @Override
        public void onFrame(CapturedConnection connection, ByteBuffer octets, long packet, Instant time) {
            if (CaptureFpduWriter.isHandshake(octets)) {
                boolean reply = CaptureFpduWriter.isReply(octets);
                int length = octets.limit() - 20;
                tell(connection, reply ? Kind.CONNECT_REPLY : Kind.CONNECT_REQUEST, 0, 0, 0, octets.slice(20, length));
                return;
            }
            int end = ULPDU + Short.toUnsignedInt(octets.getShort(0));
            int tag = octets.getInt(4);
            switch (octets.get(3) & 0xf) {
                case 0 -> tell(connection, Kind.WRITE, tag, octets.getLong(8), 0, octets.slice(16, end - 16));
                // sink's tag and offset; length, source's tag and offset
                case 1 -> tell(connection, Kind.READ_REQUEST, 0, 0, octets.getInt(20), octets.slice(32, 16));
                case 2 -> {
                    // a provider reports a read when all its data has arrived
                    byte[] part = new byte[end - 16];
                    octets.get(16, part);
                    read.writeBytes(part);
                    if ((octets.get(2) & LAST) != 0) {
                        tell(connection, Kind.READ_RESPONSE, 0, 0, tag, ByteBuffer.wrap(read.toByteArray()));
                        read.reset();
                    }
                }
                default -> {
                    // a Send, reported when it is complete
                }
            }
        }

        @Override
        public void onSend(CapturedConnection connection, ByteBuffer message, Integer tag, long packet, Instant time) {
            sends++;
            tell(connection, tag == null ? Kind.SEND : Kind.SEND_WITH_INVALIDATE, tag == null ? 0 : tag, 0, 0, message);
        }
    }

    @Test
    @DisplayName("a dissector reads the frames that are made of a device's messages, and none is malformed")
    void shouldBeReadDownToNfs() throws Exception {
        assumeTrue(WireReport.isPossible(), "no tshark: traces are not checked");
        Path file = folder.resolve("trace.pcapng");
        Retold[] retold = new Retold[1];
        TraceService traces =
                new TraceService(TraceIT.bundles(observer -> retold[0] = new Retold(observer), gone -> {}));
        traces.start(file, false);
        IwarpCapture.read(TcpCapture.class.getResourceAsStream(TcpCapture.LINUX_NFS41_OVER_SIW), retold[0]);
        assertThat(traces.stop().dropped()).isZero();

        WireReport report = WireReport.ofTrace(file);
        assertThat(report.unread()).isEmpty();
        assertThat(report.malformed()).isEmpty();
        assertThat(report.missingOctets()).isZero();
        assertThat(report.goodCrcs()).isEqualTo(report.fpdus()).isGreaterThan(retold[0].sends);
        assertThat(report.calls()).hasSizeGreaterThan(20);
        assertThat(report.replies()).isEqualTo(report.calls());
        assertThat(report.operations()).contains("18", "38", "42", "43", "44", "53");
    }
}
