package io.verbena.verbs.trace.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.trace.capture.PcapngWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Events that wait to be written, up to a number of octets; further events are dropped and counted. Reporting threads
 * wait for each other while one of them adds an event, but never for the file. Any thread may use it.
 */
final class EventQueue {
    /** The memory of an event besides its octets. */
    private static final int OVERHEAD = 128;

    private final long maxOctets;

    @GuardedBy("this")
    private final ArrayDeque<Event> events = new ArrayDeque<>();

    /** The dropped octets by connection and direction, until the next event carries the number. */
    @GuardedBy("this")
    private final Map<WireConnection, long[]> lost = new HashMap<>();

    @GuardedBy("this")
    private final Map<String, Long> droppedBy = new HashMap<>();

    @GuardedBy("this")
    private long octets;

    @GuardedBy("this")
    private long dropped;

    @GuardedBy("this")
    private boolean closed;

    EventQueue(long maxOctets) {
        this.maxOctets = maxOctets;
    }

    /**
     * Whether there is room for an event of {@code length} octets; otherwise it is counted as dropped. Callers ask
     * before they copy the octets. The room may be used up when the event is added; the event is accepted then all the
     * same.
     */
    synchronized boolean admits(WireConnection connection, boolean sent, int length) {
        if (closed) {
            return false;
        }
        if (octets + length + OVERHEAD <= maxOctets) {
            return true;
        }
        dropped++;
        droppedBy.merge(TraceFile.keyOf(connection), 1L, Long::sum);
        lost.computeIfAbsent(connection, key -> new long[2])[sent ? 1 : 0] += length;
        return false;
    }

    /** Adds an event with the current time. */
    synchronized void add(WireConnection connection, boolean sent, WireMessage message, ByteBuffer data) {
        if (closed) {
            return;
        }
        long[] losses = lost.get(connection);
        long before = losses == null ? 0 : losses[sent ? 1 : 0];
        if (losses != null) {
            losses[sent ? 1 : 0] = 0;
            if (data == null || losses[0] + losses[1] == 0) {
                lost.remove(connection);
            }
        }
        events.add(new Event(connection, PcapngWriter.now(), sent, message, data, before));
        octets += size(data);
        notifyAll();
    }

    private static int size(ByteBuffer data) {
        return OVERHEAD + (data == null ? 0 : data.remaining());
    }

    /** Waits for the next event; null after the end. For the writer's thread. */
    synchronized Event take() throws InterruptedException {
        while (events.isEmpty() && !closed) {
            wait();
        }
        Event event = events.poll();
        if (event != null) {
            octets -= size(event.octets());
        }
        return event;
    }

    synchronized boolean isEmpty() {
        return events.isEmpty();
    }

    /** Ends the queue: no more events are accepted; waiting events can still be taken. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Ends the queue and drops the waiting events. */
    synchronized void abandon() {
        close();
        dropped += events.size();
        events.clear();
        octets = 0;
    }

    /** The number of dropped events. */
    synchronized long dropped() {
        return dropped;
    }

    /** The number of dropped events of a provider's device, by its {@link TraceFile#keyOf}. */
    synchronized long dropped(String key) {
        return droppedBy.getOrDefault(key, 0L);
    }
}
