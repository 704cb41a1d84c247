package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.Mount;
import io.verbena.nfs.ServerUnavailableException;
import java.io.IOException;
import java.time.Duration;

/** The Mount service of a name; if it is replaced, the next one of that name. */
public final class NamedMount implements MountSource {
    private final String name;
    private final NamedServices<Mount> mounts;
    private final Duration swapTimeout;

    /** @param swapTimeout how long a caller waits for a mount that is being replaced */
    public NamedMount(String name, NamedServices<Mount> mounts, Duration swapTimeout) {
        this.name = name;
        this.mounts = mounts;
        this.swapTimeout = swapTimeout;
    }

    @Override
    public Mount get() throws IOException {
        return await(null);
    }

    @Override
    public Mount successor(Mount gone) throws IOException {
        return await(gone);
    }

    private Mount await(Mount gone) throws IOException {
        return mounts.await(name, mount -> mount != gone, swapTimeout)
                .orElseThrow(() -> new ServerUnavailableException(
                        "there is no mount '" + name + "', and none has come within " + swapTimeout.toSeconds() + " s",
                        null));
    }

    @Override
    public boolean isReplaceable() {
        return true;
    }

    @Override
    public void close() {
        // the mount belongs to its configuration
    }
}
