package io.verbena.itests.model;

import io.verbena.itests.VerbenaStack;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.nio.NfsFileSystems;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.TransportSwitch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A mount with a replaceable transport of its own. */
public final class Mounted implements AutoCloseable {
    private static final Duration RECONNECT = Duration.ofSeconds(30);

    private final NfsMount mount;
    private final Side side;
    private VerbenaStack stack = new VerbenaStack();

    /**
     * Mounts.
     *
     * @param number from 0 on
     * @param directory the working directory of the run, below the export
     */
    public Mounted(InetSocketAddress server, String export, String options, int number, String directory)
            throws IOException {
        boolean made = false;
        try {
            mount = stack.mount(server, export, options);
            made = true;
        } finally {
            if (!made) {
                stack.close();
            }
        }
        side = new Side(number, mount, NfsFileSystems.of(mount), directory);
    }

    public Side side() {
        return side;
    }

    /** The budget of the present transport's buffers. */
    public DirectMemory memory() {
        return stack.memory();
    }

    /** Replaces the transport. */
    public void swap() {
        TransportSwitch.gone(mount, stack.transport());
        stack.close();
        stack = new VerbenaStack();
        TransportSwitch.came(mount, stack.transport());
    }

    public void reconnect() throws IOException {
        mount.reconnect(RECONNECT);
    }

    @Override
    public void close() throws IOException {
        try {
            side.fileSystem().close();
        } finally {
            mount.close();
            stack.close();
        }
    }
}
