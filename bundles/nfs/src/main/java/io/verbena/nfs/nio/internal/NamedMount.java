package io.verbena.nfs.nio.internal;

import io.verbena.nfs.Mount;
import io.verbena.nfs.ServerUnavailableException;
import java.io.IOException;
import java.time.Duration;

/** The Mount service of a name, whichever it is at the time. */
final class NamedMount implements MountSource {
    private final String name;
    private final Present<Mount> mounts;
    private final Duration patience;

    /**
     * @param patience how long a mount that is being replaced is waited for
     */
    NamedMount(String name, Present<Mount> mounts, Duration patience) {
        this.name = name;
        this.mounts = mounts;
        this.patience = patience;
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
        return mounts.await(name, mount -> mount != gone, patience)
                .orElseThrow(() -> new ServerUnavailableException(
                        "there is no mount '" + name + "', and none has come within " + patience.toSeconds() + " s",
                        null));
    }

    @Override
    public boolean isReplaceable() {
        return true;
    }

    @Override
    public void close() {
        // the mount is its configuration's
    }
}
