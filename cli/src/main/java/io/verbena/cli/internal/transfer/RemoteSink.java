package io.verbena.cli.internal.transfer;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An open file of a mount, to write to. Belongs to one thread. */
final class RemoteSink implements BlockSink {
    private final RemoteFile file;
    private final FileVersion opened;
    private long size;

    /**
     * @param opened what it was when it was opened; only this changes its size from then on
     */
    RemoteSink(RemoteFile file, FileVersion opened) {
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
        return false; // the client sends them again as long as it is there
    }

    @Override
    public CompletableFuture<Void> write(ByteBuffer source, long position) {
        size = Math.max(size, position + source.remaining());
        return file.writeAsync(source, position);
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
