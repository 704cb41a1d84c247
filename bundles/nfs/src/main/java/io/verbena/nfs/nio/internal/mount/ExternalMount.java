package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;

/** A mount that belongs to the caller. The file system neither closes nor replaces it. */
public record ExternalMount(Mount mount) implements MountSource {
    @Override
    public Mount get() {
        return mount;
    }

    @Override
    public Mount successor(Mount gone) throws MountReplacedException {
        throw new MountReplacedException(mount.name(), false);
    }

    @Override
    public boolean isReplaceable() {
        return false;
    }

    @Override
    public void close() {
        // the mount stays its owner's
    }
}
