package io.verbena.nfs.transfer.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * The temporary files of a copy that is running. Other copies, also those of other hosts, remove a temporary file that
 * has not changed for an hour. So each of these files is touched from time to time, while the copy waits for its source
 * or reads the file back. Thread safe.
 */
final class LiveParts {
    /** The time between two touches: one that fails is no harm. */
    static final Duration PERIOD = Duration.ofMinutes(10);

    private final Runtime runtime;
    private final Set<LivePart> parts = ConcurrentHashMap.newKeySet();

    @GuardedBy("this")
    private Future<?> next;

    LiveParts(Runtime runtime) {
        this.runtime = runtime;
    }

    void add(LivePart part) {
        parts.add(part);
        arm();
    }

    void remove(LivePart part) {
        parts.remove(part);
        disarm();
    }

    private synchronized void arm() {
        if (next == null && !parts.isEmpty()) {
            next = runtime.runLater(this::due, PERIOD.toNanos());
        }
    }

    private synchronized void disarm() {
        if (next != null && parts.isEmpty()) {
            next.cancel(false);
            next = null;
        }
    }

    /** Hands over to a thread that may wait: all timers of the runtime share one. */
    private void due() {
        synchronized (this) {
            next = null;
        }
        boolean isHandedOver = false;
        try {
            ExecutorService once = runtime.newExecutor("verbena-copy-live", Duration.ofSeconds(1));
            once.execute(this::touch);
            isHandedOver = true;
            once.shutdown();
        } finally {
            if (!isHandedOver) {
                arm();
            }
        }
    }

    private void touch() {
        try {
            parts.forEach(part -> part.touch(runtime.now()));
        } finally {
            arm();
        }
    }
}
