package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.node.Node;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Attributes as the kernel takes them: {@code fuse_attr}, {@code fuse_entry_out} and {@code fuse_attr_out}. Thread
 * safe.
 */
final class AttributeCodec {
    private static final int NOBODY = 65_534;
    private static final int SECTOR = 512;

    private final long validSeconds;

    /** The file system of the server that was told first: that of the root. */
    private final AtomicReference<FileSystem> first = new AtomicReference<>();

    private record FileSystem(long major, long minor) {
        static FileSystem of(FileAttributes attributes) {
            return new FileSystem(attributes.fileSystemMajor(), attributes.fileSystemMinor());
        }
    }

    /** @param valid how long the kernel may use names and attributes without asking */
    AttributeCodec(Duration valid) {
        this.validSeconds = valid.toSeconds();
    }

    static int typeBits(FileType type) {
        return switch (type) {
            case REGULAR -> Protocol.S_IFREG;
            case DIRECTORY -> Protocol.S_IFDIR;
            case SYMBOLIC_LINK -> Protocol.S_IFLNK;
            case BLOCK_DEVICE -> Protocol.S_IFBLK;
            case CHARACTER_DEVICE -> Protocol.S_IFCHR;
            case SOCKET -> Protocol.S_IFSOCK;
            case FIFO, OTHER -> Protocol.S_IFIFO;
        };
    }

    /** An id of the server: its number; where it has sent a name, that of root or of nobody. */
    static int id(String name) {
        if (!name.isEmpty() && name.length() <= 10 && name.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return (int) Long.parseLong(name);
        }
        return name.startsWith("root@") ? 0 : NOBODY;
    }

    /** The numbers of a device file as one: the low eight bits are of the minor one, the next twelve of the major. */
    private static int deviceNumber(int major, int minor) {
        return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xff) << 12;
    }

    /**
     * The inode number that programs see. The mount is one device to them, and the export may hold several file systems
     * whose numbers are the same: a program would take a directory for one above it, and two files for one. So numbers
     * of other file systems than the first are spread over all 64 bits.
     */
    long inode(FileAttributes of) {
        FileSystem fileSystem = FileSystem.of(of);
        FileSystem before = first.compareAndExchange(null, fileSystem);
        return before == null || before.equals(fileSystem) ? of.fileId() : of.fileId() ^ spread(fileSystem);
    }

    /** SplitMix64 of both numbers. */
    private static long spread(FileSystem of) {
        long mixed = (of.major() * 31 + of.minor() + 1) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    /** Puts {@code fuse_attr}, 88 octets. */
    private Reply put(Reply reply, Node node, FileAttributes of) {
        long inode = inode(of);
        node.numbered(inode);
        Instant accessed = of.accessed();
        Instant modified = of.modified();
        Instant changed = of.changed();
        return reply.u64(inode)
                .u64(of.size())
                .u64((of.spaceUsed() + SECTOR - 1) / SECTOR)
                .u64(accessed.getEpochSecond())
                .u64(modified.getEpochSecond())
                .u64(changed.getEpochSecond())
                .u32(accessed.getNano())
                .u32(modified.getNano())
                .u32(changed.getNano())
                .u32(typeBits(of.type()) | of.mode())
                .u32(of.linkCount())
                .u32(id(of.owner()))
                .u32(id(of.group()))
                .u32(deviceNumber(of.deviceMajor(), of.deviceMinor()))
                .u32(0)
                .u32(0);
    }

    /** Puts {@code fuse_entry_out} of a node. */
    Reply putEntry(Reply reply, Node node, FileAttributes of) {
        return put(
                reply.u64(node.id()).u64(0).u64(validSeconds).u64(validSeconds).u64(0), node, of);
    }

    /** Puts a {@code fuse_entry_out} without a node: there is no such name, or it was not looked up. */
    Reply putNoEntry(Reply reply, boolean isAbsent) {
        return reply.u64(0).u64(0).u64(isAbsent ? validSeconds : 0).zeros(Protocol.ENTRY_OUT - 24);
    }

    /** Puts {@code fuse_attr_out} of a node. */
    Reply putAttributes(Reply reply, Node node, FileAttributes of) {
        return put(reply.u64(validSeconds).u64(0), node, of);
    }

    /** Whether the kernel may keep pages of a file between two opens of the same version. */
    boolean mayKeepPages() {
        return validSeconds > 0;
    }

    /** A time of the kernel, or the nearest that {@link Instant} can hold. */
    static Instant time(long seconds, int nanos) {
        long held = Math.max(Instant.MIN.getEpochSecond(), Math.min(Instant.MAX.getEpochSecond(), seconds));
        return Instant.ofEpochSecond(held, Integer.toUnsignedLong(nanos));
    }
}
