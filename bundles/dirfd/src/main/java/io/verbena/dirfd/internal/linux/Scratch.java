package io.verbena.dirfd.internal.linux;

import com.kenai.jffi.MemoryIO;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Memory for the arguments and results of one system call: two paths, the result of statx, two times, and entries of a
 * directory. A thread takes the memory for a call, and {@linkplain #close gives it back}. Only some stay: an export has
 * a thread for each connection of a peer, so that memory of each thread would be as much as peers want.
 *
 * <pre>
 *      0  first path or text, up to 4096 octets and the zero behind it
 *   4608  second path
 *   9216  struct statx, 256 octets
 *   9472  two struct timespec, 32 octets
 *  12288  struct linux_dirent64, 32768 octets; the text of a link; struct statvfs
 * </pre>
 */
final class Scratch implements AutoCloseable {
    static final int MAX_TEXT = 4096;
    static final int ENTRIES_AT = 12_288;
    static final int ENTRIES_SIZE = 32_768;

    private static final int SECOND_AT = 4608;
    private static final int STATX_AT = 9216;
    private static final int TIMES_AT = 9472;
    private static final int TIMESPEC = 16;
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    /** The most that stay, 1.4 MiB; more are there only while as many calls are under way. */
    private static final int MOST_IDLE = 32;

    private static final Queue<Scratch> IDLE = new ArrayBlockingQueue<>(MOST_IDLE);

    private final ByteBuffer memory;
    private final long address;

    private Scratch() {
        this.memory = ByteBuffer.allocateDirect(ENTRIES_AT + ENTRIES_SIZE).order(ByteOrder.nativeOrder());
        this.address = MEMORY.getDirectBufferAddress(memory);
    }

    /** Memory for this thread alone, with undefined content. */
    static Scratch take() {
        Scratch idle = IDLE.poll();
        return idle == null ? new Scratch() : idle;
    }

    @Override
    public void close() {
        boolean unused = IDLE.offer(this);
    }

    /**
     * Puts a path or text into the first place.
     *
     * @param text at most {@link #MAX_TEXT} octets without a zero
     * @return its address
     */
    long first(byte[] text) {
        return put(0, text);
    }

    /** Puts a path into the second place, as {@link #first} does. */
    long second(byte[] text) {
        return put(SECOND_AT, text);
    }

    private long put(int at, byte[] text) {
        memory.put(at, text).put(at + text.length, (byte) 0);
        return address + at;
    }

    long statxAddress() {
        return address + STATX_AT;
    }

    /** The result of statx. */
    StatxResult statx() {
        return new StatxResult(memory, STATX_AT);
    }

    /** Puts the times to set; null leaves a time unchanged. */
    long times(FileTime accessed, FileTime modified) {
        putTime(TIMES_AT, accessed);
        putTime(TIMES_AT + TIMESPEC, modified);
        return address + TIMES_AT;
    }

    private void putTime(int at, FileTime time) {
        Instant instant = time == null ? Instant.EPOCH : time.toInstant();
        memory.putLong(at, instant.getEpochSecond());
        memory.putLong(at + Long.BYTES, time == null ? Abi.UTIME_OMIT : instant.getNano());
    }

    long entriesAddress() {
        return address + ENTRIES_AT;
    }

    /** Copies octets from the place for entries. */
    byte[] entries(int length) {
        byte[] copy = new byte[length];
        memory.get(ENTRIES_AT, copy);
        return copy;
    }
}
