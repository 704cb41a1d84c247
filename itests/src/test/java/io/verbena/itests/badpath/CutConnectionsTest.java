package io.verbena.itests.badpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Transfer;
import io.verbena.itests.VerbenaStack;
import io.verbena.itests.model.Mounted;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Our client and our server, connected by a path that repeatedly breaks connections at any octet: each operation is
 * executed once, each octet arrives, and lost connections leave no resources behind.
 */
@Timeout(120)
class CutConnectionsTest {
    private static final int THREADS = 4;
    private static final int BOUND_SECONDS = 90;

    private final long seed = Long.getLong("verbena.seed", System.nanoTime());

    @TempDir
    private Path folder;

    private Path exported;
    private VerbenaStack serving;
    private VerbenaStack calling;
    private NfsServer server;
    private RpcListener listener;
    private BadPath path;

    @BeforeEach
    void begin() throws IOException {
        System.out.println("CutConnectionsTest: -Dverbena.seed=" + seed);
        exported = Files.createDirectory(folder.resolve("exported"));
        serving = new VerbenaStack();
        calling = new VerbenaStack();
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(
                ExportSettings.of("cuts", exported).withSquash(nobody), folder.resolve("state"), new SystemRuntime());
        listener = serving.serve(server, 0);
        path = new BadPath(listener.localAddress(), seed);
    }

    /** Checks at the end that all resources of lost connections were released. */
    @AfterEach
    void end() throws IOException {
        await(() -> server.counters().get("sessions") == 0 && calling.connections() == 0);
        assertThat(server.counters())
                .containsEntry("sessions", 0L)
                .containsEntry("clients", 0L)
                .containsEntry("openStates", 0L);
        path.close();
        await(() -> serving.connections() == 0);
        assertThat(serving.connections()).as("connections at the server").isZero();
        listener.close();
        server.close();
        calling.close();
        serving.close();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    /**
     * By all doors: blocking and asynchronous calls, and java.nio.
     *
     * @param octets the most octets of a connection. The largest write has to succeed sometimes, since pauses grow
     *     after connections without a reply
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                "'' | 400000",
                "rsize=32768,wsize=32768,slots=2 | 60000",
                "nocrc,inline=1024,rsize=4096,wsize=4096 | 60000",
            })
    void shouldDoEveryOperationOnceHoweverOftenTheConnectionIsLost(String options, int octets) throws Exception {
        try (Mounted mounted = new Mounted(path.address(), "/", options, 0, "/")) {
            List<RandomWork> works = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Files.createDirectory(exported.resolve("" + i));
                works.add(new RandomWork(mounted.side(), "/" + i, seed + i));
            }
            path.orderFaults(400, 0, octets, Fault.RESET, Fault.END);
            inParallel(works);
            for (int i = 0; i < THREADS; i++) {
                for (Map.Entry<String, byte[]> file : works.get(i).check().entrySet()) {
                    assertThat(exported.resolve("" + i).resolve(file.getKey())).hasBinaryContent(file.getValue());
                }
            }
            // nothing is open any more; the server keeps only delegations that the client knows of
            assertThat(server.counters())
                    .containsEntry(
                            "openStates",
                            Long.valueOf(mounted.side().mount().settings().get("delegated")));
        }
    }

    private void inParallel(List<RandomWork> works) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (RandomWork work : works) {
                all.add(threads.submit(() -> {
                    while (!path.isOver()) {
                        work.step();
                    }
                    return null;
                }));
            }
            for (Future<Void> each : all) {
                each.get(BOUND_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nocrc,rsize=16384,wsize=16384,slots=2"})
    void shouldMoveFilesOverConnectionsThatAreLostInMidTransfer(String options) throws Exception {
        byte[] content = new byte[8 << 20];
        new Random(seed).nextBytes(content);
        Files.write(exported.resolve("read"), content);
        try (NfsMount mount = calling.mount(path.address(), "/", options)) {
            Transfer writing = Transfer.write(mount, "/written", content.length);
            Transfer reading = Transfer.read(mount, "/read", content.length);
            path.orderFaults(100, 0, 6_000_000, Fault.RESET, Fault.END);
            path.awaitOver(BOUND_SECONDS);
            assertThat(reading.finish()).isEqualTo(content);
            assertThat(exported.resolve("written")).hasBinaryContent(writing.finish());
        }
    }

    @Test
    void shouldNotWaitForAConnectionThatHasGoneSilent() throws Exception {
        try (NfsMount mount = calling.mount(path.address(), "/", "soft,timeo=10,retrans=5,rsize=65536,wsize=65536")) {
            RandomWork work = new RandomWork(mount, "/work", seed);
            path.orderFaults(2, BadConnection.HANDSHAKE, 200_000, Fault.SILENCE);
            while (!path.isOver()) {
                work.step();
            }
            work.check();
        }
    }

    /** Connections are broken before or just after they are accepted. */
    @Test
    void shouldServeOnHoweverManyConnectionsAreLostInTheHandshake() throws Exception {
        path.orderFaults(500, 0, BadConnection.HANDSHAKE, Fault.RESET, Fault.END);
        while (!path.isOver()) {
            try (RpcConnection connection = calling.transport().connect(ConnectOptions.to(path.address()))) {
                assertThat(connection.isOpen()).isTrue();
            } catch (RpcException e) {
                assertThat(e).hasMessageContaining(":" + path.address().getPort());
            }
        }
        try (NfsMount mount = calling.mount(path.address(), "/", "")) {
            assertThat(mount.list("/")).isEmpty();
        }
    }
}
