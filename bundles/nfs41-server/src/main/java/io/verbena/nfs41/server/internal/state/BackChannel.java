package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.SessionId;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.TransportLostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
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
    private final Executor later;
    private final CallbackSlot[] slots;
    private final List<RpcPeer> peers = new ArrayList<>(1);
    private final Deque<Callback> waiting = new ArrayDeque<>();
    private CallbackTarget target;
    private int usableSlots;
    private boolean wasUp;
    private boolean faulty;
    private boolean closed;

    /**
     * @param target whom to call, and as whom
     * @param attributes as granted to the client
     * @param timeout how long the client may take to answer
     * @param path the client's: where callbacks go that this back channel cannot bring there
     * @param later does after a pause what the client was too busy for
     */
    BackChannel(
            SessionId session,
            CallbackTarget target,
            ChannelAttributes attributes,
            Duration timeout,
            CallbackPath path,
            Executor later) {
        this.session = session;
        this.target = target;
        this.timeout = timeout;
        this.path = path;
        this.later = later;
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
                slots[i].enter(session, waiting.remove(), highestSlot(i));
                return send(slots[i]);
            }
        }
        return null;
    }

    private Runnable send(CallbackSlot slot) {
        slot.isSent = true;
        RpcPeer peer = peers.get(0);
        Callback callback = slot.callback;
        CbSequence.Args sequence = slot.args; // the same when it is sent again: a retry does not differ
        RpcCall call = target.call().timeout(timeout).maxReplySize(MAX_REPLY);
        return () -> {
            CbCompound.encodeArgs(
                    call.arguments(), new CbCompound.Args("", Compound.MINOR_VERSION, CallbackAnswer.OPERATIONS));
            CbSequence.encodeArgs(call.arguments(), sequence);
            callback.encodeArgs(call.arguments());
            CompletableFuture<Void> unused = peer.call(call, results -> CallbackAnswer.decode(results, callback))
                    .whenComplete((answer, failure) -> completed(slot, callback, peer, answer, failure))
                    .handle(BackChannel::complain);
        };
    }

    /** Failures of the call have been dealt with: what is left is a defect of ours. */
    private static Void complain(CallbackAnswer answer, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof RuntimeException) {
            LOG.error("A callback's end could not be dealt with", cause);
        }
        return null;
    }

    private int highestSlot(int entered) {
        int highest = entered;
        for (CallbackSlot slot : slots) {
            if (slot.callback != null) {
                highest = Math.max(highest, slot.id);
            }
        }
        return highest;
    }

    private void completed(
            CallbackSlot slot, Callback callback, RpcPeer peer, CallbackAnswer answer, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        Runnable rest = () -> {};
        synchronized (this) {
            // else the session has ended meanwhile, and another one has the callback
            if (slot.callback == callback) {
                rest = cause == null ? answered(slot, answer) : failed(slot, peer, cause);
            }
        }
        rest.run();
        sendAll();
    }

    /** What is to be done without the lock. */
    private Runnable answered(CallbackSlot slot, CallbackAnswer answer) {
        if (answer.sequence().isOk() && slot.isAnsweredBy(answer.result())) {
            int wished = answer.result().targetHighestSlotId();
            // an unsigned number
            usableSlots = wished < 0 ? slots.length : Math.min(slots.length - 1, wished) + 1;
            Callback callback = slot.clear();
            return () -> callback.answered(answer.operation());
        }
        if (answer.sequence() == NFS4ERR_DELAY) {
            return delayed(slot);
        }
        return fault("CB_SEQUENCE was answered with " + answer.sequence() + " " + answer.result());
    }

    /** What is to be done without the lock. */
    private Runnable delayed(CallbackSlot slot) {
        if (slot.mayBeExecuted) {
            // RFC 8881 section 2.10.6.2: what was sent first may be under way there still, so the slot stays as it is
            Callback callback = slot.callback;
            return () -> later.execute(() -> sendAgain(slot, callback));
        }
        Callback callback = slot.undo();
        return () -> callback.answered(NFS4ERR_DELAY);
    }

    private void sendAgain(CallbackSlot slot, Callback callback) {
        synchronized (this) {
            if (slot.callback == callback) { // else the session has ended meanwhile
                slot.isSent = false;
            }
        }
        sendAll();
    }

    /** What is to be done without the lock. */
    private Runnable failed(CallbackSlot slot, RpcPeer peer, Throwable cause) {
        boolean isRefused = cause instanceof RpcRejectedException || isUnsent(cause);
        if (!isRefused && !(cause instanceof TransportLostException)) {
            return fault("its callback failed: " + cause.getMessage());
        }
        peers.remove(peer);
        LOG.debug("No more callbacks by the connection to {}: {}", peer.remoteAddress(), cause.getMessage());
        if (isRefused && !slot.mayBeExecuted) {
            Callback callback = slot.undo();
            return () -> path.call(callback);
        }
        // RFC 8881 section 2.10.6.2: sent again, by another connection; only an answer settles what is in the slot
        slot.isSent = false;
        slot.mayBeExecuted = true;
        return () -> {};
    }

    private static boolean isUnsent(Throwable cause) {
        return cause instanceof CallTimedOutException timedOut && !timedOut.wasSent();
    }

    private Runnable fault(String what) {
        LOG.warn("The back channel of session {} is of no use any more: {}", session, what);
        faulty = true;
        List<Callback> released = release();
        return () -> released.forEach(path::call);
    }
}
