package io.verbena.itests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/** A file opened as a channel of a RemoteFile. */
final class ChannelDoor extends Door {
    private final RemoteDoor remote;
    private final SeekableByteChannel channel;

    ChannelDoor(int number, RemoteDoor remote) {
        super(remote.side(), number, remote.file(), remote.modes());
        this.remote = remote;
        this.channel = remote.channel();
    }

    @Override
    DoorKind kind() {
        return DoorKind.CHANNEL;
    }

    @Override
    Door root() {
        return remote;
    }

    @Override
    boolean hasPosition() {
        return true;
    }

    @Override
    boolean isPositional() {
        return false;
    }

    @Override
    boolean isLockable() {
        return false;
    }

    @Override
    int read(ByteBuffer destination) throws IOException {
        return channel.read(destination);
    }

    @Override
    int write(ByteBuffer source) throws IOException {
        return channel.write(source);
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
    long size() throws IOException {
        return channel.size();
    }

    @Override
    void truncate(long size) throws IOException {
        channel.truncate(size);
    }

    @Override
    void sync() throws IOException {
        remote.sync();
    }

    @Override
    void close() throws IOException {
        channel.close();
    }
}
