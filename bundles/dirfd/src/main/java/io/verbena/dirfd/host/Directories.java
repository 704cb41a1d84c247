package io.verbena.dirfd.host;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.internal.LocalPaths;
import io.verbena.dirfd.internal.linux.LinuxDirectories;
import io.verbena.dirfd.internal.nio.NioDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens directories: by Linux's system calls where they can be called, else by java.nio, whose limits {@link
 * #isDescriptorOnly} tells of. Thread safe.
 */
public final class Directories {
    private static final Logger LOG = LoggerFactory.getLogger(Directories.class);

    private Directories() {}

    /** Loads the native code when it is first asked for, once. */
    private static final class Native {
        static final LinuxDirectories LOADED = load();

        private static LinuxDirectories load() {
            try {
                return LinuxDirectories.load();
            } catch (IOException | LinkageError | RuntimeException e) {
                LOG.warn(
                        "Directories are reached through java.nio, with its limits: no paths beyond 4096 octets,"
                                + " microseconds only, and local users can lead some changes astray ({})",
                        reason(e));
                return null;
            }
        }

        private static String reason(Throwable failure) {
            return failure instanceof NoClassDefFoundError
                    ? "the bundle io.verbena.jnr is not there"
                    : String.valueOf(failure.getMessage()).lines().findFirst().orElse(failure.toString());
        }
    }

    /**
     * Opens a directory.
     *
     * @param path its last component is no symbolic link; those before it may be
     * @return the directory, which the caller closes
     * @throws java.nio.file.NoSuchFileException where there is none
     * @throws java.nio.file.NotDirectoryException where it is something else
     */
    public static Directory open(Path path) throws IOException {
        return isDescriptorOnly() ? Native.LOADED.open(LocalPaths.octets(path)) : NioDirectory.open(path);
    }

    /**
     * Whether everything goes by descriptors. Where not, java.nio is used: it needs paths of at most 4096 octets, sets
     * microseconds, and refuses texts of links with slashes that stand twice or last. A local user who may write in a
     * directory can lead these calls to another object by swapping directories for links: to make directories, symbolic
     * links and hard links, and to set the set-id bits, or owner and times of a symbolic link.
     */
    public static boolean isDescriptorOnly() {
        return Native.LOADED != null;
    }
}
