package io.verbena.nfs.nio.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A channel of a {@link FakeFile}, which tells the failure of an earlier write with the next one. */
final class FakeChannel implements SeekableByteChannel {
    private final FakeFile file;
    private final boolean appends;
    private final Deque<CompletableFuture<?>> sent = new ArrayDeque<>();
    private long position;
    private boolean closed;

    FakeChannel(FakeFile file, boolean appends) {
        this.file = file;
        this.appends = appends;
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        int read = file.read(destination, position);
        position += Math.max(0, read);
        return read;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int length = source.remaining();
        if (appends) {
            sent.add(file.appendAsync(source, placed -> position = placed));
        } else {
            sent.add(file.writeAsync(source, position));
        }
        position += length;
        while (!sent.isEmpty() && sent.element().isDone()) {
            tell(sent.remove());
        }
        return length;
    }

    private void tell(CompletableFuture<?> answer) throws IOException {
        try {
            Object unused = answer.get();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } catch (ExecutionException e) {
            file.told();
            throw (IOException) e.getCause();
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public SeekableByteChannel position(long newPosition) {
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException {
        return file.attributes().size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
        file.truncate(size);
        return this;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
