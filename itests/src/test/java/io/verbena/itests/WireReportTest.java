package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.trace.capture.IwarpWriter;
import io.verbena.verbs.trace.capture.PcapngWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** tshark as a judge of captures. */
class WireReportTest {
    private static final int CRC_AND_ENHANCED = 0x40;
    private static final int REVISION = 2;

    /** The kernel may give the port of a closed connection to the next one. */
    @Test
    void shouldReadConnectionsOfTheSamePorts(@TempDir Path folder) throws Exception {
        assumeTrue(WireReport.isPossible(), "tshark is not installed");
        Path captured = folder.resolve("captured.pcapng");
        try (PcapngWriter out = new PcapngWriter(Files.newOutputStream(captured), "test", "test")) {
            int networkInterface = out.addInterface("lo", "test");
            connection(out, networkInterface, 0);
            connection(out, networkInterface, 1);
        }

        WireReport report = WireReport.of(captured, folder.resolve("aligned.pcapng"));

        assertThat(report.fpdus()).isEqualTo(4);
        assertThat(report.unread()).isEmpty();
        assertThat(report.malformed()).isEmpty();
    }

    private static void connection(PcapngWriter out, int networkInterface, int number) throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        IwarpWriter writer = IwarpWriter.open(
                out,
                networkInterface,
                new InetSocketAddress(loopback, 50_000),
                new InetSocketAddress(loopback, 20_049),
                number,
                number,
                null);
        writer.frame(true, number, handshake("MPA ID Req Frame"), null);
        writer.frame(false, number, handshake("MPA ID Rep Frame"), null);
        writer.frame(true, number, emptyWrite(), null);
        writer.frame(false, number, emptyWrite(), null);
        writer.close(number);
    }

    /** A frame of MPA's handshake without private data (RFC 5044 section 7.1). */
    private static ByteBuffer handshake(String key) {
        return ByteBuffer.allocate(20)
                .put(key.getBytes(StandardCharsets.US_ASCII))
                .put((byte) CRC_AND_ENHANCED)
                .put((byte) REVISION)
                .clear();
    }

    /** An FPDU with an RDMA Write of no octets, and a CRC that no one checks. */
    private static ByteBuffer emptyWrite() {
        return ByteBuffer.allocate(20)
                .putShort((short) 14)
                .putShort((short) 0xc140)
                .clear();
    }
}
