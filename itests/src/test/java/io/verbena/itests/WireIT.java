package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.conformance.Proves;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The traffic on the wire, read by independent dissectors. Needs tshark and the permission to capture. */
@Tag("tshark")
class WireIT {
    /** OPEN, READ, WRITE, READDIR, REMOVE, EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, SEQUENCE. */
    private static final String[] OPERATIONS = {"18", "25", "38", "26", "28", "42", "43", "44", "53"};

    private static final int CALLS_OF_THE_END = 3;

    @TempDir
    private static Path folder;

    private static WireReport report;
    private static String printed;

    @BeforeAll
    static void captureSession() throws Exception {
        assumeTrue(WireCapture.isPossible(), "no dumpcap, or it may not capture on lo: the wire is not checked");
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        try (WireCapture capture = WireCapture.start(folder.resolve("session.pcap"), "tcp port " + port)) {
            runSession(port);
            report = WireReport.of(capture.stop(), folder.resolve("aligned.pcap"));
        }
    }

    private static void runSession(int port) throws IOException, InterruptedException {
        Path files = Files.createDirectory(folder.resolve("files"));
        Random random = new Random(20049);
        for (int size : new int[] {0, 1, 3, 700, 3000, 4096, 5001, 300_002, (2 << 20) + 1}) {
            byte[] content = new byte[size];
            random.nextBytes(content);
            Files.write(files.resolve("size-" + size), content);
        }
        Path served = Files.createDirectory(folder.resolve("served"));
        String script = String.join(
                "\n",
                "nfs:export --no-root-squash --name wire --port " + port + " " + served,
                "rdma:trace start " + folder.resolve("trace.pcapng"),
                "nfs:mount -o rpcrdma=1,port=" + port + " 127.0.0.1:/ wire", // the version that the dissector reads
                "nfs:put -r " + files + " wire:/",
                "nfs:ls -l wire:/files",
                "nfs:mkdir -p wire:/a/b/c",
                "nfs:ln -s files wire:/link",
                "nfs:get -r wire:/files " + folder.resolve("back"),
                "nfs:sha256 wire:/files/size-5001",
                "nfs:mv wire:/files/size-1 wire:/a/one",
                "nfs:df wire",
                "nfs:rm -r wire:/files",
                "nfs:unmount wire",
                "rdma:trace stop",
                "rpcrdma:decode --pcap " + folder.resolve("trace.pcapng"),
                "nfs:unexport wire",
                "");
        Path file = Files.writeString(folder.resolve("session.verbena"), script);
        Launcher.Result result = new Launcher(folder).run(file.toString());
        assertThat(result.status()).as(result.err()).isZero();
        printed = result.out() + result.err();
    }

    @Test
    @DisplayName("a trace of the same session holds the same messages as were captured")
    void shouldTraceWhatIsOnTheWire() throws Exception {
        WireReport traced = WireReport.ofTrace(folder.resolve("trace.pcapng"));

        assertThat(traced.unread()).isEmpty();
        assertThat(traced.malformed()).isEmpty();
        // the unmount command does not wait for the end of the session: three calls may come after the end of the trace
        assertThat(traced.fpdus()).isBetween(report.fpdus() - 2 * CALLS_OF_THE_END, report.fpdus());
        assertThat(traced.calls())
                .hasSizeBetween(
                        report.calls().size() - CALLS_OF_THE_END, report.calls().size());
        assertThat(traced.calls()).containsAll(traced.replies());
        assertThat(traced.replies()).hasSizeGreaterThanOrEqualTo(traced.calls().size() - 1);
        assertThat(printed).containsPattern("traced \\d+ frames, \\d+ octets, of 1 connections to .*, 0 dropped\n");
        assertThat(printed.lines().filter(line -> line.startsWith("{\"xid\":"))).hasSizeGreaterThan(100);
    }

    @Test
    void shouldHaveCapturedEverySegment() {
        assertThat(report.missingOctets()).isZero();
        assertThat(report.leftOctets()).isZero();
    }

    @Test
    @Proves({"V1-5.6-1", "V1-4.2-1"})
    @DisplayName("a dissector reads every frame as MPA, DDP and RDMAP, and none is malformed")
    void shouldMeetNoMalformedFrame() {
        assertThat(report.unread()).isEmpty();
        assertThat(report.malformed()).isEmpty();
    }

    @Test
    @DisplayName("a dissector finds the CRC of every FPDU good")
    void shouldSendGoodCrcs() {
        assertThat(report.fpdus()).isGreaterThan(200);
        assertThat(report.goodCrcs()).isEqualTo(report.fpdus());
        assertThat(report.badCrcs()).isZero();
    }

    @Test
    @Proves("V1-5.1.1-1")
    @DisplayName("a dissector follows every call and its reply down to NFS")
    void shouldBeReadDownToNfs() {
        assertThat(report.calls()).hasSizeGreaterThan(50);
        assertThat(report.replies()).isEqualTo(report.calls());
        assertThat(report.operations()).contains(OPERATIONS);
        assertThat(report.errors()).as("RDMA_ERROR").isEmpty();
        assertThat(report.sentTwice()).isEmpty();
    }
}
