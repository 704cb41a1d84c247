package io.verbena.verbs.trace.internal;

import io.verbena.verbs.WireConnection;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.trace.capture.PcapngWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What waits to be written, up to a number of octets: what comes then is dropped and counted. Those who tell wait for
 * one another, for the time that it takes to put an event here, and never for the file. Any thread.
 */
final class EventQueue {
    /** What an event takes beside its octets. */
    private static final int OVERHEAD = 128;

    private final long maxOctets;

    // guarded by this
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    /** Octets dropped, by connection and direction, until the next event tells of them. */
    private final Map<WireConnection, long[]> lost = new HashMap<>();

    private final Map<String, Long> droppedBy = new HashMap<>();
    private long octets;
    private long dropped;
    private boolean closed;

    EventQueue(long maxOctets) {
        this.maxOctets = maxOctets;
    }

    /**
     * Whether there is room, for whoever is about to copy so many octets; if not they are dropped. Room may be gone
     * again when the event comes, which is taken then all the same.
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

    /** Adds an event, at the time that it is. */
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

    /** The next event, when there is one; null when none comes any more. The writer's thread. */
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

    /** No more events; those that are there can be taken. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** No more events, and none of those that are there. */
    synchronized void abandon() {
        close();
        dropped += events.size();
        events.clear();
        octets = 0;
    }

    /** The events that were dropped. */
    synchronized long dropped() {
        return dropped;
    }

    /** The events that were dropped of connections of a provider's device, by its {@link TraceFile#keyOf}. */
    synchronized long dropped(String key) {
        return droppedBy.getOrDefault(key, 0L);
    }
}
