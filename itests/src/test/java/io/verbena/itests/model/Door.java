package io.verbena.itests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A file as it is open in one way: what the model knows of it, and what can be done by it. */
abstract class Door {
    /** What releases a lock. */
    @FunctionalInterface
    interface Lock {
        void release() throws IOException;
    }

    /** How it was opened. */
    record Modes(boolean read, boolean write, boolean append, boolean sync) {}

    private final Side side;
    private final int number;
    private final ModelFile file;
    private final Modes modes;
    /** Asynchronous calls that were not awaited yet. */
    final List<PendingCall> pending = new ArrayList<>();

    /** Where it reads and writes next, of those that have a position. */
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

    /** What syncs and locks: a channel's RemoteFile, or itself. */
    Door root() {
        return this;
    }

    boolean hasPosition() {
        return false;
    }

    /** Whether it reads and writes at positions that are given. */
    boolean isPositional() {
        return true;
    }

    boolean isAsynchronous() {
        return false;
    }

    boolean isLockable() {
        return true;
    }

    /** Whether a read may give less than there is. */
    boolean readsShort() {
        return true;
    }

    /** Whether a truncation to more than there is makes the file longer. */
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

    /** Whether {@link #appendAsync} does something. */
    boolean appendsAsync() {
        return false;
    }

    /** Completes with the position. */
    CompletableFuture<Long> appendAsync(ByteBuffer source) {
        throw unsupported();
    }

    abstract long size() throws IOException;

    abstract void truncate(long size) throws IOException;

    /** By its root. */
    abstract void sync() throws IOException;

    /** Null where somebody else has it. */
    Lock tryLock(long at, long size, boolean shared, Duration wait) throws IOException {
        throw unsupported();
    }

    /** Whether somebody else's lock is in the way; null where it cannot tell. */
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
