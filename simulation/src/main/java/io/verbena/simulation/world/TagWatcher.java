package io.verbena.simulation.world;

import io.verbena.simulation.network.WireWatcher;
import io.verbena.simulation.scheduler.Scheduler;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Knows the memory that each call offers to the peer, by the steering tags of its chunks. The peer accesses it only
 * before it sends its reply (RFC 8166 section 4.4.1). Where the access is refused, the owner has given the call up, and
 * does not send it again.
 */
final class TagWatcher implements WireWatcher {
    private static final int VERSION_TWO = 2;
    private static final int NO_MESSAGE = 1;

    private final Scheduler scheduler;
    private final Map<Long, String> clients = new HashMap<>();
    /** By connection, end and tag: the call that has offered it. */
    private final Map<Long, Map<Tag, Integer>> offered = new HashMap<>();
    /** The calls of a connection, by the end that has made them, whose reply was sent. */
    private final Map<Long, Set<Call>> answered = new HashMap<>();
    /** Client and XID of the calls whose memory was refused. */
    private final Set<String> refused = new HashSet<>();

    /** A steering tag of one end of a connection. */
    private record Tag(boolean byInitiator, int tag) {}

    /** A call of one end of a connection. */
    private record Call(boolean byInitiator, int xid) {}

    TagWatcher(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void onConnect(long connection, String client) {
        clients.put(connection, client);
    }

    @Override
    public void onSend(long connection, boolean initiator, byte[] message) {
        try {
            ByteBuffer in = ByteBuffer.wrap(message);
            int xid = in.getInt();
            int version = in.getInt();
            int unusedCredits = in.getInt();
            int type = in.getInt();
            Set<Call> there = answered.computeIfAbsent(connection, made -> new HashSet<>());
            there.add(new Call(!initiator, xid));
            there.remove(new Call(initiator, xid)); // sent again, as in the other version
            if (type != 0 && type != NO_MESSAGE) {
                return;
            }
            if (initiator && refused.contains(clients.get(connection) + "/" + xid)) {
                scheduler.fail("an access to the memory of call " + Integer.toHexString(xid) + " of "
                        + clients.get(connection) + " was refused, and the call was not given up");
            }
            if (version == VERSION_TWO) {
                int unusedFlags = in.getInt();
            }
            offer(connection, initiator, xid, in);
        } catch (BufferUnderflowException e) {
            scheduler.tell("a message of " + message.length + " octets has no chunks");
        }
    }

    private void offer(long connection, boolean initiator, int xid, ByteBuffer in) {
        while (in.getInt() != 0) {
            int unusedPosition = in.getInt();
            offerSegment(connection, initiator, xid, in);
        }
        while (in.getInt() != 0) {
            offerSegments(connection, initiator, xid, in);
        }
        if (in.getInt() != 0) {
            offerSegments(connection, initiator, xid, in);
        }
    }

    private void offerSegments(long connection, boolean initiator, int xid, ByteBuffer in) {
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            offerSegment(connection, initiator, xid, in);
        }
    }

    private void offerSegment(long connection, boolean initiator, int xid, ByteBuffer in) {
        int tag = in.getInt();
        int unusedLength = in.getInt();
        long unusedOffset = in.getLong();
        offered.computeIfAbsent(connection, made -> new HashMap<>()).putIfAbsent(new Tag(initiator, tag), xid);
    }

    @Override
    public void onAccess(long connection, boolean initiator, int tag) {
        Integer xid = call(connection, initiator, tag);
        if (xid == null) {
            scheduler.fail("an access to memory that no call has offered");
        } else if (answered.getOrDefault(connection, Set.of()).contains(new Call(!initiator, xid))) {
            scheduler.fail("an access to the memory of call " + Integer.toHexString(xid) + " behind its reply");
        }
    }

    @Override
    public void onRefused(long connection, boolean initiator, int tag) {
        Integer xid = call(connection, initiator, tag);
        if (xid != null && !initiator) {
            boolean unused = refused.add(clients.get(connection) + "/" + xid);
        }
    }

    /** The call whose memory an end accesses; null where the other end has offered none. */
    private Integer call(long connection, boolean initiator, int tag) {
        return offered.getOrDefault(connection, Map.of()).get(new Tag(!initiator, tag));
    }

    @Override
    public void onEnd(long connection) {
        // the other end may still access what it was offered
    }
}
