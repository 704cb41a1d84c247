package io.verbena.simulation.disk;

import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * What a channel may do.
 *
 * @param appends whether each write goes to the end of the file, also one with a position, as on Linux
 * @param forces whether each write is forced
 */
record ChannelMode(boolean reads, boolean writes, boolean appends, boolean forces) {
    /** Refuses options that would make, empty or remove an object. */
    static ChannelMode of(Set<? extends OpenOption> options) {
        boolean reads = false;
        boolean writes = false;
        boolean appends = false;
        boolean forces = false;
        for (OpenOption option : options) {
            if (option == StandardOpenOption.READ) {
                reads = true;
            } else if (option == StandardOpenOption.WRITE) {
                writes = true;
            } else if (option == StandardOpenOption.APPEND) {
                appends = true;
            } else if (option == StandardOpenOption.SYNC || option == StandardOpenOption.DSYNC) {
                forces = true;
            } else if (option != StandardOpenOption.SPARSE && option != LinkOption.NOFOLLOW_LINKS) {
                throw new IllegalArgumentException("an object that is there is not opened with " + option);
            }
        }
        if (reads && appends) {
            throw new IllegalArgumentException("READ + APPEND not allowed");
        }
        return new ChannelMode(reads || !(writes || appends), writes || appends, appends, forces);
    }
}
