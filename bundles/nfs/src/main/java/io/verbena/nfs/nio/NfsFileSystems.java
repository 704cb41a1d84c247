package io.verbena.nfs.nio;

import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.NfsFileSystemProvider;
import java.nio.file.FileSystem;

/**
 * File systems over mounts. Most users need no more than java.nio itself:
 *
 * <ul>
 *   <li>On a plain class path {@code FileSystems.newFileSystem(URI.create("nfs+rdma://server/export?rsize=1048576"),
 *       Map.of())} mounts, and {@code close} unmounts. Options are those of {@link io.verbena.nfs.MountOptions}, in the
 *       query, separated by ampersands or commas, or in the map. {@code Path.of(URI)} finds the file system that a URI
 *       lies in; where there is none it mounts the root of the server, which stays mounted until that file system is
 *       closed.
 *   <li>In OSGi the service {@link java.nio.file.spi.FileSystemProvider} with the property {@code scheme=nfs+rdma} does
 *       the same; its {@code getFileSystem(URI.create("nfs+rdma:work"))} is over the Mount service named {@code work},
 *       and goes on over the next one of that name where it is replaced: open files too, but for those with locks.
 * </ul>
 */
public final class NfsFileSystems {
    /** Key of the map of {@code newFileSystem}: milliseconds from one look of a WatchService to the next, a Number. */
    public static final String WATCH_MILLIS = "watchMillis";

    /**
     * Key of the map of {@code newFileSystem}: the longest range in octets that {@code FileChannel.map} answers, by a copy
     * in a file of this host's; a Number, 1 GiB where it is not given.
     */
    public static final String MAX_MAP_BYTES = "maxMapBytes";

    private NfsFileSystems() {}

    /**
     * A file system over a mount, which stays the caller's: to close the file system does not unmount. Where the mount is
     * replaced everything fails with {@link io.verbena.nfs.MountReplacedException}.
     */
    public static FileSystem of(Mount mount) {
        return new NfsFileSystemProvider().over(mount);
    }
}
