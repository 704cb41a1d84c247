package io.verbena.itests.model;

import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An asynchronous call that no step has awaited yet. */
final class PendingCall {
    private static final long BOUND_SECONDS = 60;

    private final Door door;
    private final String what;
    private final Future<?> future;
    /** The expected result of a READ, otherwise null. */
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

    Expected expected() {
        return expected;
    }

    /** Waits for the end of the call and checks its result. */
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
}
