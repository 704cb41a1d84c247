package io.verbena.cli.rdma.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.cli.Shell;
import io.verbena.fuzzing.capture.TcpCapture;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.json.Json;
import javax.json.JsonArray;
import javax.json.JsonObject;
import javax.json.JsonValue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the headers in a capture of Linux's client and server, as decoded by this bundle and by tshark. */
@Tag("tshark")
class DecodeAgainstTsharkTest {
    private static final String[] FIELDS = {
        "frame.number",
        "rpcordma.xid",
        "rpcordma.version",
        "rpcordma.flow_control",
        "rpcordma.msg_type",
        "rpcordma.reads_count",
        "rpcordma.writes_count",
        "rpcordma.reply_count",
        "rpcordma.position",
        "rpcordma.rdma_handle",
        "rpcordma.rdma_length",
        "rpcordma.rdma_offset",
        "rpcordma.segment_count",
        "iwarp_rdma.inval_stag",
        "tcp.srcport",
        "tcp.dstport"
    };

    private static final List<String> PROCEDURES =
            List.of("RDMA_MSG", "RDMA_NOMSG", "RDMA_MSGP", "RDMA_DONE", "RDMA_ERROR");

    @TempDir
    private Path folder;

    private Path capture() throws IOException {
        Path file = folder.resolve("capture.pcap");
        try (InputStream in = TcpCapture.class.getResourceAsStream(TcpCapture.LINUX_NFS41_OVER_SIW)) {
            Files.copy(in, file);
        }
        return file;
    }

    @Test
    @DisplayName("a dissector reads the same fields in every header of a capture")
    void shouldAgreeFieldByField() throws Exception {
        assumeTrue(isTsharkThere(), "no tshark: our reading is compared with nobody's");
        Path file = capture();
        List<String> theirs = tshark(file);
        List<String> ours =
                decode(file).stream().map(DecodeAgainstTsharkTest::describe).toList();

        assertThat(ours).hasSizeGreaterThan(50).containsExactlyElementsOf(theirs);
    }

    @Test
    void shouldTellOfTheRpcMessageThatFollowsInline() throws Exception {
        List<JsonObject> inline = decode(capture()).stream()
                .filter(object -> object.getString("proc").equals("RDMA_MSG"))
                .toList();

        assertThat(inline).isNotEmpty().allSatisfy(object -> {
            assertThat(object.getJsonObject("rpc").getJsonNumber("xid")).isEqualTo(object.getJsonNumber("xid"));
            assertThat(object.getString("direction"))
                    .isEqualTo(object.getJsonObject("rpc").getInt("type") == 0 ? "CALL" : "REPLY");
        });
    }

    private List<JsonObject> decode(Path file) throws Exception {
        RdmaServices services = new RdmaServices();
        services.addFraming(new VersionOneFraming());
        try (Shell shell = new Shell(RdmaServices.class, services)) {
            List<JsonObject> objects = new ArrayList<>();
            for (String line :
                    shell.run("rpcrdma:decode --pcap " + file).lines().toList()) {
                objects.add(Json.createReader(new StringReader(line)).readObject());
            }
            return objects;
        }
    }

    private static boolean isTsharkThere() throws InterruptedException {
        try {
            return new ProcessBuilder("tshark", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // tshark is not installed
        }
    }

    private static List<String> tshark(Path file) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("tshark", "-r", file.toString(), "-Y", "rpcordma", "-T", "fields"));
        for (String field : FIELDS) {
            command.addAll(List.of("-e", field));
        }
        Process tshark = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(tshark.getInputStream().readAllBytes(), UTF_8);
        assertThat(tshark.waitFor()).isZero();
        return printed.lines().map(DecodeAgainstTsharkTest::describe).toList();
    }

    /** Returns the result of tshark in the form of {@link #describe(JsonObject)}. */
    private static String describe(String line) {
        String[] f = line.split("\t", -1);
        List<String> handles = numbers(f[9]);
        return String.join(
                " ",
                "frame=" + f[0],
                "xid=" + Long.decode(f[1]),
                "vers=" + f[2],
                "credit=" + f[3],
                "proc=" + PROCEDURES.get(Integer.parseInt(f[4])),
                "reads=" + f[5] + " writes=" + f[6] + " reply=" + f[7],
                "positions=" + numbers(f[8]),
                "handles=" + handles,
                "lengths=" + numbers(f[10]),
                "offsets=" + numbers(f[11]),
                "segments=" + numbers(f[12]),
                "invalidates=" + numbers(f[13]),
                f[14] + ">" + f[15]);
    }

    private static List<String> numbers(String list) {
        return list.isEmpty()
                ? List.of()
                : Arrays.stream(list.split(",", -1))
                        .map(number -> Long.toUnsignedString(
                                number.startsWith("0x")
                                        ? Long.parseUnsignedLong(number.substring(2), 16)
                                        : Long.parseUnsignedLong(number)))
                        .collect(Collectors.toList());
    }

    private static String describe(JsonObject object) {
        JsonArray reads = object.getJsonArray("reads");
        JsonArray writes = object.getJsonArray("writes");
        boolean hasReply = !object.isNull("reply");
        List<JsonObject> segments = new ArrayList<>(reads.getValuesAs(JsonObject.class));
        List<String> counts = new ArrayList<>();
        List<JsonArray> chunks = new ArrayList<>(writes.getValuesAs(JsonArray.class));
        if (hasReply) {
            chunks.add(object.getJsonArray("reply"));
        }
        for (JsonArray chunk : chunks) {
            segments.addAll(chunk.getValuesAs(JsonObject.class));
            counts.add(Integer.toString(chunk.size()));
        }
        JsonValue invalidates = object.get("invalidates");
        return String.join(
                " ",
                "frame=" + object.getJsonNumber("frame"),
                "xid=" + object.getJsonNumber("xid"),
                "vers=" + object.getJsonNumber("vers"),
                "credit=" + object.getJsonNumber("credit"),
                "proc=" + object.getString("proc"),
                "reads=" + reads.size() + " writes=" + writes.size() + " reply=" + (hasReply ? 1 : 0),
                "positions="
                        + reads.getValuesAs(JsonObject.class).stream()
                                .map(read -> read.getJsonNumber("position").toString())
                                .toList(),
                "handles=" + each(segments, "handle"),
                "lengths="
                        + segments.stream()
                                .map(segment -> segment.getJsonNumber("length").toString())
                                .toList(),
                "offsets=" + each(segments, "offset"),
                "segments=" + counts,
                "invalidates=" + (invalidates == JsonValue.NULL ? List.of() : numbers(object.getString("invalidates"))),
                port(object, "source") + ">" + port(object, "destination"));
    }

    private static List<String> each(List<JsonObject> segments, String member) {
        return segments.stream()
                .map(segment -> numbers(segment.getString(member)).get(0))
                .toList();
    }

    private static String port(JsonObject object, String member) {
        String address = object.getString(member);
        return address.substring(address.lastIndexOf(':') + 1);
    }
}
