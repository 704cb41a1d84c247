package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A directory that this process serves to the guest's kernel, and the guest's mounts of it. */
final class ServedToLinux implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final LinuxGuest guest;
    private final KernelLog log;
    private final Path directory;
    private final Path state;
    private final int port;
    private final List<GuestMount> mounts = new ArrayList<>();
    private VerbenaStack stack;
    private NfsServer server;
    private RpcListener listener;
    private boolean readOnly;
    private boolean delegations = true;
    private Map<String, String> options = Map.of();
    private int restarts;

    /**
     * @param folder an empty folder of the test
     */
    ServedToLinux(LinuxGuest guest, Path folder) throws IOException, InterruptedException {
        this(guest, folder, guest.hostPort());
    }

    /**
     * As above, with another port, whose traffic is not captured.
     *
     * @param port the port, 0 for a free one
     */
    ServedToLinux(LinuxGuest guest, Path folder, int port) throws IOException, InterruptedException {
        this.guest = guest;
        this.port = port;
        this.log = new KernelLog(guest);
        this.directory = Files.createDirectories(folder.resolve("exported"));
        this.state = folder.resolve("state");
    }

    /** The exported directory. */
    Path directory() {
        return directory;
    }

    KernelLog log() {
        return log;
    }

    NfsServer server() {
        return server;
    }

    ServedToLinux readOnly() {
        readOnly = true;
        return this;
    }

    ServedToLinux withoutDelegations() {
        delegations = false;
        return this;
    }

    ServedToLinux with(Map<String, String> transportOptions) {
        options = transportOptions;
        return this;
    }

    /** The number of connections. */
    int connections() {
        return stack.transport().connections().size();
    }

    /** Starts the server, without squashing of users. */
    ServedToLinux start() throws IOException {
        stack = new VerbenaStack();
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(
                new ExportSettings("linux", directory, readOnly, nobody, 64, delegations, LEASE, LEASE).withSetId(true),
                state,
                new SystemRuntime());
        listener = stack.serve(server, port, options);
        return this;
    }

    /** Stops the server and its connections; its state is kept. */
    void stop() {
        listener.close();
        server.close();
        stack.close();
        restarts++;
    }

    /** Mounts the directory in the guest. */
    GuestMount mount(String name, String mountOptions) throws IOException, InterruptedException {
        GuestMount mount = new GuestMount(guest, name, listener.localAddress().getPort(), mountOptions);
        mounts.add(mount);
        return mount;
    }

    /** A mount of our own client, which is another client than the guest for the server. */
    NfsMount ownMount() throws IOException {
        return stack.mount(listener.localAddress(), "/", "rpcrdma=1"); // the version that the dissector reads
    }

    /** Unmounts, and checks the kernel's log and the server's state. */
    void assertWell() throws IOException, InterruptedException {
        assertWell("");
    }

    /**
     * As above.
     *
     * @param allowed a pattern of allowed kernel messages; empty for none
     */
    void assertWell(String allowed) throws IOException, InterruptedException {
        for (GuestMount mount : mounts) {
            TransportCounters counters = mount.counters();
            mount.unmount();
            assertThat(counters.connects()).as("connections").isBetween(1L, 1 + 2L * restarts + log.crcErrors());
            assertThat(counters.badXids()).as("replies to nothing asked").isZero();
            assertThat(counters.badReplies()).as("bad replies").isZero();
        }
        mounts.clear();
        assertThat(log.complaints(allowed)).as("what the kernel has logged").isEmpty();
        // the last unmount ends the client's session
        assertThat(server.counters()).containsEntry("sessions", 0L).containsEntry("openStates", 0L);
    }

    @Override
    public void close() throws IOException {
        try {
            for (GuestMount mount : mounts) {
                mount.close();
            }
        } finally {
            if (listener != null) {
                stop();
            }
        }
    }
}
