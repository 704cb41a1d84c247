package io.verbena.hadoop.internal.tree;

import io.verbena.hadoop.internal.mount.Names;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** Attributes of a server as statuses of Hadoop. Immutable. */
public final class Statuses {
    /** The most locations of one answer: of a larger file, each one stands for more octets. */
    static final int MAX_LOCATIONS = 65_536;

    private static final int PERMISSIONS = 0_1777;

    private final URI root;
    private final long blockSize;
    private final String[] hosts;
    private final UnaryOperator<String> users;

    /**
     * @param root of the file system, by which paths are qualified
     * @param blockSize in octets
     * @param hosts the names of the servers, which have every block
     * @param users has the name of an owner that the server gives
     */
    public Statuses(URI root, long blockSize, String[] hosts, UnaryOperator<String> users) {
        this.root = root;
        this.blockSize = blockSize;
        this.hosts = hosts.clone();
        this.users = users;
    }

    /** The path of a name in a directory. Unlike {@code new Path(directory, name)}, takes names with colons. */
    Path child(Path directory, String name) {
        String parent = directory.toUri().getPath();
        return new Path(
                root.getScheme(), root.getAuthority(), parent.endsWith("/") ? parent + name : parent + "/" + name);
    }

    /** The status of an object. */
    public FileStatus of(Path path, FileAttributes attributes) throws IOException {
        return of(path, attributes, null);
    }

    /**
     * @param target of a symbolic link that leads nowhere; null for all other objects
     */
    FileStatus of(Path path, FileAttributes attributes, Path target) throws IOException {
        FileStatus status = new FileStatus(
                attributes.isDirectory() ? 0 : attributes.size(),
                attributes.isDirectory(),
                attributes.isDirectory() ? 0 : 1,
                attributes.isDirectory() ? 0 : blockSize,
                millis(attributes.modified()),
                millis(attributes.accessed()),
                permission(attributes),
                users.apply(attributes.owner()),
                Names.group(attributes.group()),
                target,
                path);
        return new RemoteStatus(
                status, Long.toHexString(attributes.fileId()) + "-" + Long.toHexString(attributes.change()));
    }

    /** Milliseconds since 1970, or the nearest number: anybody may give a file a time that is beyond. */
    private static long millis(Instant time) {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException e) {
            return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    private static FsPermission permission(FileAttributes attributes) {
        return new FsPermission((short) (attributes.mode() & PERMISSIONS));
    }

    /** A status with the locations of all of its blocks. */
    public LocatedFileStatus located(FileStatus status) {
        return new LocatedStatus(
                status, status.isFile() ? locations(status.getLen(), 0, status.getLen()) : new BlockLocation[0]);
    }

    /** The places of a range of a file: every server has every block. */
    public BlockLocation[] locations(long size, long start, long length) {
        if (length <= 0 || start >= size) {
            return new BlockLocation[0];
        }
        long end = length > size - start ? size : start + length;
        long unit = blockSize;
        while ((end - start) / unit >= MAX_LOCATIONS) {
            unit *= 2;
        }
        long first = start / unit;
        BlockLocation[] locations = new BlockLocation[(int) ((end - 1) / unit - first + 1)];
        for (int i = 0; i < locations.length; i++) {
            long offset = (first + i) * unit;
            locations[i] = new BlockLocation(hosts, hosts, offset, Math.min(unit, size - offset));
        }
        return locations;
    }
}
