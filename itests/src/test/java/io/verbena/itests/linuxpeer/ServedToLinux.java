package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs41.client.internal.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ServerSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A directory that this process serves to the guest's kernel, and what that has mounted of it. */
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
     * @param folder an empty one of this test
     */
    ServedToLinux(LinuxGuest guest, Path folder) throws IOException, InterruptedException {
        this(guest, folder, guest.hostPort());
    }

    /**
     * As above, at another port: what goes there is not captured.
     *
     * @param port 0 for a free one
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

    /** How many connections there are. */
    int connections() {
        return stack.transport().connections().size();
    }

    /** Starts to serve; nobody is squashed. */
    ServedToLinux start() throws IOException {
        stack = new VerbenaStack();
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(
                new ServerSettings("linux", directory, readOnly, nobody, 64, delegations, LEASE, LEASE), state);
        listener = stack.serve(server, port, options);
        return this;
    }

    /** Ends the server with all connections; its state is kept. */
    void stop() {
        listener.close();
        server.close();
        stack.close();
        restarts++;
    }

    /** Has the guest mount it. */
    GuestMount mount(String name, String mountOptions) throws IOException, InterruptedException {
        GuestMount mount = new GuestMount(guest, name, listener.localAddress().getPort(), mountOptions);
        mounts.add(mount);
        return mount;
    }

    /** A mount of our own client: another client to the server than the guest. */
    NfsMount ownMount() throws IOException {
        return stack.mount(listener.localAddress(), "/", "rpcrdma=1"); // what the dissector reads
    }

    /** Unmounts, and asks the kernel and the server whether all was well. */
    void assertWell() throws IOException, InterruptedException {
        assertWell("");
    }

    /**
     * As above.
     *
     * @param allowed a pattern of what the kernel may have said; empty for nothing
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
        // the last unmount has ended the client's session
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
