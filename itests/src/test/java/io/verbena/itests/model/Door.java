package io.verbena.itests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** An open file, opened in one of several ways: its operations, and the model's knowledge of it. */
abstract class Door {
    /** Releases a lock. */
    @FunctionalInterface
    interface Lock {
        void release() throws IOException;
    }

    /** The modes of opening. */
    record Modes(boolean read, boolean write, boolean append, boolean sync) {}

    private final Side side;
    private final int number;
    private final ModelFile file;
    private final Modes modes;
    /** Asynchronous calls that no step has awaited yet. */
    final List<PendingCall> pending = new ArrayList<>();

    /** The position of the next read or write, for doors with a position. */
    int position;

    Door(Side side, int number, ModelFile file, Modes modes) {
        this.side = side;
        this.number = number;
        this.file = file;
        this.modes = modes;
    }

    abstract DoorKind kind();

    int number() {
        return number;
    }

    Side side() {
        return side;
    }

    int mount() {
        return side.number();
    }

    ModelFile file() {
        return file;
    }

    Modes modes() {
        return modes;
    }

    /** The door that syncs and locks: that of a channel's RemoteFile, or this one. */
    Door root() {
        return this;
    }

    boolean hasPosition() {
        return false;
    }

    /** Whether reads and writes have an explicit position. */
    boolean isPositional() {
        return true;
    }

    boolean isAsynchronous() {
        return false;
    }

    boolean isLockable() {
        return true;
    }

    /** Whether a read may return fewer octets than available. */
    boolean readsShort() {
        return true;
    }

    /** Whether a truncation to a larger size extends the file. */
    boolean truncatesLonger() {
        return false;
    }

    int read(ByteBuffer destination) throws IOException {
        throw unsupported();
    }

    int write(ByteBuffer source) throws IOException {
        throw unsupported();
    }

    void position(long newPosition) throws IOException {
        throw unsupported();
    }

    long position() throws IOException {
        throw unsupported();
    }

    int read(ByteBuffer destination, long at) throws IOException {
        throw unsupported();
    }

    void write(ByteBuffer source, long at) throws IOException {
        throw unsupported();
    }

    Future<Integer> readAsync(ByteBuffer destination, long at) {
        throw unsupported();
    }

    Future<?> writeAsync(ByteBuffer source, long at) {
        throw unsupported();
    }

    /** Whether {@link #appendAsync} is supported. */
    boolean appendsAsync() {
        return false;
    }

    /** Appends asynchronously. The future completes with the position. */
    CompletableFuture<Long> appendAsync(ByteBuffer source) {
        throw unsupported();
    }

    abstract long size() throws IOException;

    abstract void truncate(long size) throws IOException;

    /** Syncs through the root. */
    abstract void sync() throws IOException;

    /** Tries to lock a range; null where another owner holds a conflicting lock. */
    Lock tryLock(long at, long size, boolean shared, Duration wait) throws IOException {
        throw unsupported();
    }

    /** Whether another owner holds a conflicting lock; null where the door cannot tell. */
    Boolean isLocked(long at, long size, boolean shared) throws IOException {
        return null;
    }

    abstract void close() throws IOException;

    private UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException(kind() + " does not do that");
    }

    @Override
    public String toString() {
        return side + ":" + kind() + "-" + number + (modes.append() ? "(append) of " : " of ") + file;
    }
}
