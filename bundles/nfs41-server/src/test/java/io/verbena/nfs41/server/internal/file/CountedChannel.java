package io.verbena.nfs41.server.internal.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.Consumer;

/** A file that tells each of its calls before the call is made; what the listener throws, the call throws. */
public final class CountedChannel extends FailingChannel {
    private final Consumer<String> listener;

    public CountedChannel(FileChannel file, Consumer<String> listener) {
        super(file);
        this.listener = listener;
    }

    @Override
    public void force(boolean metadata) throws IOException {
        listener.accept("force");
        super.force(metadata);
    }

    @Override
    public long size() throws IOException {
        listener.accept("size");
        return super.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        listener.accept("truncate");
        return super.truncate(size);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        listener.accept("read");
        return super.read(target, position);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        listener.accept("write");
        return super.write(source, position);
    }
}
