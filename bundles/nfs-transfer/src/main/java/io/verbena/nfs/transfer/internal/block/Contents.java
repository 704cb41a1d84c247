package io.verbena.nfs.transfer.internal.block;

import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;

/** Reads local and remote files in order. When a mount is replaced, reading continues at the same octet. */
public final class Contents {
    private final Runtime runtime;

    public Contents(Runtime runtime) {
        this.runtime = runtime;
    }

    /** Returns the SHA-256 of a whole file, in hexadecimal. */
    public String sha256(TreePath file) throws IOException, InterruptedException {
        return sha256(file, FileRange.WHOLE, BlockObserver.NONE);
    }

    /** Returns the SHA-256 of a range of a file, in hexadecimal. */
    public String sha256(TreePath file, FileRange stretch, BlockObserver flow)
            throws IOException, InterruptedException {
        return sha256(PinnedFile.read(file), stretch, flow);
    }

    /**
     * Returns the SHA-256 of a range of a file, in hexadecimal. The file must be the same one from which other ranges
     * are read.
     */
    public String sha256(PinnedFile file, FileRange stretch, BlockObserver flow)
            throws IOException, InterruptedException {
        MessageDigest digest = newDigest();
        pump(file, digest::update, stretch, flow);
        return HexFormat.of().formatHex(digest.digest());
    }

    public static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Passes a range of a file to a consumer, in order. */
    public void pump(PinnedFile file, Consumer consumer, FileRange stretch, BlockObserver flow)
            throws IOException, InterruptedException {
        new ContentCopy(runtime, file, "output", new Sink(consumer), stretch, flow).run();
    }

    /** Consumes all octets of a block. */
    @FunctionalInterface
    public interface Consumer {
        void accept(ByteBuffer block) throws IOException;
    }

    private record Sink(Consumer consumer) implements BlockSink {
        @Override
        public boolean keepsWrites() {
            return true; // octets that were passed on are never requested again
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
            // Every write is a checkpoint.
        }

        @Override
        public void finish(long size) {
            // A stream has no size.
        }

        @Override
        public void close() {
            // The owner of the stream closes it.
        }
    }
}
