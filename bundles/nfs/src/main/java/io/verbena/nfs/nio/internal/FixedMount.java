package io.verbena.nfs.nio.internal;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;

/** A mount that is somebody else's. */
record FixedMount(Mount mount) implements MountSource {
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
