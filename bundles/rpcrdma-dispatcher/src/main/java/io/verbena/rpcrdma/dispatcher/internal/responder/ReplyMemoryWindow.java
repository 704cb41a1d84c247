package io.verbena.rpcrdma.dispatcher.internal.responder;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.WriteList;
import io.verbena.rpcrdma.dispatcher.internal.responder.ReceivedCall.State;
import java.util.ArrayDeque;

/**
 * Bounds the memory that the replies of one connection hold until the peer has taken them: a call whose reply may be
 * long is handed to the program only when there is room for that reply. Until then the call costs its receive buffer,
 * which its credit stands for. Until the reply is encoded, its size is taken to be that of the chunks that the call
 * offers for it. A call without chunks has a reply of one inline message at most, and never waits. Thread safe.
 */
final class ReplyMemoryWindow {
    private final long most;

    @GuardedBy("this")
    private final OctetWindow window;

    @GuardedBy("this")
    private final ArrayDeque<ReceivedCall> waiting = new ArrayDeque<>();

    private volatile boolean anyWaits;

    ReplyMemoryWindow(long first, long most) {
        this.most = most;
        window = new OctetWindow(first, most);
    }

    /** Makes room for a call's reply; false where the call waits until {@link #next} gives it. Receive thread. */
    boolean admit(ReceivedCall request) {
        long octets = offered(request.header);
        if (octets == 0) {
            return true;
        }
        synchronized (this) {
            if (waiting.isEmpty() && window.take(octets)) {
                request.replyOctets = octets;
                return true;
            }
            request.state.set(State.POSTPONED);
            waiting.add(request);
            anyWaits = true;
            return false;
        }
    }

    /** The most that a reply by chunks can hold. */
    private long offered(TransportHeader call) {
        WriteList list = call.writeList();
        long octets = call.hasReplyChunk() ? call.replyChunk().totalLength() : 0;
        for (int i = 0; i < list.size(); i++) {
            octets += list.chunk(i).totalLength();
        }
        return Math.min(octets, most);
    }

    /** A reply is encoded, and holds that many octets. */
    synchronized void encoded(ReceivedCall request, long octets) {
        window.change(request.replyOctets, octets);
        request.replyOctets = octets;
    }

    /** The Send of a reply is complete: the peer, or the way to it, has taken the reply. */
    synchronized void sent(ReceivedCall request) {
        window.acknowledged(request.replyOctets);
    }

    /** A request holds nothing for its reply any more. */
    synchronized void released(ReceivedCall request) {
        window.give(request.replyOctets);
        request.replyOctets = 0;
    }

    /** Whether a call waits; cheap. */
    boolean anyWaits() {
        return anyWaits;
    }

    /** Takes a call that waits, for whose reply there is room now; null where there is none. */
    synchronized ReceivedCall next() {
        ReceivedCall next = waiting.peek();
        if (next == null) {
            return null;
        }
        long octets = offered(next.header);
        if (!window.take(octets)) {
            return null;
        }
        next.replyOctets = octets;
        waiting.poll();
        anyWaits = !waiting.isEmpty();
        return next;
    }

    synchronized long held() {
        return window.held();
    }

    /** The connection has ended: nothing waits any more. */
    synchronized void close() {
        waiting.clear();
        anyWaits = false;
    }
}
