package io.verbena.nfs.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Copies, synchronises and compares files and trees, between directories of this host and mounts, and between mounts.
 * The engine is an OSGi service. On a plain class path, {@link java.util.ServiceLoader} finds it. All methods may be
 * called from any thread.
 *
 * <p>If another service replaces a mount during a copy, the copy continues with the mount that the location's
 * {@linkplain Location#withSuccessors successors} return.
 *
 * <p>When the service is unregistered, it cancels its copies. A cancelled copy fails with {@link
 * java.util.concurrent.CancellationException}, and leaves only those files behind that {@link CopyOptions.Flag#RESUME}
 * and {@link CopyOptions.Flag#KEEP_PARTIAL} keep.
 */
@ProviderType
public interface CopyEngine {
    /**
     * Creates a copy of files and directories by the rules of {@code cp}. If the target is a directory, the sources are
     * copied into it. Otherwise the source is copied as the target. With {@link CopyOptions.Flag#SYNC}, the target
     * itself becomes like the only source. The copy does nothing before {@link Copy#run}, {@link Copy#start} or {@link
     * Copy#rehearse}.
     *
     * @param sources the files and directories to copy, at least one
     * @param target the directory to copy into, or the name of the copy
     * @param options the options of the copy
     * @return the copy, which has not started
     * @throws IllegalArgumentException if there is no source, or if there are several sources with {@code SYNC}
     */
    Copy copy(List<Location> sources, Location target, CopyOptions options);

    /** Creates a copy of one source, as {@link #copy(List, Location, CopyOptions)} does. */
    default Copy copy(Location source, Location target, CopyOptions options) {
        return copy(List.of(source), target, options);
    }

    /**
     * Creates a copy of a stream into one file. The file appears under its name when the stream has ended. Only the
     * options {@code FORCE} and {@code VERIFY} and the limit of the rate apply. The thread that runs the copy reads the
     * stream, and does not close it. This copy cannot be {@linkplain Copy#rehearse rehearsed}.
     *
     * @param in the stream, which is read once; if the target's mount is replaced and octets are needed again, the copy
     *     fails
     * @param target the file to write
     * @param options the options of the copy
     * @return the copy, which has not started
     */
    Copy copy(InputStream in, Location target, CopyOptions options);

    /**
     * Compares two directories, and changes nothing. With {@code CHECKSUM}, files are compared by the SHA-256 of their
     * contents. Otherwise they are compared by size and time of modification. With {@code HARD_LINKS}, names that are
     * hard links to one file in the source must be hard links to one file in the target. The name filter applies.
     * Blocks the calling thread. An interrupt stops the comparison.
     *
     * @param source the first directory
     * @param target the second directory
     * @param options the options, of which {@code CHECKSUM}, {@code HARD_LINKS} and the filter apply
     * @return the differences
     * @throws IOException if one of the two directories cannot be read at all
     * @throws InterruptedException if the calling thread was interrupted
     */
    Check check(Location source, Location target, CopyOptions options) throws IOException, InterruptedException;

    /**
     * Writes the contents of files to a stream, one after the other, on the calling thread. The stream is not closed.
     *
     * @param files the files to read
     * @param out the stream to write to
     * @param options the options, of which only the limit of the rate applies
     * @throws IOException if a file cannot be read or the stream cannot be written
     * @throws InterruptedException if the calling thread was interrupted
     */
    void read(List<Location> files, OutputStream out, CopyOptions options) throws IOException, InterruptedException;

    /**
     * Returns the SHA-256 of a file's content. Blocks the calling thread.
     *
     * @return the digest in hexadecimal
     * @throws IOException if the file cannot be read
     * @throws InterruptedException if the calling thread was interrupted
     */
    String sha256(Location file) throws IOException, InterruptedException;
}
