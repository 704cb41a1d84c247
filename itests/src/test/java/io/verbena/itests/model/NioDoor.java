package io.verbena.itests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.time.Duration;

/** A FileChannel. */
final class NioDoor extends Door {
    private final FileChannel channel;

    NioDoor(Side side, int number, ModelFile file, Modes modes, FileChannel channel) {
        super(side, number, file, modes);
        this.channel = channel;
    }

    @Override
    DoorKind kind() {
        return DoorKind.NIO;
    }

    @Override
    boolean hasPosition() {
        return true;
    }

    @Override
    boolean isPositional() {
        return !modes().append();
    }

    @Override
    int read(ByteBuffer destination) throws IOException {
        return channel.read(destination);
    }

    /** Writes a buffer; a long one as several parts with a gathering write. */
    @Override
    int write(ByteBuffer source) throws IOException {
        if (source.remaining() % 3 != 0) {
            return channel.write(source);
        }
        ByteBuffer first = source.slice(source.position(), source.remaining() / 3);
        ByteBuffer rest = source.slice(source.position() + first.remaining(), source.remaining() - first.remaining());
        int written = Math.toIntExact(channel.write(new ByteBuffer[] {first, rest}));
        source.position(source.position() + written);
        return written;
    }

    @Override
    void position(long newPosition) throws IOException {
        channel.position(newPosition);
    }

    @Override
    long position() throws IOException {
        return channel.position();
    }

    @Override
    int read(ByteBuffer destination, long at) throws IOException {
        return channel.read(destination, at);
    }

    @Override
    void write(ByteBuffer source, long at) throws IOException {
        int length = source.remaining();
        int written = channel.write(source, at);
        if (written != length) {
            throw new AssertionError("FileChannel.write has written " + written + " of " + length);
        }
    }

    @Override
    long size() throws IOException {
        return channel.size();
    }

    @Override
    void truncate(long size) throws IOException {
        channel.truncate(size);
    }

    @Override
    void sync() throws IOException {
        channel.force(true);
    }

    @Override
    Lock tryLock(long at, long size, boolean shared, Duration wait) throws IOException {
        FileLock lock = wait.isZero() ? channel.tryLock(at, size, shared) : channel.lock(at, size, shared);
        return lock == null ? null : lock::release;
    }

    @Override
    void close() throws IOException {
        channel.close();
    }
}
