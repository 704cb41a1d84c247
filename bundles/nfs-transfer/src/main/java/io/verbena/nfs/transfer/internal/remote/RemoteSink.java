package io.verbena.nfs.transfer.internal.remote;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A file of a mount that is open for writing. Belongs to one thread. */
final class RemoteSink implements BlockSink {
    private final Mount mount;
    private final RemoteFile file;
    private final FileVersion opened;
    private long size;

    /**
     * Creates a sink.
     *
     * @param mount the mount of the file
     * @param opened the version of the file when it was opened; afterwards only this sink changes the size of the file
     */
    RemoteSink(Mount mount, RemoteFile file, FileVersion opened) {
        this.mount = mount;
        this.file = file;
        this.opened = opened;
        this.size = opened.size();
    }

    @Override
    public Optional<FileVersion> version() {
        return Optional.of(opened);
    }

    @Override
    public boolean canHaveHoles() {
        return true;
    }

    @Override
    public boolean keepsWrites() {
        return false; // the client repeats uncommitted writes only as long as it exists
    }

    @Override
    public CompletableFuture<Void> write(ByteBuffer source, long position) {
        size = Math.max(size, position + source.remaining());
        return file.writeAsync(source, position);
    }

    @Override
    public CompletableFuture<Void> write(BufferLease block, long position) {
        size = Math.max(size, position + block.buffer().remaining());
        return file.writeAsync(block, position);
    }

    @Override
    public Optional<MemoryShare> memory() throws IOException {
        return Optional.of(mount.memory());
    }

    @Override
    public void checkpoint() throws IOException {
        file.sync();
    }

    @Override
    public void finish(long newSize) throws IOException {
        if (size != newSize) {
            file.truncate(newSize);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
