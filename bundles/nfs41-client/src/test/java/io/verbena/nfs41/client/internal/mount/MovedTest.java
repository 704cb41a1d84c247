package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.FsLocations.Location;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client makes of file systems that a server has moved to another one. */
@Timeout(60)
class MovedTest {
    private static final String HERE = "127.0.0.1";
    private static final String THERE = "127.0.0.2";

    private final FakeServer here = new FakeServer();
    private final FakeServer there = new FakeServer();

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    private static Location at(String server, String... path) {
        return new Location(List.of(server), List.of(path));
    }

    /** Reaches each server by its address. */
    private record Addresses(Map<String, FakeServer> servers) implements RpcTransport {
        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            throw new IllegalStateException("only a client's transport");
        }

        @Override
        public RpcConnection connect(ConnectOptions options) throws IOException {
            FakeServer server = servers.get(options.remote().getHostString());
            if (server == null) {
                throw new IOException("nobody answers at " + options.remote().getHostString());
            }
            return server.connect(options);
        }
    }

    private NfsMount mount(String export) {
        return NfsMount.create(
                "m",
                HERE,
                export,
                "",
                new Addresses(Map.of(HERE, here, THERE, there)),
                new DirectMemory(),
                new SystemRuntime());
    }

    @Test
    void shouldNameWhereAPathHasMovedTo() throws IOException {
        here.moved.add("gone");
        here.locations =
                new FsLocations(List.of("gone"), List.of(at("nas2", "vol", "7"), at("fd00::2", "vol7"), at("", "x")));
        try (NfsMount mount = here.mount("")) {
            for (String path : List.of("/gone", "/gone/deeper/file")) {
                int before = here.seen.size();
                assertThatThrownBy(() -> mount.attributes(path, true))
                        .isInstanceOfSatisfying(
                                NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_MOVED"))
                        .hasMessage("m:" + path + ": the server has moved it: it is at nas2:/vol/7 or [fd00::2]:/vol7"
                                + " or the same server:/x now; mount that (NFS4ERR_MOVED)");
                assertThat(here.seen.size() - before).as("asked once").isEqualTo(2);
            }
        }
    }

    @Test
    void shouldSayThatItIsNotToldWhere() throws IOException {
        here.moved.add("gone");
        try (NfsMount mount = here.mount("")) {
            assertThatThrownBy(() -> mount.list("/gone"))
                    .hasMessage("m:/gone: the server has moved it to another server, and does not tell which"
                            + " (NFS4ERR_MOVED)");
        }
    }

    @Test
    void shouldNameWhereAnOpenFileHasMovedTo() throws IOException {
        here.locations = new FsLocations(List.of(), List.of(at("nas2", "vol")));
        try (NfsMount mount = here.mount("");
                RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.READ), 0)) {
            here.failNext(Opcode.READ, Status.NFS4ERR_MOVED);
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0))
                    .hasMessageContaining("it is at nas2:/vol now; mount that");
        }
    }

    @Test
    void shouldFollowTheExportToTheFirstLocationThatIsThere() throws IOException {
        here.moved.add("vol");
        here.locations = new FsLocations(List.of("vol"), List.of(at("127.0.0.3", "a"), at(THERE, "new", "place")));
        try (NfsMount mount = mount("/vol/sub")) {
            mount.connect(Duration.ofSeconds(20));
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
            assertThat(mount.settings()).containsEntry("movedTo", THERE + ":/new/place/sub");
            assertThat(here.opcodesSince(0))
                    .containsSubsequence(Opcode.LOOKUP, Opcode.DESTROY_SESSION, Opcode.DESTROY_CLIENTID);
            there.restart(); // which the mount goes on with
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
        assertThat(there.opcodesSince(0)).last().isEqualTo(Opcode.DESTROY_CLIENTID);
    }

    @Test
    void shouldFollowOnceOnly() {
        here.moved.add("vol");
        here.locations = new FsLocations(List.of("vol"), List.of(at(THERE, "vol")));
        there.moved.add("vol");
        there.locations = new FsLocations(List.of("vol"), List.of(at(HERE, "vol")));
        try (NfsMount mount = mount("/vol")) {
            assertThatThrownBy(() -> mount.connect(Duration.ofSeconds(20)))
                    .isInstanceOf(NfsException.class)
                    .hasMessageStartingWith(HERE + ":/vol: the server has moved it: it is at " + THERE + ":/vol now;"
                            + " none of these could be mounted: ")
                    .hasMessageContaining("it is at " + HERE + ":/vol now; mount that");
            here.moved.clear();
            assertThat(connects(mount)).isTrue();
            assertThat(mount.settings()).doesNotContainKey("movedTo");
        }
    }

    private static boolean connects(NfsMount mount) {
        try {
            mount.connect(Duration.ofSeconds(20));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
