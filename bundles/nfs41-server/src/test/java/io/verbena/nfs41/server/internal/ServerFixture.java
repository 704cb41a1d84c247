package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.ops.ServerSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server of a fresh directory without squashing, on a clock that stands still until it is moved. */
abstract class ServerFixture {
    @TempDir
    Path temporary;

    final AtomicLong clock = new AtomicLong(1_000_000_000L);
    Path directory;
    Path state;
    NfsServer server;
    TestClient client;

    @BeforeEach
    void start() throws Exception {
        directory = Files.createDirectory(temporary.resolve("export"));
        state = temporary.resolve("state");
        Files.createDirectory(temporary.resolve("outside"));
        server = server(settings());
        client = TestClient.connected(server, "first");
    }

    ServerSettings settings() {
        return ServerSettings.of("docs", directory).withSquash(new Squash(Squash.Mode.NONE, 65534, 65534));
    }

    NfsServer server(ServerSettings settings) throws Exception {
        return new NfsServer(settings, state, clock::get);
    }

    void restart(ServerSettings settings) throws Exception {
        server.close();
        server = server(settings);
    }

    @AfterEach
    void stop() {
        server.close();
    }
}
