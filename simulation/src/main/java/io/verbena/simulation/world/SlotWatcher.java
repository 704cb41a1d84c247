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
 * Reads the SEQUENCE of each request that is sent in a message of its own: a slot gets its next sequence id only once
 * the server has sent a reply to the last one (RFC 8881 section 2.10.6.1), and a call gets one reply on a connection.
 * Requests that are long messages are not seen; a slot with an unknown sequence id is not judged.
 */
final class SlotWatcher implements WireWatcher {
    private static final int VERSION_TWO = 2;
    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final int PROC_COMPOUND = 1;
    private static final int NFS_PROGRAM = 100_003;
    private static final int SEQUENCE = 53;

    private final Scheduler scheduler;
    private final Map<String, Used> slots = new HashMap<>();
    private final Map<String, Used> calls = new HashMap<>();
    private final Set<String> answered = new HashSet<>();
    private final Map<Long, Set<String>> keys = new HashMap<>();

    /** The last request of a slot that was seen. */
    private static final class Used {
        private final int sequenceId;
        private boolean isAnswered;

        Used(int sequenceId) {
            this.sequenceId = sequenceId;
        }
    }

    SlotWatcher(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void onSend(long connection, boolean initiator, byte[] message) {
        try {
            ByteBuffer in = ByteBuffer.wrap(message);
            int xid = in.getInt();
            int version = in.getInt();
            int unusedCredits = in.getInt();
            int type = in.getInt();
            String key = connection + "/" + xid;
            keys.computeIfAbsent(connection, made -> new HashSet<>()).add(key);
            if (type != 0) {
                answered(key, !initiator);
                return;
            }
            if (version == VERSION_TWO) {
                skip(in, 1);
            }
            skipChunks(in);
            skip(in, 1);
            int direction = in.getInt();
            if (initiator && direction == CALL) {
                answered.remove(key);
                call(key, in);
            } else if (!initiator && direction == REPLY) {
                reply(key);
            }
        } catch (BufferUnderflowException e) {
            scheduler.tell("a message of " + message.length + " octets is no call and no reply");
        }
    }

    private void reply(String key) {
        if (answered.contains(key)) {
            scheduler.fail("a call has two replies on a connection");
        }
        answered(key, true);
    }

    private void answered(String key, boolean byServer) {
        Used used = calls.get(key);
        if (byServer && used != null) {
            answered.add(key);
            used.isAnswered = true;
        }
    }

    private void call(String key, ByteBuffer in) {
        skip(in, 1);
        int program = in.getInt();
        skip(in, 1);
        int procedure = in.getInt();
        skipOpaque(in, 1);
        skipOpaque(in, 1);
        if (program != NFS_PROGRAM || procedure != PROC_COMPOUND) {
            return;
        }
        skipOpaque(in, 0);
        skip(in, 1);
        if (in.getInt() == 0 || in.getInt() != SEQUENCE) {
            return;
        }
        long high = in.getLong();
        long low = in.getLong();
        int sequenceId = in.getInt();
        String slot = high + "." + low + "/" + in.getInt();
        Used last = slots.get(slot);
        if (last != null && last.sequenceId == sequenceId) {
            calls.put(key, last); // again
            return;
        }
        if (last != null && sequenceId == last.sequenceId + 1 && !last.isAnswered) {
            scheduler.fail(
                    "slot " + slot + " is used for " + sequenceId + " before " + last.sequenceId + " has a reply");
        }
        Used used = new Used(sequenceId);
        slots.put(slot, used);
        calls.put(key, used);
    }

    /** Skips Read list, Write list and Reply chunk. */
    static void skipChunks(ByteBuffer in) {
        while (in.getInt() != 0) {
            skip(in, 5);
        }
        while (in.getInt() != 0) {
            skip(in, 4 * in.getInt());
        }
        if (in.getInt() != 0) {
            skip(in, 4 * in.getInt());
        }
    }

    static void skip(ByteBuffer in, int words) {
        if (words < 0 || 4 * words > in.remaining()) {
            throw new BufferUnderflowException();
        }
        in.position(in.position() + 4 * words);
    }

    static void skipOpaque(ByteBuffer in, int wordsBefore) {
        skip(in, wordsBefore);
        skip(in, (in.getInt() + 3) / 4);
    }

    @Override
    public void onEnd(long connection) {
        Set<String> known = keys.remove(connection);
        if (known != null) {
            answered.removeAll(known);
            // the other end may still send: what it answers then is a reply, too, and reaches nobody
            known.forEach(calls::remove);
        }
    }
}
