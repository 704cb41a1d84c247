package io.verbena.verbs.iwarp.internal.provider;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.HostAddresses;
import io.verbena.verbs.iwarp.internal.connection.Threads;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The handshakes of one listener that are under way, each with its thread. Their number is bounded. If one more peer
 * comes, the listener aborts the oldest handshake of the host that has the most handshakes, the new one included. The
 * silent peers of one host therefore lock out only peers of the same host. Any thread.
 */
final class PendingHandshakes {
    private final Runtime runtime;
    private final int most;

    @GuardedBy("this")
    private final Map<IwarpConnectionRequest, Thread> all = new LinkedHashMap<>(); // the oldest first

    @GuardedBy("this")
    private final Map<IwarpConnectionRequest, InetAddress> staying = new LinkedHashMap<>();

    /** The threads that were there when this was closed. */
    @GuardedBy("this")
    private List<Thread> last = List.of();

    @GuardedBy("this")
    private boolean closed;

    PendingHandshakes(Runtime runtime, int most) {
        this.runtime = runtime;
        this.most = most;
    }

    /** What became of a new handshake. */
    enum Admission {
        /** There was room. */
        ADMITTED,
        /** Another handshake was aborted for it. */
        IN_PLACE_OF_ANOTHER,
        REFUSED
    }

    /** Adds a handshake and starts its thread. */
    Admission add(IwarpConnectionRequest fresh, Thread thread) {
        IwarpConnectionRequest victim = null;
        synchronized (this) {
            // aborted handshakes still have threads: their number is bounded too
            if (closed || all.size() >= 2L * most) {
                return Admission.REFUSED;
            }
            InetAddress host = hostOf(fresh.remoteAddress());
            if (staying.size() >= most) {
                victim = HostAddresses.oldestOfTheMost(staying, host);
                staying.remove(victim);
            }
            thread.start(); // from here on close waits for the thread
            all.put(fresh, thread);
            staying.put(fresh, host);
        }
        if (victim == null) {
            return Admission.ADMITTED;
        }
        victim.abort();
        return Admission.IN_PLACE_OF_ANOTHER;
    }

    private static InetAddress hostOf(InetSocketAddress remote) {
        return HostAddresses.hostOf(remote == null ? InetAddress.getLoopbackAddress() : remote.getAddress());
    }

    /** Removes a handshake that is over. */
    synchronized void remove(IwarpConnectionRequest over) {
        all.remove(over);
        staying.remove(over);
    }

    /** Admits no more handshakes, and aborts those under way. */
    void close() {
        List<IwarpConnectionRequest> left;
        synchronized (this) {
            last = closed ? last : List.copyOf(all.values());
            closed = true;
            left = List.copyOf(all.keySet());
        }
        left.forEach(IwarpConnectionRequest::abort);
    }

    /** Waits, after {@link #close}, until the threads of the handshakes have ended or the deadline has passed. */
    void awaitEnd(long deadline) {
        List<Thread> left;
        synchronized (this) {
            left = last;
        }
        left.forEach(thread -> Threads.joinUnlessCurrent(runtime, thread, deadline));
    }
}
