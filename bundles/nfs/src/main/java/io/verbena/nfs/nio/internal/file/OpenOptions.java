package io.verbena.nfs.nio.internal.file;

import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * How a channel is opened.
 *
 * @param first for the first OPEN of the file
 * @param again for an OPEN on the next mount: these make and truncate nothing
 */
public record OpenOptions(
        boolean read,
        boolean write,
        boolean append,
        boolean follows,
        boolean deleteOnClose,
        Set<StandardOpenOption> first,
        Set<StandardOpenOption> again) {
    /** Reads the options, and throws for those that java.nio requires to be refused. */
    public static OpenOptions of(Set<? extends OpenOption> options) {
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
        return new OpenOptions(read, write, append, follows, deleteOnClose, first, again);
    }

    /** Whether the first OPEN truncates a file that is there. */
    boolean truncates() {
        return write && first.contains(StandardOpenOption.TRUNCATE_EXISTING);
    }

    public boolean isSync() {
        return again.contains(StandardOpenOption.SYNC) || again.contains(StandardOpenOption.DSYNC);
    }

    public void requireRead() {
        if (!read) {
            throw new NonReadableChannelException();
        }
    }

    public void requireWrite() {
        if (!write) {
            throw new NonWritableChannelException();
        }
    }
}
