package io.verbena.nfs41.server.internal.callback;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.server.internal.async.Futures;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.TransportLostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session's back channel: its slots, its connections and the callbacks in them (RFC 8881 sections 2.10.3.1, 2.10.6
 * and 20.9). If a connection is lost, the callbacks in its slots are sent again by the next connection with the same
 * sequence ids, so that the client executes each once. The connection that was bound last carries the callbacks: a
 * client that binds another one may have lost those before, of which the server does not know yet. Thread safe; calls
 * no other object with its lock held.
 */
public final class BackChannel {
    private static final Logger LOG = LoggerFactory.getLogger(BackChannel.class);
    private static final int MAX_SLOTS = 16;
    private static final int MAX_REPLY = 512;

    private final SessionId session;
    private final Duration timeout;
    private final CallbackPath path;
    private final Executor later;

    @GuardedBy("this")
    private final CallbackSlot[] slots;

    @GuardedBy("this")
    private final Deque<RpcPeer> peers = new ArrayDeque<>(1); // the one that was bound last is the first

    @GuardedBy("this")
    private final Deque<Callback> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private CallbackTarget target;

    @GuardedBy("this")
    private int usableSlots;

    @GuardedBy("this")
    private boolean wasUp;

    @GuardedBy("this")
    private boolean faulty;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param target the program and the credential of callbacks
     * @param attributes as granted to the client
     * @param timeout how long the client may take to answer
     * @param path the client's callback path, which takes the callbacks that this back channel cannot send
     * @param later executes, after a pause, a callback that the client was too busy for, or may never have had
     */
    public BackChannel(
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

    /** BACKCHANNEL_CTL: changes the program and the credential of further callbacks. */
    public synchronized void retarget(CallbackTarget other) {
        target = other;
    }

    /** Whether a connection may be bound to it: only if the server can write a credential that the client accepts. */
    public synchronized boolean isUsable() {
        return target.credential() != null;
    }

    public synchronized boolean isUp() {
        return !peers.isEmpty() && !faulty && !closed;
    }

    /** Whether a connection was ever bound to it. */
    public synchronized boolean wasUp() {
        return wasUp;
    }

    /** Whether client and server disagree on the state of a slot, so that only a new session helps. */
    public synchronized boolean isFaulty() {
        return faulty;
    }

    public synchronized boolean uses(RpcPeer peer) {
        return peers.contains(peer);
    }

    /** Adds a connection by which the client accepts callbacks. */
    public void bind(RpcPeer peer) {
        boolean waits;
        synchronized (this) {
            if (closed || peers.contains(peer)) {
                return;
            }
            waits = !silent(peer).isEmpty();
            peers.addFirst(peer);
            wasUp = true;
        }
        sendAll();
        path.resume();
        if (waits) {
            endSilentLater(peer);
        }
    }

    private void endSilentLater(RpcPeer bound) {
        try {
            later.execute(() -> endSilent(bound));
        } catch (Throwable e) { // the callbacks' time-outs end the wait
            LOG.warn("A connection without an answer to a callback cannot be ended soon", e);
        }
    }

    /**
     * Ends the connections on which callbacks have no answer since before another one was bound. The callbacks are sent
     * again by that one then, which they must not be before the first connection has ended (RFC 8881 section 2.9.2).
     */
    private void endSilent(RpcPeer bound) {
        Set<RpcPeer> silent;
        synchronized (this) {
            if (bound != peers.peekFirst()) {
                return; // lost, or another one was bound meanwhile
            }
            silent = silent(bound);
        }
        for (RpcPeer peer : silent) {
            LOG.info(
                    "The connection to {} ends: the client has bound another one since the server called by it",
                    peer.remoteAddress());
            peer.disconnect();
        }
    }

    /** The connections but this one on which callbacks are in progress. */
    @GuardedBy("this")
    private Set<RpcPeer> silent(RpcPeer bound) {
        Set<RpcPeer> silent = new HashSet<>();
        for (CallbackSlot slot : slots) {
            if (slot.isSent && slot.peer != null && slot.peer != bound) {
                silent.add(slot.peer);
            }
        }
        return silent;
    }

    /** Removes a connection. Callbacks in progress on it fail by themselves. */
    public synchronized void unbind(RpcPeer peer) {
        peers.remove(peer);
    }

    /** Accepts a callback, unless there is no connection. */
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

    /** Ends the back channel with its session. Returns the callbacks that were not answered. */
    synchronized List<Callback> close() {
        closed = true;
        peers.clear();
        return release();
    }

    @GuardedBy("this")
    private List<Callback> release() {
        List<Callback> released = new ArrayList<>(waiting.size() + slots.length);
        released.addAll(waiting);
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

    /** The next callback to send: first those that were lost with a connection, in their slots. */
    private Runnable next() {
        List<Callback> unwanted = new ArrayList<>(0);
        Runnable found;
        synchronized (this) {
            found = isUp() ? nextLocked(unwanted) : null;
        }
        unwanted.forEach(Callback::failed);
        return found;
    }

    @GuardedBy("this")
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
                slots[i].enter(session, waiting.element(), highestSlot(i));
                waiting.remove();
                return send(slots[i]);
            }
        }
        return null;
    }

    @GuardedBy("this")
    private Runnable send(CallbackSlot slot) {
        RpcPeer peer = peers.getFirst();
        Callback callback = slot.callback;
        CbSequence.Args sequence = slot.args; // a retry sends the same
        RpcCall call = target.call().timeout(timeout).maxReplySize(MAX_REPLY);
        Runnable send = () -> {
            CompletableFuture<CallbackAnswer> answered;
            try {
                CbCompound.encodeArgs(
                        call.arguments(), new CbCompound.Args("", Compound.MINOR_VERSION, CallbackAnswer.OPERATIONS));
                CbSequence.encodeArgs(call.arguments(), sequence);
                callback.encodeArgs(call.arguments());
                answered = peer.call(call, results -> CallbackAnswer.decode(results, callback));
            } catch (Throwable e) { // counts as a failure at the client: the slot is not used any more
                answered = CompletableFuture.failedFuture(e);
            }
            Futures.whenDone(
                    answered,
                    thrown -> LOG.error("A callback's end could not be dealt with", thrown),
                    (answer, failure) -> completed(slot, callback, peer, answer, failure));
        };
        slot.isSent = true; // last: where there is no memory, the next one that sends tries again
        slot.peer = peer;
        return send;
    }

    @GuardedBy("this")
    private int highestSlot(int entered) {
        int highest = entered;
        for (CallbackSlot slot : slots) {
            if (slot.callback != null) {
                highest = Math.max(highest, slot.id);
            }
        }
        return highest;
    }

    private void completed(CallbackSlot slot, Callback callback, RpcPeer peer, CallbackAnswer answer, Throwable cause) {
        Runnable rest = () -> {};
        synchronized (this) {
            // else the session has ended meanwhile, and another back channel has the callback
            if (slot.callback == callback) {
                rest = cause == null ? answered(slot, answer) : failed(slot, peer, cause);
            }
        }
        rest.run();
        sendAll();
    }

    /** Returns the action that the caller runs after it released the lock. */
    @GuardedBy("this")
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

    /** Returns the action that the caller runs after it released the lock. */
    @GuardedBy("this")
    private Runnable delayed(CallbackSlot slot) {
        if (slot.mayBeExecuted) {
            // RFC 8881 section 2.10.6.2: the first request may still be in progress there, so the slot stays as it is
            Callback callback = slot.callback;
            slot.peer = null;
            return () -> sendAgainLater(slot, callback);
        }
        Callback callback = slot.undo();
        return () -> callback.answered(NFS4ERR_DELAY);
    }

    private void sendAgainLater(CallbackSlot slot, Callback callback) {
        try {
            later.execute(() -> sendAgain(slot, callback));
        } catch (Throwable e) { // without the pause: nobody else would send it again, or use its slot
            sendAgain(slot, callback);
            LOG.warn("A client that is busy was called again at once", e);
        }
    }

    private void sendAgain(CallbackSlot slot, Callback callback) {
        synchronized (this) {
            if (slot.callback == callback) { // else the session has ended meanwhile
                slot.isSent = false;
            }
        }
        sendAll();
    }

    /** Returns the action that the caller runs after it released the lock. */
    @GuardedBy("this")
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
        // RFC 8881 section 2.10.6.2: sent again by another connection; only an answer settles the slot
        slot.isSent = false;
        slot.mayBeExecuted = true;
        return () -> {};
    }

    private static boolean isUnsent(Throwable cause) {
        return cause instanceof CallTimedOutException timedOut && !timedOut.wasSent();
    }

    @GuardedBy("this")
    private Runnable fault(String what) {
        LOG.warn("The back channel of session {} is of no use any more: {}", session, what);
        faulty = true;
        List<Callback> released = release();
        return () -> path.callAll(released);
    }
}
