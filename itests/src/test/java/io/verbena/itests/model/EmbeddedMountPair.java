package io.verbena.itests.model;

import io.verbena.itests.VerbenaStack;
import io.verbena.itests.badpath.BadPath;
import io.verbena.itests.badpath.Fault;
import io.verbena.nfs.FileAttributes;
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
import java.util.Optional;

/** Two mounts of our own server in this process, through a path that can break connections. */
final class EmbeddedMountPair implements MountPair {
    private static final int MOST_OCTETS = 40_000;

    private final Path directory;
    private final VerbenaStack serving = new VerbenaStack();
    private final NfsServer server;
    private final RpcListener listener;
    private final BadPath path;
    private final List<Mounted> mounts = new ArrayList<>();

    /**
     * Serves and mounts.
     *
     * @param folder an empty folder
     * @param options options of the two mounts, as in fstab
     */
    EmbeddedMountPair(Path folder, long seed, String... options) throws IOException {
        Path exported = Files.createDirectory(folder.resolve("exported"));
        directory = Files.createDirectory(exported.resolve("run"));
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(
                ExportSettings.of("model", exported).withSquash(nobody), folder.resolve("state"), new SystemRuntime());
        listener = serving.serve(server, 0);
        path = new BadPath(listener.localAddress(), seed);
        for (String each : options) {
            mounts.add(new Mounted(path.address(), "/", each, mounts.size(), "/run"));
        }
    }

    /** The directory of the run, accessed without the mounts. */
    Path directory() {
        return directory;
    }

    @Override
    public Side side(int number) {
        return mounts.get(number).side();
    }

    @Override
    public boolean cut() {
        path.orderFaults(2, 0, MOST_OCTETS, Fault.RESET, Fault.END);
        return true;
    }

    @Override
    public boolean swap(int number) {
        mounts.get(number).swap();
        return true;
    }

    @Override
    public boolean reconnect(int number) throws IOException {
        mounts.get(number).reconnect();
        return true;
    }

    /** Waits until a call of a mount has been answered by the server. */
    void awaitWork(int number) throws IOException {
        FileAttributes unused = side(number).mount().attributes("/run", true);
    }

    @Override
    public Optional<byte[]> content(String name) throws IOException {
        return Optional.of(Files.readAllBytes(directory.resolve(name)));
    }

    @Override
    public boolean preservesUnlinked() {
        return true;
    }

    @Override
    public void close() throws IOException {
        for (Mounted mount : mounts) {
            mount.close();
        }
        path.close();
        listener.close();
        server.close();
        serving.close();
    }
}
