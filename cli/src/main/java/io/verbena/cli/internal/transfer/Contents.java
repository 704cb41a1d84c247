package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;

/**
 * Goes through the content of files, local or remote, each in order, and on where it was when its mount was replaced.
 * Keeps its buffers from file to file.
 */
public final class Contents {
    private final BufferPool pool;

    public Contents() {
        this(new BufferPool());
    }

    Contents(BufferPool pool) {
        this.pool = pool;
    }

    /** Writes all of a file to a stream. */
    public void print(Location file, OutputStream out) throws IOException, InterruptedException {
        WritableByteChannel channel = Channels.newChannel(out);
        pump(PinnedFile.read(file), channel::write, Stretch.WHOLE, Flow.NONE);
    }

    /** SHA-256 of all of a file, in hexadecimal. */
    public String sha256(Location file) throws IOException, InterruptedException {
        return sha256(file, Stretch.WHOLE, Flow.NONE);
    }

    /** As {@link #sha256(Location)}, of a part of it. */
    String sha256(Location file, Stretch stretch, Flow flow) throws IOException, InterruptedException {
        return sha256(PinnedFile.read(file), stretch, flow);
    }

    /** As {@link #sha256(Location)}, of a part of one that others are read of, too. */
    String sha256(PinnedFile file, Stretch stretch, Flow flow) throws IOException, InterruptedException {
        MessageDigest digest = newDigest();
        pump(file, digest::update, stretch, flow);
        return HexFormat.of().formatHex(digest.digest());
    }

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Passes a part of a file on, in order. */
    void pump(PinnedFile file, Consumer consumer, Stretch stretch, Flow flow) throws IOException, InterruptedException {
        new ContentCopy(pool, file, "output", new Sink(consumer), stretch, flow).run();
    }

    /** Takes all of a block. */
    @FunctionalInterface
    interface Consumer {
        void accept(ByteBuffer block) throws IOException;
    }

    private record Sink(Consumer consumer) implements BlockSink {
        @Override
        public boolean keepsWrites() {
            return true; // what was passed on is not asked for again
        }

        @Override
        public boolean canHaveHoles() {
            return false;
        }

        @Override
        public CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException {
            while (source.hasRemaining()) {
                consumer.accept(source);
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void checkpoint() {
            // every write is one
        }

        @Override
        public void finish(long size) {
            // a stream has no size to set
        }

        @Override
        public void close() {
            // the stream is its owner's
        }
    }
}
