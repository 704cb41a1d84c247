package io.verbena.nfs41.client.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.TestThread;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The server has answered a write, restarts before the COMMIT, and has lost the data (RFC 8881 section 18.32.3): nobody
 * sees the file without it.
 */
@Timeout(60)
class ForgottenWritesTest {
    private static final Set<StandardOpenOption> BOTH = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final String DIGITS = "0123456789";

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String content() {
        return new String(server.content, 0, server.size, StandardCharsets.US_ASCII);
    }

    /** Restarts the server, which has lost all that was not committed. */
    private void forget() {
        Arrays.fill(server.content, (byte) 0);
        server.size = 0;
        server.restart();
    }

    @Test
    void shouldReadWhatIsWrittenAgain() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(text(DIGITS), 0);
            forget();
            int before = server.seen.size();
            ByteBuffer read = ByteBuffer.allocate(20);

            assertThat(file.read(read, 0)).isEqualTo(10);

            assertThat(read.flip()).isEqualTo(text(DIGITS));
            assertThat(server.opcodesSince(before))
                    .containsSubsequence(Opcode.RECLAIM_COMPLETE, Opcode.COMMIT, Opcode.WRITE, Opcode.READ);
        }
    }

    @Test
    void shouldTellTheSizeOfWhatIsWrittenAgain() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(text(DIGITS), 0);
            forget();
            assertThat(file.attributes().size()).isEqualTo(10);
            file.write(text(DIGITS), 10);
            forget();
            server.size = 10;
            assertThat(mount.attributes("/file", true).size()).isEqualTo(20);
        }
    }

    @Test
    void shouldListTheSizeOfWhatIsWrittenAgain() throws Exception {
        server.directory = args -> new ReadDir.Result(
                1,
                List.of(new ReadDir.Entry(
                        3,
                        "file",
                        Attributes.builder()
                                .put(Attribute.SIZE, (long) server.size)
                                .build())),
                true);
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(text(DIGITS), 0);
            forget();
            assertThat(mount.list("/").get(0).attributes().size()).isEqualTo(10);
        }
    }

    /**
     * @param found whether the mount has found out about the restart before the append is called
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAppendBehindWhatIsWrittenAgain(boolean found) throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(text(DIGITS), 0);
            forget();
            if (found) {
                boolean unused = mount.mayAccess("/other", true, false, false);
            }
            long at = file.appendAsync(text("record"), placed -> {}).get(20, TimeUnit.SECONDS);
            file.sync();
            assertThat(at).isEqualTo(10);
            assertThat(content()).isEqualTo(DIGITS + "record");
        }
    }

    @Test
    void shouldAppendByAChannelBehindWhatIsWrittenAgain() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600);
                RemoteFile log = mount.open("/file", Set.of(StandardOpenOption.APPEND), 0600);
                SeekableByteChannel channel = log.channel()) {
            file.write(text(DIGITS), 0);
            forget();
            channel.write(text("record"));
            log.sync();
            assertThat(content()).isEqualTo(DIGITS + "record");
        }
    }

    /** What is known of the end is old: nothing was on its way when another client appended. */
    @Test
    void shouldAppendBehindWhatAnotherClientAppendedBeforeTheRestart() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.appendAsync(text("one"), placed -> {}).get(20, TimeUnit.SECONDS);
            System.arraycopy("TWO".getBytes(StandardCharsets.US_ASCII), 0, server.content, 3, 3);
            server.size = 6;
            server.restart();
            assertThat(mount.mayAccess("/other", true, false, false)).isTrue(); // the mount finds out

            file.appendAsync(text("x"), placed -> {}).get(20, TimeUnit.SECONDS);

            file.sync();
            assertThat(content()).isEqualTo("oneTWOx");
        }
    }

    /** The listing waits for what the first restart lost; what the second has lost meanwhile counts too. */
    @Test
    void shouldListBehindTheLastOfSeveralRestarts() throws Exception {
        server.handles.put("other", FileHandle.of((byte) 9, (byte) 9));
        server.directory = args -> new ReadDir.Result(
                1,
                List.of(new ReadDir.Entry(
                        args.cookie() + 3,
                        "other" + args.cookie(),
                        Attributes.builder()
                                .put(Attribute.SIZE, (long) server.size)
                                .build())),
                args.cookie() >= 6);
        try (NfsMount mount = server.mount("");
                RemoteFile one = mount.open("/file", BOTH, 0600);
                RemoteFile other = mount.open("/other", BOTH, 0600)) {
            Iterator<DirectoryEntry> listing = mount.listing("/"); // and the second page is asked for
            server.awaitIdle();
            one.write(text(DIGITS), 0);
            forget();
            assertThat(mount.mayAccess("/third", true, false, false)).isTrue();
            other.write(text(DIGITS), 10);
            server.hold(Opcode.COMMIT);
            listing.next();
            listing.next(); // the third page waits for the COMMIT
            server.awaitHeld();
            forget();
            server.letGo();
            assertThat(listing.next().attributes().size()).isEqualTo(20);
        }
    }

    /** Whatever the client asks for brings the server down, as far as the client can see. */
    @Test
    void shouldNotReadAPageAgainForEverOnASoftMount() throws Exception {
        server.directory = args -> {
            server.restart();
            return new ReadDir.Result(
                    1, List.of(new ReadDir.Entry(args.cookie() + 3, "entry" + args.cookie(), Attributes.EMPTY)), false);
        };
        try (NfsMount mount = server.mount("soft,timeo=2,retrans=1")) {
            TestThread listing = TestThread.start(() -> mount.list("/"));
            assertThat(listing.end())
                    .isInstanceOf(ServerUnavailableException.class)
                    .hasMessageContaining("restarts again and again");
        }
    }
}
