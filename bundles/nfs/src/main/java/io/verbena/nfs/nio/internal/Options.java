package io.verbena.nfs.nio.internal;

import java.nio.ByteBuffer;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.CopyOption;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** Reads the options that java.nio's methods take, and refuses what they must. */
final class Options {
    private Options() {}

    /** Whether symbolic links are followed. */
    static boolean follows(LinkOption... options) {
        boolean follows = true;
        for (LinkOption option : options) {
            Objects.requireNonNull(option);
            follows = false; // there is but one
        }
        return follows;
    }

    /** How a channel is opened. */
    record Open(
            boolean read,
            boolean write,
            boolean append,
            boolean follows,
            boolean deleteOnClose,
            Set<StandardOpenOption> first,
            Set<StandardOpenOption> again) {
        boolean isSync() {
            return again.contains(StandardOpenOption.SYNC) || again.contains(StandardOpenOption.DSYNC);
        }

        void requireRead() {
            if (!read) {
                throw new NonReadableChannelException();
            }
        }

        void requireWrite() {
            if (!write) {
                throw new NonWritableChannelException();
            }
        }
    }

    static Open open(Set<? extends OpenOption> options) {
        Set<OpenOption> all = new HashSet<>(options);
        boolean follows = !all.remove(LinkOption.NOFOLLOW_LINKS);
        EnumSet<StandardOpenOption> known = EnumSet.noneOf(StandardOpenOption.class);
        for (OpenOption option : all) {
            if (!(option instanceof StandardOpenOption standard)) {
                Objects.requireNonNull(option);
                // as Files.newByteChannel and FileChannel.open have it
                throw new UnsupportedOperationException("a remote file cannot be opened with " + option);
            }
            known.add(standard);
        }
        boolean append = known.contains(StandardOpenOption.APPEND);
        boolean write = append || known.contains(StandardOpenOption.WRITE);
        boolean read = known.contains(StandardOpenOption.READ) || !write;
        if (append
                && (known.contains(StandardOpenOption.READ) || known.contains(StandardOpenOption.TRUNCATE_EXISTING))) {
            throw new IllegalArgumentException("APPEND goes neither with READ nor with TRUNCATE_EXISTING");
        }
        boolean deleteOnClose = known.contains(StandardOpenOption.DELETE_ON_CLOSE);
        EnumSet<StandardOpenOption> first = EnumSet.copyOf(known);
        first.removeAll(EnumSet.of(StandardOpenOption.DELETE_ON_CLOSE, StandardOpenOption.SPARSE));
        if (read) {
            first.add(StandardOpenOption.READ);
        }
        if (write) {
            first.add(StandardOpenOption.WRITE);
        }
        EnumSet<StandardOpenOption> again = EnumSet.copyOf(first);
        again.removeAll(EnumSet.of(
                StandardOpenOption.CREATE, StandardOpenOption.CREATE_NEW, StandardOpenOption.TRUNCATE_EXISTING));
        return new Open(read, write, append, follows, deleteOnClose, first, again);
    }

    /** How something is copied or moved. */
    record Copy(boolean replaces, boolean copiesAttributes, boolean atomic, boolean follows) {}

    static Copy copy(CopyOption... options) {
        Set<CopyOption> all = new HashSet<>();
        for (CopyOption option : options) {
            if (!isInterruptible(Objects.requireNonNull(option))) { // a copy ends by an interrupt anyway
                all.add(option);
            }
        }
        Copy copy = new Copy(
                all.remove(StandardCopyOption.REPLACE_EXISTING),
                all.remove(StandardCopyOption.COPY_ATTRIBUTES),
                all.remove(StandardCopyOption.ATOMIC_MOVE),
                !all.remove(LinkOption.NOFOLLOW_LINKS));
        if (!all.isEmpty()) {
            // as Files.copy and Files.move have it
            throw new UnsupportedOperationException(
                    "a remote file cannot be copied with " + all.iterator().next());
        }
        return copy;
    }

    /** {@code com.sun.nio.file.ExtendedCopyOption.INTERRUPTIBLE}, which the JDK has for its own file systems. */
    private static boolean isInterruptible(CopyOption option) {
        return option instanceof Enum<?> known
                && known.name().equals("INTERRUPTIBLE")
                && known.getDeclaringClass().getName().equals("com.sun.nio.file.ExtendedCopyOption");
    }

    static void requirePosition(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position " + position + " is negative");
        }
    }

    static void requireFillable(ByteBuffer destination) {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
    }

    /** The mode of something new: permissions are all that can be given. */
    static int mode(int usual, FileAttribute<?>... attributes) {
        int mode = usual;
        for (FileAttribute<?> attribute : attributes) {
            if (!attribute.name().equals("posix:permissions")) {
                // as Files.createFile and its kin have it for what cannot be set in the same step
                throw new UnsupportedOperationException("'" + attribute.name() + "' cannot be set when a file is made");
            }
            mode = Modes.of(permissions(attribute.value()));
        }
        return mode;
    }

    static Set<PosixFilePermission> permissions(Object value) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (Object each : (Set<?>) value) {
            permissions.add((PosixFilePermission) Objects.requireNonNull(each));
        }
        return permissions;
    }
}
