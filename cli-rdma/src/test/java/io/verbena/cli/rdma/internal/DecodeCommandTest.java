package io.verbena.cli.rdma.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.HeaderError;
import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests rpcrdma:decode, as a user types it. */
class DecodeCommandTest {
    private final RdmaServices services = new RdmaServices();
    private final Framing one = new VersionOneFraming();
    private final Framing two = new VersionTwoFraming();
    private final TransportHeader header = new TransportHeader();
    private Shell shell;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() throws Exception {
        shell = new Shell(RdmaServices.class, services);
        services.addFraming(one);
        services.addFraming(two);
    }

    @AfterEach
    void stop() {
        shell.close();
    }

    private ByteBuffer encoded(Framing framing, int... behind) {
        ByteBuffer b = ByteBuffer.allocate(1024);
        int length = framing.encode(header, b, 0);
        b.position(length);
        for (int word : behind) {
            b.putInt(word);
        }
        return b.flip();
    }

    private static String hex(ByteBuffer b) {
        byte[] octets = new byte[b.limit()];
        b.get(0, octets);
        return HexFormat.of().formatHex(octets);
    }

    private String decode(ByteBuffer b) throws Exception {
        return shell.run("rpcrdma:decode " + hex(b)).strip();
    }

    private void fillChunks() {
        header.xid(0xfffffffe).credits(0x80000001);
        header.readList().add(180, 0xcb2ed502, 131_072, 0x2677d6a206aae000L);
        SegmentList chunk = header.writeList().add();
        chunk.add(1, -1, -1);
        chunk.add(2, 8, 0);
        header.writeList().add();
        header.hasReplyChunk(true);
    }

    @Test
    void shouldShowAllOfAVersionOneHeader() throws Exception {
        fillChunks();

        assertThat(decode(encoded(one, 0xfffffffe, 0)))
                .isEqualTo("{\"xid\":4294967294,\"vers\":1,\"credit\":2147483649,\"proc\":\"RDMA_MSG\","
                        + "\"direction\":\"CALL\",\"reads\":[{\"position\":180,\"handle\":\"0xcb2ed502\","
                        + "\"length\":131072,\"offset\":\"0x2677d6a206aae000\"}],"
                        + "\"writes\":[[{\"handle\":\"0x00000001\",\"length\":4294967295,"
                        + "\"offset\":\"0xffffffffffffffff\"},"
                        + "{\"handle\":\"0x00000002\",\"length\":8,\"offset\":\"0x0000000000000000\"}],[]],"
                        + "\"reply\":[],\"error\":null,\"optional\":null,"
                        + "\"rpc\":{\"xid\":4294967294,\"type\":0},\"payloadOffset\":104}");
    }

    @Test
    void shouldShowWhatIsAbsentAsSuch() throws Exception {
        header.xid(7).credits(1).type(MessageType.NOMSG);

        assertThat(decode(encoded(one)))
                .isEqualTo("{\"xid\":7,\"vers\":1,\"credit\":1,\"proc\":\"RDMA_NOMSG\",\"direction\":null,"
                        + "\"reads\":[],\"writes\":[],\"reply\":null,\"error\":null,\"optional\":null,"
                        + "\"rpc\":null,\"payloadOffset\":28}");
    }

    @Test
    void shouldTakeTheDirectionFromTheHeaderInVersionTwoAndFromTheRpcMessageInVersionOne() throws Exception {
        header.xid(7).credits(1).direction(Direction.REPLY);

        assertThat(decode(encoded(two, 7, 0)))
                .contains("\"proc\":\"RDMA2_MSG\",\"direction\":\"REPLY\"", "\"rpc\":{\"xid\":7,\"type\":0}")
                .contains("\"payloadOffset\":32");
        assertThat(decode(encoded(one, 7, 1))).contains("\"direction\":\"REPLY\"");
        assertThat(decode(encoded(one, 7, 9))).contains("\"direction\":null", "\"type\":9");
        assertThat(decode(encoded(one, 7))).contains("\"direction\":null", "\"rpc\":null");
    }

    @Test
    void shouldNameErrorsAsTheirVersionDoes() throws Exception {
        header.type(MessageType.ERROR).error(HeaderError.VERSION).versions(1, -1);
        assertThat(decode(encoded(one)))
                .contains("\"proc\":\"RDMA_ERROR\"", "\"direction\":null")
                .contains("\"error\":{\"code\":\"RDMA_ERR_VERS\",\"low\":1,\"high\":4294967295}");
        assertThat(decode(encoded(two))).contains("\"code\":\"RDMA2_ERR_VERS\",\"low\":1");
        ByteBuffer ofAnother = encoded(one).putInt(4, 9);
        assertThat(decode(ofAnother)).contains("\"vers\":9", "\"code\":\"RDMA_ERR_VERS\"");

        header.error(HeaderError.BAD_HEADER);
        assertThat(decode(encoded(one))).contains("{\"code\":\"RDMA_ERR_CHUNK\",\"low\":null,\"high\":null}");
        assertThat(decode(encoded(two))).contains("\"proc\":\"RDMA2_ERROR\"", "{\"code\":\"RDMA2_ERR_BAD_HEADER\",");
        header.error(HeaderError.INVALID_OPTION);
        assertThat(decode(encoded(two))).contains("\"code\":\"RDMA2_ERR_INVAL_OPTION\"");
    }

    @Test
    void shouldShowOptionalOperations() throws Exception {
        header.type(MessageType.OPTIONAL).direction(Direction.CALL).optionalType(-1);
        header.optionalInfo(ByteBuffer.wrap(new byte[] {0, (byte) 0xab, 3}));

        assertThat(decode(encoded(two)))
                .contains("\"proc\":\"RDMA2_OPTIONAL\",\"direction\":\"CALL\"")
                .contains("\"optional\":{\"type\":4294967295,\"info\":\"00ab03\"},\"rpc\":null,\"payloadOffset\":32");
    }

    @Test
    void shouldReadHexDigitsAsTheyAreWrittenAndFilesOfEither() throws Exception {
        ByteBuffer message = encoded(one, 7, 0);
        String plain = shell.run("rpcrdma:decode " + hex(message));
        String spaced = hex(message).replaceAll("(.{8})", "$1 ");
        Path text = Files.writeString(folder.resolve("text"), spaced + "\n");
        Path octets = folder.resolve("octets");
        Files.write(octets, HexFormat.of().parseHex(hex(message)));

        assertThat(shell.run("rpcrdma:decode " + spaced.toUpperCase(java.util.Locale.ROOT)))
                .isEqualTo(plain);
        assertThat(shell.run("rpcrdma:decode 0x" + hex(message))).isEqualTo(plain);
        assertThat(shell.run("rpcrdma:decode " + hex(message).replaceAll("(..)(?=.)", "$1:")))
                .isEqualTo(plain);
        assertThat(shell.run("rpcrdma:decode -f " + text)).isEqualTo(plain);
        assertThat(shell.run("rpcrdma:decode -f " + octets)).isEqualTo(plain);
    }

    @Test
    void shouldNameOffsetAndRuleOfAMalformedHeader() {
        String cut = hex(encoded(one)).substring(0, 40);
        assertFails(
                "rpcrdma:decode " + cut,
                ExitStatus.FAILED,
                "malformed header: .* at header offset 20 \\(RFC 8166 4.3.2\\)");
        assertFails(
                "rpcrdma:decode " + cut.substring(0, 12),
                ExitStatus.FAILED,
                ".* at header offset 0 \\(RFC 8166 4.2\\)");
        assertFails(
                "rpcrdma:decode " + hex(encoded(one).putInt(4, 9)),
                ExitStatus.FAILED,
                "malformed header: rdma_vers 9, .* at header offset 4 .*");
        assertFails(
                "rpcrdma:decode " + hex(encoded(one).putInt(12, 9)),
                ExitStatus.FAILED,
                "malformed header: rdma_proc 9, .* at header offset 12 .*");
    }

    private void assertFails(String command, ExitStatus status, String message) {
        assertThatThrownBy(() -> shell.run(command))
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(status))
                .hasMessageMatching(message);
    }

    @Test
    void shouldRefuseWhatIsNoInput() throws Exception {
        Path text = Files.writeString(folder.resolve("no-capture"), "no capture at all");

        assertFails("rpcrdma:decode", ExitStatus.USAGE, "give the octets .*");
        assertFails("rpcrdma:decode -f " + text + " 00", ExitStatus.USAGE, "give the octets .*");
        assertFails("rpcrdma:decode 123", ExitStatus.USAGE, "3 hex digits are no whole octets");
        assertFails("rpcrdma:decode 12 fg", ExitStatus.USAGE, "what is to be decoded are hex digits; .*");
        assertFails("rpcrdma:decode -f " + folder.resolve("none"), ExitStatus.NOT_FOUND, ".*none: no such file.*");
        assertFails("rpcrdma:decode --pcap " + text, ExitStatus.FAILED, ".*no-capture: no capture: .* 0x6e6f2063, .*");
    }
}
