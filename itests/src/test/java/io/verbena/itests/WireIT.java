package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes over the wire, read by dissectors that nobody here wrote. Needs tshark, and the right to capture. */
class WireIT {
    private static final long TIMEOUT_SECONDS = 120;

    /** OPEN, READ, WRITE, READDIR, REMOVE, EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, SEQUENCE. */
    private static final String[] OPERATIONS = {"18", "25", "38", "26", "28", "42", "43", "44", "53"};

    @TempDir
    private static Path folder;

    private static Path captured;
    private static Path aligned;

    @BeforeAll
    static void captureSession() throws Exception {
        assumeTrue(canCapture(), "tshark is not installed, or may not capture on lo: the wire is not checked");
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        captured = folder.resolve("session.pcapng");
        aligned = folder.resolve("aligned.pcap");
        Process tshark = new ProcessBuilder(
                        "tshark", "-i", "lo", "-B", "64", "-f", "tcp port " + port, "-w", captured.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader messages = new BufferedReader(new InputStreamReader(tshark.getErrorStream(), UTF_8))) {
            awaitCapturing(messages);
            runSession(port);
        } finally {
            tshark.destroy(); // on SIGTERM tshark writes out what it has
            assertThat(tshark.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        align();
    }

    private static void align() throws IOException, InterruptedException {
        List<String> segments = tshark(
                captured,
                "-Y",
                "tcp.len > 0 && !tcp.analysis.retransmission",
                "-o",
                "tcp.desegment_tcp_streams:FALSE",
                "-T",
                "fields",
                "-e",
                "tcp.srcport",
                "-e",
                "tcp.dstport",
                "-e",
                "tcp.payload");
        assertThat(FpduAlignedCapture.write(segments, aligned))
                .as("octets that make no whole FPDU")
                .isZero();
    }

    private static boolean canCapture() throws IOException, InterruptedException {
        try {
            Process interfaces = new ProcessBuilder("tshark", "-D").start();
            String listed = new String(interfaces.getInputStream().readAllBytes(), UTF_8);
            return interfaces.waitFor() == 0 && listed.contains("lo (Loopback)");
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    private static void awaitCapturing(BufferedReader messages) throws IOException {
        String line = messages.readLine();
        while (line != null && !line.startsWith("Capturing on")) {
            line = messages.readLine();
        }
        assertThat(line).as("tshark's word that it captures").isNotNull();
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
                "nfs:export --name wire --port " + port + " " + served,
                "nfs:mount -o port=" + port + " 127.0.0.1:/ wire",
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
                "nfs:unexport wire",
                "");
        Path file = Files.writeString(folder.resolve("session.verbena"), script);
        Launcher.Result result = new Launcher(folder).run(file.toString());
        assertThat(result.status()).as(result.err()).isZero();
    }

    @Test
    void shouldHaveCapturedEverySegment() throws Exception {
        assertThat(tshark(captured, "-Y", "tcp.analysis.lost_segment || tcp.analysis.ack_lost_segment"))
                .isEmpty();
    }

    @Test
    @DisplayName("V1-5.6-1, V1-4.2-1: a dissector reads every frame as MPA, DDP and RDMAP, and none is malformed")
    void shouldMeetNoMalformedFrame() throws Exception {
        assertThat(tshark(aligned, "-Y", "!iwarp_mpa")).isEmpty();
        assertThat(tshark(aligned, "-Y", "!iwarp_ddp_rdmap && !iwarp_mpa.req && !iwarp_mpa.rep"))
                .isEmpty();
        // the NFS dissector looks for READ's data in the message although RPC-over-RDMA has moved it elsewhere
        assertThat(tshark(aligned, "-Y", "_ws.malformed && !(nfs.opcode == 25 && rpc.msgtyp == 1)"))
                .isEmpty();
    }

    @Test
    @DisplayName("a dissector finds the CRC of every FPDU good")
    void shouldSendGoodCrcs() throws Exception {
        List<String> lines = tshark(aligned, "-V", "-O", "iwarp_mpa");
        long fpdus = tshark(aligned, "-Y", "iwarp_mpa.fpdu").size();
        assertThat(fpdus).isGreaterThan(200);
        assertThat(count(lines, "Good CRC32")).isEqualTo(fpdus);
        assertThat(count(lines, "Bad CRC32")).isZero();
    }

    @Test
    @DisplayName("V1-5.1.1-1: a dissector follows every call and its reply down to NFS")
    void shouldBeReadDownToNfs() throws Exception {
        Set<String> calls = xids("rpc.msgtyp == 0");
        assertThat(calls).hasSizeGreaterThan(50);
        assertThat(xids("rpc.msgtyp == 1")).isEqualTo(calls);
        List<String> operations = tshark(aligned, "-Y", "nfs.opcode", "-T", "fields", "-e", "nfs.opcode");
        assertThat(String.join(",", operations).split(",", -1)).contains(OPERATIONS);
        assertThat(tshark(aligned, "-Y", "rpcordma.msg_type == 4"))
                .as("RDMA_ERROR")
                .isEmpty();
    }

    /** A call with a Read chunk is shown where the last Read Response of it stands, a reply perhaps twice in a frame. */
    private static Set<String> xids(String filter) throws IOException, InterruptedException {
        List<String> lines = tshark(aligned, "-Y", filter, "-T", "fields", "-e", "rpc.xid");
        return new TreeSet<>(Arrays.asList(String.join(",", lines).split(",", -1)));
    }

    private static long count(List<String> lines, String text) {
        return lines.stream().filter(line -> line.contains(text)).count();
    }

    private static List<String> tshark(Path capture, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tshark", "-r", capture.toString()));
        command.addAll(List.of(arguments));
        Process tshark = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> lines = new String(tshark.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        assertThat(tshark.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(tshark.exitValue()).as("tshark " + List.of(arguments)).isZero();
        return lines;
    }
}
