package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.mount.NameChanges;
import io.verbena.fuse.internal.node.Node;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.CreateVerifier;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.function.Predicate;

/** The operations on names: LOOKUP, MKDIR, SYMLINK, MKNOD, LINK, READLINK, UNLINK, RMDIR and RENAME. Thread safe. */
final class NameOperations {
    private static final int MODE_BITS = 07777;

    private final FileSystemContext context;
    private final NameChanges changes;

    NameOperations(FileSystemContext context) {
        this.context = context;
        this.changes = new NameChanges(context.mount());
    }

    Reply lookUp(Request request) throws IOException, InterruptedException {
        Node directory = context.nodes().get(request.node());
        String name = request.name();
        return context.withPaths(() -> {
            String path = context.nodes().path(directory, name);
            try {
                Node known = context.nodes().at(directory, name);
                FileAttributes found =
                        context.behindWrites(known, mount -> mount.attributes(path, directory.fileKey()));
                return entry(directory, name, found);
            } catch (NoSuchFileException e) {
                context.nodes().removed(directory, name);
                if (context.nodes().pathOrNull(directory) == null) {
                    throw e;
                }
                return context.attributes().putNoEntry(new Reply(Protocol.ENTRY_OUT), true);
            }
        });
    }

    private Reply entry(Node directory, String name, FileAttributes found) {
        Node node = context.nodes().found(directory, name, found);
        return context.attributes().putEntry(new Reply(Protocol.ENTRY_OUT), node, found);
    }

    Reply makeDirectory(Request request) throws IOException, InterruptedException {
        int mode = request.u32() & MODE_BITS;
        request.skip(4);
        String name = request.name();
        return make(request, name, (path, directory) -> changes.createDirectory(path, directory, mode));
    }

    Reply makeSymbolicLink(Request request) throws IOException, InterruptedException {
        String name = request.name();
        String target = request.name();
        return make(request, name, (path, directory) -> changes.createSymbolicLink(path, directory, target));
    }

    Reply makeNode(Request request) throws IOException, InterruptedException {
        int mode = request.u32();
        int device = request.u32();
        request.skip(8);
        String name = request.name();
        if ((mode & Protocol.S_IFMT) != Protocol.S_IFREG) {
            return makeSpecial(request, name, mode, device);
        }
        Node directory = context.nodes().get(request.node());
        int permissions = mode & MODE_BITS;
        int firstMode = context.identity().firstMode(request, permissions);
        CreateVerifier verifier = new CreateVerifier(context.runtime().random().nextLong());
        return context.withPaths(() -> {
            String path = context.nodes().path(directory, name);
            RemoteFile made = context.mount()
                    .call(mount -> mount.open(
                            path, directory.fileKey(), Set.of(StandardOpenOption.WRITE, verifier), firstMode));
            try {
                return entry(directory, name, given(request, directory, name, path, made, permissions));
            } finally {
                FileOperations.closeQuietly(made);
            }
        });
    }

    private Reply makeSpecial(Request request, String name, int mode, int device)
            throws IOException, InterruptedException {
        FileType type =
                switch (mode & Protocol.S_IFMT) {
                    case Protocol.S_IFIFO -> FileType.FIFO;
                    case Protocol.S_IFSOCK -> FileType.SOCKET;
                    case Protocol.S_IFCHR -> FileType.CHARACTER_DEVICE;
                    case Protocol.S_IFBLK -> FileType.BLOCK_DEVICE;
                    default -> throw new Errno.Failure(Errno.EINVAL);
                };
        int major = device >>> 8 & 0xfff;
        int minor = (device & 0xff) | (device >>> 12 & 0xfff00);
        return make(
                request,
                name,
                (path, directory) -> changes.createSpecial(path, directory, type, mode & MODE_BITS, major, minor));
    }

    private interface Making {
        void at(String path, FileKey directory) throws IOException;
    }

    private Reply make(Request request, String name, Making making) throws IOException, InterruptedException {
        Node directory = context.nodes().get(request.node());
        return context.withPaths(() -> {
            String path = context.nodes().path(directory, name);
            making.at(path, directory.fileKey());
            return entry(directory, name, given(request, directory, name, path));
        });
    }

    /** The attributes of a new object, which is given to who asked for it. */
    private FileAttributes given(Request request, Node directory, String name, String path)
            throws IOException, InterruptedException {
        Node known = context.nodes().at(directory, name);
        FileAttributes made = context.behindWrites(known, mount -> mount.attributes(path, directory.fileKey()));
        AttributeChanges gift = context.identity().gift(request, directory, made);
        return gift == null ? made : context.mount().call(mount -> mount.setAttributes(path, FileKey.of(made), gift));
    }

    /**
     * The attributes of the new file, which is given to who asked for it, and not what its name leads to by now.
     *
     * @param mode the mode that was asked for
     */
    FileAttributes given(Request request, Node directory, String name, String path, RemoteFile file, int mode)
            throws IOException, InterruptedException {
        try {
            FileAttributes made = file.attributes();
            AttributeChanges gift = context.identity().gift(request, directory, made);
            FileAttributes given = gift == null ? made : file.setAttributes(gift);
            AttributeChanges setId = context.identity().setId(request, mode, given);
            return setId == null ? given : file.setAttributes(setId);
        } catch (MountReplacedException e) {
            return given(request, directory, name, path); // without set-id bits, as another file may be there by now
        }
    }

    Reply readLink(Request request) throws IOException, InterruptedException {
        Node node = context.nodes().get(request.node());
        return context.atPath(node, path -> {
            byte[] target = OctetText.encode(context.mount().call(mount -> mount.readLink(path)));
            return new Reply(target.length).octets(target);
        });
    }

    Reply link(Request request) throws IOException, InterruptedException {
        Node existing = context.nodes().get(request.u64());
        Node directory = context.nodes().get(request.node());
        String name = request.name();
        return context.atPath(existing, from -> {
            String path = context.nodes().path(directory, name);
            FileKey source = context.nodes().above(existing).fileKey();
            changes.createLink(path, directory.fileKey(), from, source, existing::is);
            FileAttributes linked =
                    context.behindWrites(existing, mount -> mount.attributes(path, directory.fileKey()));
            return entry(directory, name, linked);
        });
    }

    Reply remove(Request request) throws IOException, InterruptedException {
        Node directory = context.nodes().get(request.node());
        String name = request.name();
        return context.withPaths(() -> {
            String path = context.nodes().path(directory, name);
            changes.remove(path, directory.fileKey(), isKnown(directory, name));
            context.nodes().removed(directory, name);
            return Reply.empty();
        });
    }

    /** Whether an object is the one that has a name, as far as the kernel knows. */
    private Predicate<FileAttributes> isKnown(Node directory, String name) {
        Node known = context.nodes().at(directory, name);
        return object -> known == null || known.is(object);
    }

    /** As Linux's NFS client, knows no flags: NFSv4.1 has none. */
    Reply rename(Request request, boolean hasFlags) throws IOException, InterruptedException {
        Node directory = context.nodes().get(request.node());
        Node target = context.nodes().get(request.u64());
        int flags = hasFlags ? request.u32() : 0;
        if (hasFlags) {
            request.skip(4);
        }
        if (flags != 0) {
            throw new Errno.Failure(Errno.EINVAL);
        }
        String name = request.name();
        String newName = request.name();
        return context.changingPaths(() -> {
            String from = context.nodes().path(directory, name);
            String to = context.nodes().path(target, newName);
            changes.rename(from, directory.fileKey(), to, target.fileKey(), isKnown(directory, name));
            context.nodes().renamed(directory, name, target, newName);
            return Reply.empty();
        });
    }
}
