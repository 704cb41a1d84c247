package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.budget.StateBudget;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.util.CacheShares;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server of a fresh directory without squashing, on a clock that stands still until it is moved. */
abstract class ServerFixture {
    @TempDir
    Path temporary;

    final AtomicLong clock = new AtomicLong(1_000_000_000L);
    final StateBudget budget = budget();
    final ServerMemory memory = new ServerMemory(budget, caches());
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

    ExportSettings settings() {
        return ExportSettings.of("docs", directory)
                .withSquash(new Squash(Squash.Mode.NONE, 65534, 65534))
                .withSetId(true);
    }

    CacheShares caches() {
        return CacheShares.ofHeap();
    }

    StateBudget budget() {
        return StateBudget.ofHeap();
    }

    NfsServer server(ExportSettings settings) throws Exception {
        return new NfsServer(settings, state, memory, UnaryOperator.identity(), new ManualClock(clock::get));
    }

    void restart(ExportSettings settings) throws Exception {
        server.close();
        server = server(settings);
    }

    @AfterEach
    void stop() {
        server.close();
    }
}
