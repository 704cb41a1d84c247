package io.verbena.simulation.disk;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.FileStatus;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What is on a disk at the moment of each call, for whoever judges it: without delay, fault or count. A path is names
 * with slashes between them, in the text of {@link OctetText}; the root is the empty path.
 */
public final class DiskView {
    private final Inode root;
    private final boolean isStable;
    private final long device;

    DiskView(Inode root, boolean isStable, long device) {
        this.root = root;
        this.isStable = isStable;
        this.device = device;
    }

    /** The status of an object, or null where there is none of that path. */
    public FileStatus status(String path) {
        Inode found = find(path);
        return found == null ? null : status(found);
    }

    /**
     * The content of a regular file.
     *
     * @throws java.nio.file.NoSuchFileException where there is no regular file of that path
     */
    public byte[] read(String path) throws IOException {
        Inode found = find(path);
        if (found == null || found.content == null) {
            throw Failures.of(Errno.ENOENT, path);
        }
        return isStable ? found.content.stableOctets() : found.content.octets();
    }

    /**
     * The target of a symbolic link.
     *
     * @throws java.nio.file.NoSuchFileException where there is no symbolic link of that path
     */
    public byte[] readLink(String path) throws IOException {
        Inode found = find(path);
        if (found == null || found.text == null) {
            throw Failures.of(Errno.ENOENT, path);
        }
        return found.text.clone();
    }

    /** All objects, each under each of its names: a directory before what is in it, names in the disk's order. */
    public List<DiskEntry> list() {
        List<DiskEntry> all = new ArrayList<>();
        walk("", root, (path, inode) -> all.add(new DiskEntry(path, status(inode))));
        return all;
    }

    /** A hash of names, attributes and content: the same on each machine and in each run. */
    public long hash() {
        StateHash hash = new StateHash();
        hash(hash);
        return hash.value();
    }

    void hash(StateHash hash) {
        walk("", root, (path, inode) -> {
            FileStatus status = status(inode);
            hash.add(OctetText.encode(path)).add(status.ino()).add(status.mode());
            hash.add(status.linkCount()).add(status.uid()).add(status.gid()).add(status.size());
            hash.add(nanos(status.accessed())).add(nanos(status.modified()));
            hash.add(nanos(status.changed())).add(nanos(status.created()));
            if (inode.content != null) {
                inode.content.hash(hash, isStable);
            } else if (inode.text != null) {
                hash.add(inode.text);
            }
        });
    }

    private static long nanos(FileTime time) {
        return time.to(TimeUnit.NANOSECONDS);
    }

    private FileStatus status(Inode inode) {
        return isStable ? inode.stableStatus(device) : inode.status(device);
    }

    private Map<Name, Inode> entries(Inode directory) {
        return isStable ? directory.stableEntries : directory.entries;
    }

    private Inode find(String path) {
        Inode at = root;
        if (path.isEmpty()) {
            return at;
        }
        for (String name : path.split("/", -1)) {
            at = at == null || !at.isDirectory() ? null : entries(at).get(Name.of(OctetText.encode(name)));
        }
        return at;
    }

    @FunctionalInterface
    private interface Visitor {
        void visit(String path, Inode inode);
    }

    private void walk(String path, Inode inode, Visitor visitor) {
        visitor.visit(path, inode);
        if (inode.isDirectory()) {
            String before = path.isEmpty() ? "" : path + '/';
            for (Map.Entry<Name, Inode> entry : entries(inode).entrySet()) {
                walk(before + OctetText.decode(entry.getKey().octets()), entry.getValue(), visitor);
            }
        }
    }
}
