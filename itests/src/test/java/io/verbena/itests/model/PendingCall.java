package io.verbena.itests.model;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An asynchronous call that was not awaited yet. */
final class PendingCall {
    private static final long BOUND_SECONDS = 60;

    private final Door door;
    private final String what;
    private final Future<?> future;
    /** Of a READ what it is to find, or null. */
    private final Expected expected;

    private final ByteBuffer buffer;

    /** A WRITE. */
    PendingCall(Door door, String what, Future<?> future) {
        this(door, what, future, null, null);
    }

    /** A READ. */
    PendingCall(Door door, String what, Future<?> future, Expected expected, ByteBuffer buffer) {
        this.door = door;
        this.what = what;
        this.future = future;
        this.expected = expected;
        this.buffer = buffer;
    }

    boolean isRead() {
        return expected != null;
    }

    /** Octets were changed that it may find as they were or as they are. */
    void overlapped(int from, int to, boolean resized) {
        expected.forget(from, to, resized);
    }

    /** Waits for its end and checks what it has found. */
    void await() throws Exception {
        Object result;
        try {
            result = future.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(what + " has no end after " + BOUND_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new AssertionError(what + " failed: " + e.getCause(), e.getCause());
        } finally {
            door.pending.remove(this);
            if (isRead()) {
                door.file().ended(this);
            }
        }
        if (isRead()) {
            expected.check(what, (Integer) result, buffer, door.readsShort());
        }
    }

    /** What a READ is to find: octets, and which of them and of the length are certain. */
    static final class Expected {
        private final int position;
        private final byte[] octets;
        private final BitSet uncertain = new BitSet();
        private int size;
        private boolean sizeCertain;

        private Expected(int position, byte[] octets, int size, boolean sizeCertain) {
            this.position = position;
            this.octets = octets;
            this.size = size;
            this.sizeCertain = sizeCertain;
        }

        static Expected of(ModelFile file, int mount, int position, int length) {
            Expected expected =
                    new Expected(position, file.content(position, length), file.size(), file.isSizeKnown(mount));
            for (int i = 0; i < length; i++) {
                expected.uncertain.set(i, !file.isKnown(mount, position + i));
            }
            return expected;
        }

        void forget(int from, int to, boolean resized) {
            int first = Math.max(0, from - position);
            int end = Math.min(octets.length, to - position);
            if (first < end) {
                uncertain.set(first, end);
            }
            sizeCertain &= !resized;
        }

        /** How many octets are to be read, where that is certain; -1 at the end. */
        int length() {
            int left = Math.min(octets.length, size - position);
            return left > 0 ? left : -1;
        }

        boolean isCertain() {
            return sizeCertain;
        }

        void check(String what, int read, ByteBuffer buffer, boolean maybeShort) {
            boolean asLong = read == length() || (maybeShort && read > 0 && read < length());
            if (sizeCertain ? !asLong : (read < -1 || read == 0 || read > octets.length)) {
                throw new AssertionError(what + " has read " + read + " octets instead of " + length());
            }
            if (buffer.position() != Math.max(0, read)) {
                throw new AssertionError(what + " has read " + read + ", but the buffer is at " + buffer.position());
            }
            for (int i = 0; i < read; i++) {
                if (!uncertain.get(i) && buffer.get(i) != octets[i]) {
                    throw new AssertionError(what + " has read " + buffer.get(i) + " instead of " + octets[i] + " at "
                            + (position + i) + ", octet " + i + " of " + read + "; " + differences(buffer, read)
                            + " octets differ");
                }
            }
        }

        private long differences(ByteBuffer buffer, int read) {
            long count = 0;
            for (int i = 0; i < read; i++) {
                count += !uncertain.get(i) && buffer.get(i) != octets[i] ? 1 : 0;
            }
            return count;
        }
    }
}
