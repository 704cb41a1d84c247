package io.verbena.nfs.transfer;

import io.verbena.nfs.Mount;
import java.io.IOException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Provides the mount that takes the place of a {@linkplain io.verbena.nfs.MountReplacedException replaced} mount, so
 * that a copy can continue with it.
 */
@FunctionalInterface
@ConsumerType
public interface MountSuccessors {
    /**
     * Waits for the next mount of the same place, and returns it. Called by a worker thread of the copy. An interrupt
     * stops the wait.
     *
     * @param gone the mount that was replaced
     * @return the mount that takes the place of the replaced mount
     * @throws IOException if no mount takes the place in time; this failure ends the copy
     * @throws InterruptedException if the thread was interrupted
     */
    Mount successor(Mount gone) throws IOException, InterruptedException;
}
