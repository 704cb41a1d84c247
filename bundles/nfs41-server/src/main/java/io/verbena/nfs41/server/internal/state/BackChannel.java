package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.TransportLostException;
import io.verbena.xdr.XdrReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session's back channel: its slots, its connections and the callbacks in them (RFC 8881 sections 2.10.3.1, 2.10.6 and
 * 20.9). What a slot holds when its connection is lost is sent again by the next connection, under the same sequence
 * number, so that the client executes it once. Thread safe; calls nobody with its lock held.
 */
final class BackChannel {
    private static final Logger LOG = LoggerFactory.getLogger(BackChannel.class);
    private static final int MAX_SLOTS = 16;
    private static final int MAX_REPLY = 512;

    private final SessionId session;
    private final Duration timeout;
    private final CallbackPath path;
    private final CallbackSlot[] slots;
    private final List<RpcPeer> peers = new ArrayList<>(1);
    private final Deque<Callback> waiting = new ArrayDeque<>();
    private CallbackTarget target;
    private int usableSlots;
    private boolean wasUp;
    private boolean faulty;
    private boolean closed;

    /** One slot: the number of its last callback, and that callback until it is answered. */
    private static final class CallbackSlot {
        private final int id;
        private int sequenceId;
        private Callback callback;
        private CbSequence.Args args;
        private boolean isSent;
        private boolean mayBeExecuted;

        CallbackSlot(int id) {
            this.id = id;
        }

        Callback clear() {
            Callback cleared = callback;
            callback = null;
            isSent = false;
            mayBeExecuted = false;
            return cleared;
        }
    }

    /** What the client has answered: the status of CB_SEQUENCE, its result, and the status of what followed it. */
    private record Answer(Status sequence, CbSequence.Result result, Status operation) {}

    /**
     * @param target whom to call, and as whom
     * @param attributes as granted to the client
     * @param timeout how long the client may take to answer
     * @param path the client's: where callbacks go that this back channel cannot bring there
     */
    BackChannel(
            SessionId session,
            CallbackTarget target,
            ChannelAttributes attributes,
            Duration timeout,
            CallbackPath path) {
        this.session = session;
        this.target = target;
        this.timeout = timeout;
        this.path = path;
        slots = new CallbackSlot[Math.min(MAX_SLOTS, attributes.maxRequests())];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new CallbackSlot(i);
        }
        usableSlots = slots.length;
    }

    /** BACKCHANNEL_CTL: from now on somebody else is called, or as somebody else. */
    synchronized void retarget(CallbackTarget other) {
        target = other;
    }

    /** Whether a connection may be bound to it: not where no credential that the client takes can be written. */
    synchronized boolean isUsable() {
        return target.credential() != null;
    }

    synchronized boolean isUp() {
        return !peers.isEmpty() && !faulty && !closed;
    }

    /** Whether a connection was ever bound to it. */
    synchronized boolean wasUp() {
        return wasUp;
    }

    /** Whether the client and we no longer agree on what a slot holds, so that only a new session helps. */
    synchronized boolean isFaulty() {
        return faulty;
    }

    synchronized boolean uses(RpcPeer peer) {
        return peers.contains(peer);
    }

    /** The client has said that it takes callbacks by that connection. */
    void bind(RpcPeer peer) {
        synchronized (this) {
            if (closed || peers.contains(peer)) {
                return;
            }
            peers.add(peer);
            wasUp = true;
        }
        sendAll();
        path.resume();
    }

    /** A connection is no longer to be used. What was sent by it fails by itself. */
    synchronized void unbind(RpcPeer peer) {
        peers.remove(peer);
    }

    /** Takes a callback on, unless it has no connection to send it by. */
    boolean submit(Callback callback) {
        synchronized (this) {
            if (!isUp()) {
                return false;
            }
            waiting.add(callback);
        }
        sendAll();
        return true;
    }

    /** The session has ended. Returns what was not answered. */
    synchronized List<Callback> close() {
        closed = true;
        peers.clear();
        return release();
    }

    private List<Callback> release() {
        List<Callback> released = new ArrayList<>(waiting);
        waiting.clear();
        for (CallbackSlot slot : slots) {
            Callback callback = slot.clear();
            if (callback != null) {
                released.add(callback);
            }
        }
        return released;
    }

    private void sendAll() {
        for (Runnable send = next(); send != null; send = next()) {
            send.run();
        }
    }

    /** The next callback that can be sent: first those that went under with a connection, in the slots they had. */
    private Runnable next() {
        List<Callback> unwanted = new ArrayList<>(0);
        Runnable found;
        synchronized (this) {
            found = isUp() ? nextLocked(unwanted) : null;
        }
        unwanted.forEach(Callback::failed);
        return found;
    }

    private Runnable nextLocked(List<Callback> unwanted) {
        for (CallbackSlot slot : slots) {
            if (slot.callback != null && !slot.isSent) {
                return send(slot);
            }
        }
        while (!waiting.isEmpty() && !waiting.peek().isWanted()) {
            unwanted.add(waiting.remove());
        }
        for (int i = 0; i < usableSlots && !waiting.isEmpty(); i++) {
            if (slots[i].callback == null) {
                enter(slots[i], waiting.remove());
                return send(slots[i]);
            }
        }
        return null;
    }

    private void enter(CallbackSlot slot, Callback callback) {
        slot.callback = callback;
        slot.sequenceId++;
        slot.args = new CbSequence.Args(session, slot.sequenceId, slot.id, highestSlot(), false, callback.referrals());
    }

    private Runnable send(CallbackSlot slot) {
        slot.isSent = true;
        RpcPeer peer = peers.get(0);
        Callback callback = slot.callback;
        CbSequence.Args sequence = slot.args; // the same when it is sent again: a retry does not differ
        RpcCall call = target.call().timeout(timeout).maxReplySize(MAX_REPLY);
        return () -> {
            CbCompound.encodeArgs(call.arguments(), new CbCompound.Args("", Compound.MINOR_VERSION, 2));
            CbSequence.encodeArgs(call.arguments(), sequence);
            callback.encodeArgs(call.arguments());
            CompletableFuture<Void> unused = peer.call(call, results -> decode(results, callback))
                    .whenComplete((answer, failure) -> completed(slot, callback, peer, answer, failure))
                    .handle(BackChannel::complain);
        };
    }

    /** Failures of the call have been dealt with: what is left is a defect of ours. */
    private static Void complain(Answer answer, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof RuntimeException) {
            LOG.error("A callback's end could not be dealt with", cause);
        }
        return null;
    }

    private int highestSlot() {
        int highest = 0;
        for (CallbackSlot slot : slots) {
            if (slot.callback != null) {
                highest = slot.id;
            }
        }
        return highest;
    }

    private static Answer decode(XdrReader results, Callback callback) throws IOException {
        Compound.Result head = Compound.decodeResult(results);
        if (head.operations() == 0) {
            return new Answer(head.status(), null, head.status());
        }
        Status sequence = CbCompound.decodeStatus(results, Opcode.CB_SEQUENCE);
        if (!sequence.isOk()) {
            return new Answer(sequence, null, sequence);
        }
        CbSequence.Result result = CbSequence.decodeResult(results);
        Status operation = head.operations() == 1 ? head.status() : CbCompound.decodeStatus(results, callback.opcode());
        return new Answer(sequence, result, operation);
    }

    private void completed(CallbackSlot slot, Callback callback, RpcPeer peer, Answer answer, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        synchronized (this) {
            if (slot.callback != callback) {
                return; // the session has ended meanwhile: another one has it
            }
        }
        if (cause instanceof TransportLostException) {
            lost(slot, peer);
        } else if (cause instanceof RpcRejectedException || isUnsent(cause)) {
            LOG.info("{} takes no callbacks: {}", peer.remoteAddress(), cause.getMessage());
            refused(slot, peer);
        } else if (cause != null) {
            fault("its callback failed: " + cause.getMessage());
        } else if (answer.sequence().isOk()) {
            answered(slot, answer);
        } else if (answer.sequence() == NFS4ERR_DELAY && !mayBeExecuted(slot)) {
            undo(slot).answered(NFS4ERR_DELAY);
        } else {
            fault("CB_SEQUENCE was answered with " + answer.sequence());
        }
        sendAll();
    }

    private static boolean isUnsent(Throwable cause) {
        return cause instanceof CallTimedOutException timedOut && !timedOut.wasSent();
    }

    /** RFC 8881 section 2.10.6.2: sent again, and not by the connection that it was lost with. */
    private synchronized void lost(CallbackSlot slot, RpcPeer peer) {
        peers.remove(peer);
        slot.isSent = false;
        slot.mayBeExecuted = true;
    }

    /** The client has not executed it now: to be tried by another connection, or in another session. */
    private void refused(CallbackSlot slot, RpcPeer peer) {
        if (mayBeExecuted(slot)) {
            lost(slot, peer); // it may have been before: the slot is settled only by an answer
            return;
        }
        unbind(peer);
        path.call(undo(slot));
    }

    private synchronized boolean mayBeExecuted(CallbackSlot slot) {
        return slot.mayBeExecuted;
    }

    /** Takes back a callback that the client has not taken note of. */
    private synchronized Callback undo(CallbackSlot slot) {
        slot.sequenceId--;
        return slot.clear();
    }

    private void answered(CallbackSlot slot, Answer answer) {
        CbSequence.Result result = answer.result();
        Callback callback;
        synchronized (this) {
            boolean isOurs = result.sessionId().equals(session)
                    && result.slotId() == slot.id
                    && result.sequenceId() == slot.sequenceId;
            callback = isOurs ? slot.clear() : null;
            // an unsigned number, and the client may take its time to shrink its table
            int wished = result.targetHighestSlotId() < 0 ? slots.length : result.targetHighestSlotId() + 1;
            usableSlots = Math.max(1, Math.min(slots.length, wished));
        }
        if (callback == null) {
            fault("CB_SEQUENCE was answered for another slot or number");
        } else {
            callback.answered(answer.operation());
        }
    }

    private void fault(String what) {
        LOG.warn("The back channel of session {} is of no use any more: {}", session, what);
        List<Callback> released;
        synchronized (this) {
            faulty = true;
            released = release();
        }
        released.forEach(path::call);
    }
}
