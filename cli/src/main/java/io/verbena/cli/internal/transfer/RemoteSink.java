package io.verbena.cli.internal.transfer;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** An open file of a mount, to write to. */
record RemoteSink(RemoteFile file) implements BlockSink {
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
        return file.writeAsync(source, position);
    }

    @Override
    public void checkpoint() throws IOException {
        file.sync();
    }

    @Override
    public void finish(long size) throws IOException {
        if (file.attributes().size() != size) {
            file.truncate(size);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
