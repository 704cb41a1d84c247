package io.verbena.itests.badpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Holdings;
import io.verbena.itests.VerbenaStack;
import io.verbena.itests.model.Mounted;
import io.verbena.itests.model.Side;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An export of this process, and mounts of it through a {@link BadPath}. Its end checks that nothing is left. */
final class ServedPath implements AutoCloseable {
    private static final String DIRECTORY = "run";
    private static final long BOUND_SECONDS = 120;
    private static final int TRIES = 10;
    private static final long PAUSE_NANOS = 1_000_000;

    private final Path directory;
    private final VerbenaStack serving = new VerbenaStack();
    private final NfsServer server;
    private final RpcListener listener;
    private final BadPath path;
    private final List<Mounted> mounts = new ArrayList<>();

    /**
     * @param folder an empty folder
     * @param seed of the faults
     */
    ServedPath(Path folder, long seed) throws IOException {
        Path exported = Files.createDirectories(folder.resolve("exported"));
        directory = Files.createDirectory(exported.resolve(DIRECTORY));
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(
                ExportSettings.of("bad", exported).withSquash(nobody), folder.resolve("state"), new SystemRuntime());
        listener = serving.serve(server, 0);
        path = new BadPath(listener.localAddress(), seed);
    }

    BadPath path() {
        return path;
    }

    /** The directory of the mounts' work, accessed without the mounts. */
    Path directory() {
        return directory;
    }

    /** Mounts through the path. A loaded host can be slower than the time-out of a call. */
    Side mount(String options) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                Mounted mounted = new Mounted(path.address(), "/", options, mounts.size(), "/" + DIRECTORY);
                mounts.add(mounted);
                return mounted.side();
            } catch (ServerUnavailableException e) {
                if (tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    /** Unmounts, and checks that the server has forgotten all, and that no memory is leased any more. */
    void end() throws IOException {
        unmount();
        await(() -> server.counters().get("clients") == 0);
        assertThat(server.counters())
                .containsEntry("sessions", 0L)
                .containsEntry("clients", 0L)
                .containsEntry("openStates", 0L);
        endServer();
    }

    /**
     * As {@link #end} for soft mounts: the server keeps the opens of calls that were given up, and so the clients,
     * until their leases have ended.
     */
    void endSoft() throws IOException {
        unmount();
        endServer();
    }

    private void unmount() throws IOException {
        for (Mounted mounted : mounts) {
            mounted.close();
            assertThat(mounted.memory().leasedBytes())
                    .as(
                            "octets that a client has not given back: %s",
                            mounted.memory().holdings())
                    .isZero();
        }
    }

    private void endServer() throws IOException {
        path.close();
        await(() -> serving.connections() == 0);
        assertThat(serving.connections()).as("connections at the server").isZero();
        close();
        await(() -> serving.memory().leasedBytes() == 0);
        assertThat(serving.memory().leasedBytes())
                .as(
                        "octets that the server has not given back: %s",
                        serving.memory().holdings())
                .isZero();
    }

    /** Checks that the process has no more threads, descriptors and direct memory than before. */
    static void checkLeft(Holdings before) {
        await(() -> {
            Holdings now = Holdings.now();
            return before.threads().containsAll(now.threads())
                    && now.size() <= before.size()
                    && now.directOctets() <= before.directOctets() + Holdings.SLACK;
        });
        Holdings after = Holdings.now();
        assertThat(after.threads()).as("threads").isSubsetOf(before.threads());
        assertThat(after.descriptors()).as("open sockets, pipes and files").hasSizeLessThanOrEqualTo(before.size());
        assertThat(after.directOctets())
                .as("octets of direct memory")
                .isLessThanOrEqualTo(before.directOctets() + Holdings.SLACK);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Ends everything; may be called again. */
    @Override
    public void close() throws IOException {
        for (Mounted mounted : mounts) {
            mounted.close();
        }
        path.close();
        listener.close();
        server.close();
        serving.close();
    }
}
