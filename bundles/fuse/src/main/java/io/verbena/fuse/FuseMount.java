package io.verbena.fuse;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/** A mount in the file system of this host. Any thread may call any method. */
@ProviderType
public interface FuseMount {
    /** The name of the {@code Mount} service that carries it. */
    String mount();

    /** The absolute path of the directory, without symbolic links. */
    Path directory();

    /** What holds for the mount, by name, in the order to show it to people. */
    Map<String, String> settings();

    /**
     * Unmounts, and waits until everything that programs have written is on the server's stable storage.
     *
     * @param force whether programs that use the mount, or wait for a silent server, lose it (umount -f); otherwise
     *     they keep it, and the call fails
     * @param timeout how long to wait for written data
     * @throws IOException if a program uses the mount; if written data could not be brought to the server, which the
     *     message tells; or if the time is over
     */
    void unmount(boolean force, Duration timeout) throws IOException, InterruptedException;

    /**
     * Waits until the mount has ended, by {@link #unmount} or by umount(8), with its written data on stable storage.
     *
     * @return false if it has not ended in time
     */
    boolean awaitEnd(Duration timeout) throws InterruptedException;

    /** What was lost when the mount ended; empty if nothing was, or if the mount has not ended. */
    Optional<IOException> failure();
}
