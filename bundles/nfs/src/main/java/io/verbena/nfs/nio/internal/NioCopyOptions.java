package io.verbena.nfs.nio.internal;

import java.nio.file.CopyOption;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** How something is copied or moved. */
record NioCopyOptions(boolean replaces, boolean copiesAttributes, boolean atomic, boolean follows) {
    /** Reads the options, and throws for those that java.nio requires to be refused. */
    static NioCopyOptions of(CopyOption... options) {
        Set<CopyOption> all = new HashSet<>();
        for (CopyOption option : options) {
            if (!isInterruptible(Objects.requireNonNull(option))) { // an interrupt ends every copy
                all.add(option);
            }
        }
        NioCopyOptions copy = new NioCopyOptions(
                all.remove(StandardCopyOption.REPLACE_EXISTING),
                all.remove(StandardCopyOption.COPY_ATTRIBUTES),
                all.remove(StandardCopyOption.ATOMIC_MOVE),
                !all.remove(LinkOption.NOFOLLOW_LINKS));
        if (!all.isEmpty()) {
            // as Files.copy and Files.move specify
            throw new UnsupportedOperationException(
                    "a remote file cannot be copied with " + all.iterator().next());
        }
        return copy;
    }

    /** Whether an option is {@code com.sun.nio.file.ExtendedCopyOption.INTERRUPTIBLE} of the JDK. */
    private static boolean isInterruptible(CopyOption option) {
        return option instanceof Enum<?> known
                && known.name().equals("INTERRUPTIBLE")
                && known.getDeclaringClass().getName().equals("com.sun.nio.file.ExtendedCopyOption");
    }
}
