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
 * Opens directories: by Linux's system calls where these can be called, otherwise by java.nio, whose limits
 * {@link #isDescriptorOnly} describes. Thread safe.
 */
public final class Directories {
    private static final Logger LOG = LoggerFactory.getLogger(Directories.class);

    private Directories() {}

    /** Loads the native code once, on first use. */
    private static final class Native {
        static final LinuxDirectories LOADED = load();

        private static LinuxDirectories load() {
            try {
                return LinuxDirectories.load();
            } catch (IOException | LinkageError | RuntimeException e) {
                LOG.warn(
                        "Directories are reached through java.nio, with its limits: no paths beyond 4096 octets,"
                                + " microseconds only, and some changes are refused below directories that other"
                                + " users may write to ({})",
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
     * @param path the path; its last component must not be a symbolic link, earlier components may be
     * @return the directory, which the caller closes
     * @throws java.nio.file.NoSuchFileException where the path does not exist
     * @throws java.nio.file.NotDirectoryException where the path names another object
     */
    public static Directory open(Path path) throws IOException {
        return isDescriptorOnly() ? Native.LOADED.open(LocalPaths.octets(path)) : NioDirectory.open(path);
    }

    /**
     * Whether all calls use descriptors. Otherwise java.nio is used, with these limits: paths have at most 4096 octets,
     * times are set in microseconds, and targets of links with double or trailing slashes are refused. java.nio makes
     * directories, symbolic links and hard links by their path, and so sets special mode bits, and owner and times of a
     * symbolic link. These calls fail with {@code EOPNOTSUPP} where a user other than this process's and root could
     * replace a directory of the path by a link meanwhile.
     */
    public static boolean isDescriptorOnly() {
        return Native.LOADED != null;
    }
}
