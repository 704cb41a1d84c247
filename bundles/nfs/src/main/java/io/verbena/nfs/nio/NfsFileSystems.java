package io.verbena.nfs.nio;

import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.NfsFileSystemProvider;
import java.nio.file.FileSystem;

/**
 * File systems over mounts. Most users need only java.nio itself:
 *
 * <ul>
 *   <li>On a plain class path {@code FileSystems.newFileSystem(URI.create("nfs+rdma://server/export?rsize=1048576"),
 *       Map.of())} mounts, and {@code close} unmounts. The options are those of {@link io.verbena.nfs.MountOptions}, in
 *       the query, separated by ampersands or commas, or in the map. {@code Path.of(URI)} finds the file system that
 *       contains the URI. If there is none, it mounts the root of the server, which stays mounted until that file
 *       system is closed.
 *   <li>In OSGi the service {@link java.nio.file.spi.FileSystemProvider} with the property {@code scheme=nfs+rdma} does
 *       the same. Its {@code getFileSystem(URI.create("nfs+rdma:work"))} uses the Mount service named {@code work}. If
 *       that service is replaced, the file system and its open files go on over the next service of that name, except
 *       files with locks.
 * </ul>
 */
public final class NfsFileSystems {
    /** Key of the map of {@code newFileSystem}: the milliseconds between two passes of a WatchService, a Number. */
    public static final String WATCH_MILLIS = "watchMillis";

    /**
     * Key of the map of {@code newFileSystem}: the longest range in octets that {@code FileChannel.map} maps, as a copy
     * in a file of this host; a Number, 1 GiB by default.
     */
    public static final String MAX_MAP_BYTES = "maxMapBytes";

    private NfsFileSystems() {}

    /**
     * A file system over a mount that remains the caller's: closing the file system does not unmount. When the mount is
     * replaced, all operations fail with {@link io.verbena.nfs.MountReplacedException}.
     */
    public static FileSystem of(Mount mount) {
        return new NfsFileSystemProvider().over(mount);
    }
}
