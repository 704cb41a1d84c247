package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenFile;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.node.Node;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;

/** The operations on attributes: GETATTR, SETATTR, STATFS and ACCESS. Thread safe. */
final class AttributeOperations {
    private static final int ATTR_OUT = 104;
    private static final int STATFS_OUT = 80;
    private static final int BLOCK = 4096;
    private static final int LONGEST_NAME = 255;
    private static final int MODE_BITS = 07777;

    private final FileSystemContext context;

    AttributeOperations(FileSystemContext context) {
        this.context = context;
    }

    Reply get(Request request) throws IOException, InterruptedException {
        Node node = context.nodes().get(request.node());
        return reply(node, of(node));
    }

    private Reply reply(Node node, FileAttributes attributes) {
        node.seen(attributes);
        return context.attributes().putAttributes(new Reply(ATTR_OUT), node, attributes);
    }

    /** The attributes of a node, behind its writes; also of a file that is open and has no name. */
    FileAttributes of(Node node) throws IOException, InterruptedException {
        Optional<FileAttributes> found = byOpen(node, RemoteFile::attributes);
        return found.isPresent()
                ? found.get()
                : context.atPath(node, path -> context.behindWrites(node, mount -> checked(mount, path, node)));
    }

    /** Makes a call behind the writes, by one of the opens of a node; empty where there is none that works. */
    private <T> Optional<T> byOpen(Node node, OpenFile.Call<T> call) throws IOException, InterruptedException {
        NodeFile shared = context.files().shared(node);
        return shared == null
                ? Optional.empty()
                : shared.byAny(
                        open -> true, context::leave, open -> shared.consistently(context.runtime(), open, call));
    }

    private static FileAttributes checked(Mount mount, String path, Node node) throws IOException {
        FileAttributes found = mount.attributes(path, false);
        if (!node.is(found)) {
            throw new Errno.Failure(Errno.ESTALE);
        }
        return found;
    }

    Reply set(Request request) throws IOException, InterruptedException {
        Node node = context.nodes().get(request.node());
        int valid = request.u32();
        request.skip(4);
        long handle = request.u64();
        long size = request.u64();
        request.skip(8);
        long accessed = request.u64();
        long modified = request.u64();
        request.skip(8);
        int accessedNanos = request.u32();
        int modifiedNanos = request.u32();
        request.skip(4);
        int mode = request.u32();
        request.skip(4);
        int uid = request.u32();
        int gid = request.u32();

        AttributeChanges changes = AttributeChanges.NONE;
        if ((valid & Protocol.FATTR_MODE) != 0) {
            changes = changes.withMode(mode & MODE_BITS);
        }
        if ((valid & Protocol.FATTR_UID) != 0) {
            changes = changes.withOwner(Integer.toUnsignedString(uid));
        }
        if ((valid & Protocol.FATTR_GID) != 0) {
            changes = changes.withGroup(Integer.toUnsignedString(gid));
        }
        boolean setsAccessed = (valid & (Protocol.FATTR_ATIME | Protocol.FATTR_ATIME_NOW)) != 0;
        boolean setsModified = (valid & (Protocol.FATTR_MTIME | Protocol.FATTR_MTIME_NOW)) != 0;
        changes = changes.withTimes(
                setsAccessed ? AttributeCodec.time(accessed, accessedNanos) : null,
                setsModified ? AttributeCodec.time(modified, modifiedNanos) : null);
        if ((valid & Protocol.FATTR_SIZE) != 0) {
            resize(node, (valid & Protocol.FATTR_FH) != 0 ? context.files().file(handle) : null, size);
        }
        FileAttributes result = changes.equals(AttributeChanges.NONE) ? of(node) : change(node, changes);
        return reply(node, result);
    }

    private void resize(Node node, OpenFile by, long size) throws IOException, InterruptedException {
        NodeFile shared = context.files().shared(node);
        if (shared != null) {
            shared.awaitWrites(context.runtime());
        }
        boolean done;
        if (by != null) {
            done = by.call(file -> {
                if (shared != null) {
                    shared.requireLocks(by); // each time: a replacement of the mount takes them away
                }
                file.truncate(size);
                return true;
            });
        } else {
            done = shared != null
                    && shared.byAny(OpenFile::isWritable, context::leave, open -> resized(open, size))
                            .isPresent();
        }
        if (!done) {
            boolean unused =
                    context.atPath(node, path -> context.mount().call(mount -> resized(mount, path, node, size)));
        }
    }

    private static boolean resized(OpenFile by, long size) throws IOException {
        return by.call(file -> {
            file.truncate(size);
            return true;
        });
    }

    /** Opens the file, so that no other one can take its place between the look at it and the change. */
    private static boolean resized(Mount mount, String path, Node node, long size) throws IOException {
        try (RemoteFile file = mount.open(path, Set.of(StandardOpenOption.WRITE), 0)) {
            if (!node.is(file.attributes())) {
                throw new Errno.Failure(Errno.ESTALE);
            }
            file.truncate(size);
            return true;
        }
    }

    /** Changes what is open, whatever its path leads to by now, and else what the path leads to, if it is the node. */
    private FileAttributes change(Node node, AttributeChanges changes) throws IOException, InterruptedException {
        // behind the writes: one that is done later would set the times
        Optional<FileAttributes> changed = byOpen(node, file -> file.setAttributes(changes));
        return changed.isPresent()
                ? changed.get()
                : context.atPath(
                        node,
                        path -> context.behindWrites(node, mount -> {
                            FileAttributes unused = checked(mount, path, node);
                            return node.fileKey() == null
                                    ? mount.setAttributes(path, changes, false)
                                    : mount.setAttributes(path, node.fileKey(), changes);
                        }));
    }

    /** The space of the file system of the node; the export may hold several. */
    Reply status(Request request) throws IOException, InterruptedException {
        Node node = context.nodes().get(request.node());
        boolean isNamed = context.nodes().pathOrNull(node) != null;
        FileSystemStatus status =
                context.atPath(isNamed ? node : context.nodes().root(), path -> context.mount()
                        .call(mount -> mount.fileSystemStatus(path)));
        return new Reply(STATFS_OUT)
                .u64(status.totalBytes() / BLOCK)
                .u64(status.freeBytes() / BLOCK)
                .u64(status.availableBytes() / BLOCK)
                .u64(status.totalFiles())
                .u64(status.freeFiles())
                .u32(BLOCK)
                .u32(LONGEST_NAME)
                .u32(BLOCK)
                .zeros(4 + 24);
    }

    Reply access(Request request) throws IOException, InterruptedException {
        Node node = context.nodes().get(request.node());
        int mask = request.u32();
        return context.atPath(node, path -> {
            boolean allowed = context.mount()
                    .call(mount -> mount.mayAccess(path, (mask & 4) != 0, (mask & 2) != 0, (mask & 1) != 0));
            if (!allowed) {
                throw new Errno.Failure(Errno.EACCES);
            }
            return Reply.empty();
        });
    }
}
