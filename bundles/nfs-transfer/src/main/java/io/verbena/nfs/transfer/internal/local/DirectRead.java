package io.verbena.nfs.transfer.internal.local;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads past the page cache of the operating system. Java cannot ask for the positions of the holes of a file. A direct
 * read of a hole creates no pages in the page cache, and creating these pages takes most of the time of a usual read. A
 * direct read of a hole is about thirty times faster than a first read through the page cache. Some file systems do not
 * support direct reads.
 *
 * <p>Belongs to one thread at a time.
 */
final class DirectRead implements Closeable {
    /**
     * The unit of which positions, lengths and addresses are multiples. On a file system with a larger unit, the file
     * is read through the page cache.
     */
    static final int ALIGNMENT = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(DirectRead.class);
    private static final Optional<OpenOption> DIRECT = direct();

    private final LocalSource.Opening file;
    private FileChannel channel;
    private boolean isUseless = DIRECT.isEmpty();

    /** Creates a direct read of a file. */
    DirectRead(LocalSource.Opening file) {
        this.file = file;
    }

    /** Finds the option for direct reads at run time, because OSGi frameworks do not export its package. */
    private static Optional<OpenOption> direct() {
        try {
            Class<?> options = ClassLoader.getSystemClassLoader().loadClass("com.sun.nio.file.ExtendedOpenOption");
            for (Object option : options.getEnumConstants()) {
                if (option.toString().equals("DIRECT")) {
                    return Optional.of((OpenOption) option);
                }
            }
        } catch (ClassNotFoundException e) {
            LOG.debug("this Java has no direct reads", e);
        }
        return Optional.empty();
    }

    /**
     * Fills the buffer if a direct read is possible.
     *
     * @return whether the buffer is full; if false, only the content of the buffer may have changed, and not its
     *     position
     */
    boolean fill(ByteBuffer destination, long position) throws IOException {
        int start = destination.position();
        if (isUseless
                || !destination.isDirect()
                || position % ALIGNMENT != 0
                || destination.remaining() % ALIGNMENT != 0
                || destination.alignmentOffset(start, ALIGNMENT) != 0) {
            return false;
        }
        try {
            if (channel == null) {
                channel = file.open(Set.of(StandardOpenOption.READ, DIRECT.orElseThrow()));
            }
            channel.read(destination, position);
        } catch (IOException | UnsupportedOperationException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            LOG.debug("no direct reads of a file", e);
            isUseless = true;
        }
        boolean isFull = !destination.hasRemaining();
        if (!isFull) {
            destination.position(start);
        }
        return isFull;
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
