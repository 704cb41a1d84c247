package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenDirectory;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import io.verbena.fuse.internal.node.Node;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.NfsException;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The operations on open directories: OPENDIR, READDIR, READDIRPLUS and RELEASEDIR. Thread safe. */
final class DirectoryOperations {
    private static final int OPEN_OUT = 16;
    /** The entries {@code .} and {@code ..}, which come first. */
    private static final int DOTS = 2;

    private final FileSystemContext context;
    private final AttributeOperations attributes;

    DirectoryOperations(FileSystemContext context, AttributeOperations attributes) {
        this.context = context;
        this.attributes = attributes;
    }

    /**
     * Opens the directory that the kernel means. Where another one has its name, the kernel looks that up again
     * (ESTALE), which it does not for a listing.
     */
    Reply open(Request request) throws IOException, InterruptedException {
        Node node = context.nodes().get(request.node());
        FileAttributes unused = attributes.of(node);
        long handle = context.files().add(new OpenDirectory(context.mount(), context.nodes(), node));
        return new Reply(OPEN_OUT).u64(handle).u64(0);
    }

    Reply release(Request request) {
        boolean unused = context.files().remove(request.u64());
        return Reply.empty();
    }

    Reply read(Request request, boolean plus) throws IOException, InterruptedException {
        OpenDirectory directory = context.files().directory(request.u64());
        long from = request.u64();
        int size = Math.min(request.u32(), Kernel.MAX_TRANSFER);
        Reply reply = new Reply(size);
        List<Node> found = new ArrayList<>();
        boolean done = false;
        try {
            Reply whole = context.withPaths(() -> putFrom(from, reply, directory, plus, found));
            done = true;
            return whole;
        } catch (NfsException e) {
            if (Errno.of(e) == Errno.ESTALE) { // the next open asks for it, and has the name looked up again
                context.device().invalidateAttributes(directory.node().id());
            }
            throw e;
        } finally {
            if (!done) { // the kernel does not get to know of them, and so would never forget them
                found.forEach(each -> context.nodes().forget(each.id(), 1));
            }
        }
    }

    /** @param found receives the nodes of which the reply tells */
    private Reply putFrom(long from, Reply reply, OpenDirectory directory, boolean plus, List<Node> found)
            throws IOException, InterruptedException {
        long offset = from;
        while (offset < DOTS && putDots(reply, directory.node(), offset, plus)) {
            offset++;
        }
        if (offset < DOTS) {
            return reply;
        }
        OpenDirectory.Listed entry = directory.at(offset - DOTS, from == 0);
        while (entry != null && put(reply, directory.node(), entry, offset + 1, plus, found)) {
            offset++;
            entry = directory.at(offset - DOTS, false);
        }
        return reply;
    }

    private boolean putDots(Reply reply, Node directory, long offset, boolean plus)
            throws IOException, InterruptedException {
        byte[] name = {'.', '.'};
        int length = offset == 0 ? 1 : 2;
        if (reply.room() < size(length, plus)) {
            return false;
        }
        if (plus) {
            context.attributes().putNoEntry(reply, false);
        }
        long inode = inode(offset == 0 ? directory : context.nodes().above(directory));
        putEntry(reply, inode, offset + 1, Protocol.S_IFDIR, name, length);
        return true;
    }

    /** The inode number of a directory, as stat(2) tells it. That of the root may not have been told yet. */
    private long inode(Node directory) throws IOException, InterruptedException {
        long told = directory.inode();
        return told != 0 ? told : context.attributes().inode(attributes.of(directory));
    }

    private boolean put(
            Reply reply, Node directory, OpenDirectory.Listed listed, long next, boolean plus, List<Node> found) {
        DirectoryEntry entry = listed.entry();
        byte[] name = OctetText.encode(entry.name());
        if (reply.room() < size(name.length, plus)) {
            return false;
        }
        FileAttributes attributes = entry.attributes();
        boolean isKnown = entry.failure().isEmpty() && !attributes.equals(DirectoryEntry.NO_ATTRIBUTES);
        if (plus && isKnown && listed.isFresh().getAsBoolean() && !isWritten(directory, entry.name())) {
            Node node = context.nodes().found(directory, entry.name(), attributes);
            found.add(node);
            context.attributes().putEntry(reply, node, attributes);
        } else if (plus) {
            context.attributes().putNoEntry(reply, false);
        }
        int type = isKnown ? AttributeCodec.typeBits(attributes.type()) : 0;
        putEntry(reply, isKnown ? context.attributes().inode(attributes) : -1, next, type, name, name.length);
        return true;
    }

    /** Whether the listing may not have seen all that was written to a file. */
    private boolean isWritten(Node directory, String name) {
        Node known = context.nodes().at(directory, name);
        NodeFile shared = known == null ? null : context.files().shared(known);
        return shared != null && shared.hasWrites();
    }

    private static int size(int nameLength, boolean plus) {
        return (plus ? Protocol.ENTRY_OUT : 0) + Protocol.DIRENT + (nameLength + 7 & ~7);
    }

    /** Puts {@code fuse_dirent}. */
    private static void putEntry(Reply reply, long inode, long next, int typeBits, byte[] name, int length) {
        reply.u64(inode).u64(next).u32(length).u32(typeBits >> 12);
        reply.octets(length == name.length ? name : Arrays.copyOf(name, length));
        reply.zeros((length + 7 & ~7) - length);
    }
}
