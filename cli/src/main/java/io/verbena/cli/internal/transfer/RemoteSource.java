package io.verbena.cli.internal.transfer;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An open file of a mount, to read from. */
record RemoteSource(RemoteFile file, FileVersion opened) implements BlockSource {
    @Override
    public long size() {
        return opened.size();
    }

    @Override
    public Optional<FileVersion> version() {
        return Optional.of(opened);
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
