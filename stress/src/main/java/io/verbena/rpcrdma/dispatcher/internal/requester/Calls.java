package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpc.RpcException;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.dispatcher.internal.base.Counters;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.requester.CallTable.Answered;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.Outcome;
import io.verbena.rpcrdma.dispatcher.internal.requester.PendingCall.State;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportOptions;
import io.verbena.runtime.SystemRuntime;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A {@link CallTable} of two slots with a connection, and the steps that a {@link Requester} takes with it. Each step
 * returns the number of calls that it has to complete; exactly one step completes a call.
 */
final class Calls {
    /** The most calls in flight. */
    static final int SLOTS = 2;

    private static final TransportContext ENVIRONMENT =
            new TransportContext(new SystemRuntime(), TransportLimits.DEFAULT, new DirectMemory());
    private static final Counters COUNTERS = new Counters();

    /** The first connection. */
    static final Connection FIRST = connection();
    /** The connection that replaces the first one. */
    static final Connection SECOND = connection();

    final CallTable table = new CallTable(SLOTS, ENVIRONMENT.memory().share("stress"), COUNTERS, ENVIRONMENT.runtime());

    /** Whether a call was sent on the second connection. */
    private boolean resent;

    Calls() {
        table.attach(FIRST, SLOTS);
        free();
    }

    private static Connection connection() {
        Connection made =
                new Connection(1, ENVIRONMENT, null, TransportOptions.parse(Map.of()), (ended, cause) -> {}, COUNTERS);
        made.readyToAnswer(ConnectionSettings.WITHOUT_PRIVATE_DATA, null);
        return made;
    }

    static PendingCall<String> call() {
        return new PendingCall<>(null, null, null, 0, 0);
    }

    /** Admits a call. Returns its slot if the call is to be sent at once. */
    CallSlot admit(PendingCall<?> call) {
        try {
            return table.admit(call);
        } catch (RpcException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Admits and sends a call. */
    PendingCall<String> sent() {
        PendingCall<String> call = call();
        send(admit(call));
        return call;
    }

    /** Sends the call of a slot. */
    int send(CallSlot slot) {
        PendingCall<?> call = slot.call;
        Connection by = call.connection;
        if (table.sent(call, null)) {
            resent |= by == SECOND;
            return 0;
        }
        slot.memory.release();
        return table.withdraw(call) == State.DONE ? 1 : 0;
    }

    /** Sends all calls that may be sent. */
    int pump() {
        int ended = 0;
        for (CallSlot slot = table.next(); slot != null; slot = table.next()) {
            ended += send(slot);
        }
        return ended;
    }

    /** Receives a reply that grants all credits. */
    int reply(Connection from, int xid) {
        if (table.answered(from, xid, SLOTS) != Answered.CALL) {
            return 0;
        }
        CallSlot slot = table.slot(xid);
        slot.memory.release();
        table.finished(slot, from, SLOTS);
        return 1;
    }

    /** Receives the reply to a call that was sent on the second connection. */
    int secondReply(int xid) {
        return resent ? reply(SECOND, xid) : 0;
    }

    /** Abandons a call, because of its time-out or because it is cancelled. */
    int giveUp(PendingCall<?> call) {
        State state = table.giveUp(call, sent -> new Outcome("given up", null));
        if (state == State.ENDING) {
            call.slot.memory.release();
            table.abandon(call);
        }
        return state == State.ENDING || state == State.DONE ? 1 : 0;
    }

    /** Abandons all calls. */
    int giveUpAll() {
        return table.all().stream().mapToInt(this::giveUp).sum();
    }

    /** Replaces the lost connection by the second one. */
    int lose() {
        table.detach(FIRST);
        table.attach(SECOND, SLOTS);
        return pump();
    }

    /** The number of free slots: as many more calls, each with an XID, can be in flight. */
    int free() {
        Connection present = table.connection();
        Set<Integer> xids = new HashSet<>();
        PendingCall<String> call = call();
        for (CallSlot slot = admit(call); slot != null; slot = admit(call)) {
            send(slot);
            if (table.limit() < SLOTS) {
                reply(present, slot.xid);
            } else {
                xids.add(slot.xid);
            }
            call = call();
        }
        giveUp(call);
        xids.forEach(xid -> reply(present, xid));
        return xids.size();
    }
}
