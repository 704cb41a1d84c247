package io.verbena.simulation.world;

import io.verbena.simulation.network.WireWatcher;
import io.verbena.simulation.scheduler.Scheduler;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts the calls of each connection's initiator that have no reply yet: they are never more than the replies on that
 * connection have granted, and one before the first reply (RFC 8166 section 3.3.1). The words of a header that this
 * needs have the same place in both versions. A reply counts from its Send on, before the initiator has it, and a grant
 * holds for good: so more calls are allowed than the rule allows, and never fewer.
 */
final class CreditWatcher implements WireWatcher {
    private static final int CREDITS_OFFSET = 8;
    private static final int LEAST_OCTETS = 16;

    private final Scheduler scheduler;
    private final Map<Long, Calls> connections = new HashMap<>();
    private final Set<Long> ended = new HashSet<>();

    /** The calls of one connection. */
    private static final class Calls {
        private final Set<Integer> outstanding = new HashSet<>();
        private final Set<Integer> reverse = new HashSet<>();
        private long granted = 1;
    }

    CreditWatcher(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void onSend(long connection, boolean initiator, byte[] message) {
        if (message.length < LEAST_OCTETS || ended.contains(connection)) {
            return;
        }
        Calls calls = connections.computeIfAbsent(connection, key -> new Calls());
        ByteBuffer header = ByteBuffer.wrap(message);
        int xid = header.getInt(0);
        if (!initiator) {
            if (calls.outstanding.remove(xid)) {
                calls.granted = Math.max(calls.granted, Integer.toUnsignedLong(header.getInt(CREDITS_OFFSET)));
            } else {
                calls.reverse.add(xid);
            }
        } else if (!calls.reverse.remove(xid)) {
            calls.outstanding.add(xid);
            if (calls.outstanding.size() > calls.granted) {
                scheduler.fail("a client has " + calls.outstanding.size() + " calls under way on a connection that has"
                        + " granted " + calls.granted);
            }
        }
    }

    @Override
    public void onEnd(long connection) {
        ended.add(connection);
        connections.remove(connection);
    }
}
