package io.verbena.dirfd.internal;

import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Checks options that open an object which is there. */
public final class OpenOptions {
    private static final Set<StandardOpenOption> OTHERS = Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.DELETE_ON_CLOSE,
            StandardOpenOption.TRUNCATE_EXISTING);

    private OpenOptions() {}

    /**
     * Refuses options that make, empty or remove an object.
     *
     * @return the options
     */
    public static Set<? extends OpenOption> requireExisting(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            if (OTHERS.contains(option)) {
                throw new IllegalArgumentException("an object that is there is not opened with " + option);
            }
        }
        return options;
    }
}
