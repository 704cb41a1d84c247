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

/** Goes through the content of files, local or remote, each in order, and on where it was when
 * its mount was replaced. Keeps its buffers from file to file. */
public final class Contents {
    private final BufferPool pool = new BufferPool();

    /** Writes all of a file to a stream. */
    public void print(Location file, OutputStream out) throws IOException, InterruptedException {
        WritableByteChannel channel = Channels.newChannel(out);
        pump(file, channel::write);
    }

    /** SHA-256 of all of a file, in hexadecimal. */
    public String sha256(Location file) throws IOException, InterruptedException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            pump(file, digest::update);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private void pump(Location file, Consumer consumer) throws IOException, InterruptedException {
        new ContentCopy(pool, file, "output", new Sink(consumer)).run();
    }

    @FunctionalInterface
    private interface Consumer {
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
