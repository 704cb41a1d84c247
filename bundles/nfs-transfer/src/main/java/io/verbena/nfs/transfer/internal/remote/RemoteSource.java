package io.verbena.nfs.transfer.internal.remote;

import io.verbena.memory.MemoryShare;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A file of a mount that is open for reading. */
record RemoteSource(Mount mount, RemoteFile file, FileVersion opened) implements BlockSource {
    @Override
    public long size() {
        return opened.size();
    }

    @Override
    public Optional<FileVersion> version() {
        return Optional.of(opened);
    }

    @Override
    public Optional<MemoryShare> memory() throws IOException {
        return Optional.of(mount.memory());
    }

    @Override
    public boolean isAsynchronous() {
        return true;
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer destination, long position) {
        return file.readAsync(destination, position);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
