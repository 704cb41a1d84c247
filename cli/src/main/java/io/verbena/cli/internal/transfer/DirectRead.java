package io.verbena.cli.internal.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads past the system's cache of pages. Java cannot ask where the holes of a file are; but where a hole is read this
 * way, the system makes no page for it, which is what takes the time: some thirty times faster than a first read
 * through the cache. Not every file system can do it.
 *
 * <p>Belongs to one thread at a time.
 */
final class DirectRead implements Closeable {
    /** What positions, lengths and addresses are multiples of; a file system that wants more is read as usual. */
    static final int ALIGNMENT = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(DirectRead.class);
    private static final Optional<OpenOption> DIRECT = direct();

    private final Path file;
    private final Object key;
    private FileChannel channel;
    private boolean isUseless = DIRECT.isEmpty();

    /**
     * @param key what {@link #key} said before the file was opened in the usual way
     */
    DirectRead(Path file, Object key) {
        this.file = file;
        this.key = key;
    }

    /** What tells a file from others that have had its name: reading must not go on in another one. */
    static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** The option is in a package that no OSGi framework exports, so that it is found at run time. */
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
     * Fills the buffer where it can be done.
     *
     * @return whether the buffer is full; otherwise nothing is changed but what it holds
     */
    boolean fill(ByteBuffer destination, long position) throws IOException {
        int start = destination.position();
        if (isUseless
                || position % ALIGNMENT != 0
                || destination.remaining() % ALIGNMENT != 0
                || destination.alignmentOffset(start, ALIGNMENT) != 0) {
            return false;
        }
        try {
            if (channel == null) {
                channel = FileChannel.open(file, StandardOpenOption.READ, DIRECT.orElseThrow());
                isUseless = key == null || !key.equals(key(file));
            }
            if (!isUseless) {
                channel.read(destination, position);
            }
        } catch (IOException | UnsupportedOperationException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            LOG.debug("no direct reads of {}", file, e);
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
