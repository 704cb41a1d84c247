package io.verbena.nfs.nio.internal;

import io.verbena.nfs.Mount;
import java.io.IOException;

/** Where a file system has its mount from. Thread safe; waiting ends with an interrupt. */
interface MountSource {
    /** The one to use now, waited for where it is about to come. */
    Mount get() throws IOException;

    /**
     * What took the place of one that was replaced.
     *
     * @throws IOException where nothing does
     */
    Mount successor(Mount gone) throws IOException;

    /** Whether a mount that goes can have a successor. */
    boolean isReplaceable();

    /** The file system is closed: gives up what belongs to it. */
    void close();
}
