package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * One request on its way: it takes a slot, is sent, sent again with the same slot and sequence number as long as no
 * reply came (so that the server's reply cache makes it happen once), and begun anew in another session where the
 * session is lost. Steps follow one another, on whatever thread the last one ended.
 */
final class Exchange<T> implements SlotTable.Waiter {
    private final Requester requester;
    private final Request<T> request;
    private final Session fixedSession;
    private final HeldLocks reliedOn;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private final Operations operations = new Operations();
    private final Journey journey;
    private final Reply<T> reply;
    private Session session;
    private Slot slot;
    private int slotNumber = -1;
    private final Patience patience;
    /** Whether it was sent as it is, and may have been executed: no reply told. */
    private boolean unanswered;
    /** The same of the slot that it has now: whether the server knows the slot's number is open. */
    private boolean inDoubt;
    /** Since when it wants a slot. */
    private long wantedNanos;

    /**
     * @param fixedSession the session to use and no other, or null for the mount's present one
     * @param reliedOn locks without which the request must not be sent, or null
     */
    Exchange(Requester requester, Request<T> request, Session fixedSession, HeldLocks reliedOn) {
        this.requester = requester;
        this.request = request;
        this.fixedSession = fixedSession;
        this.reliedOn = reliedOn;
        this.reply = new Reply<>(requester, request);
        this.patience = new Patience(requester, fixedSession != null);
        this.journey = new Journey(requester);
    }

    CompletableFuture<T> start() {
        begin();
        return result;
    }

    private void begin() {
        if (fixedSession != null) {
            begin(fixedSession);
            return;
        }
        CompletableFuture<Session> pending = requester.sessions().session();
        if (pending.isDone() && !pending.isCompletedExceptionally()) {
            begin(pending.join());
            return;
        }
        Futures.whenDone(pending, (made, thrown) -> {
            if (thrown != null) {
                fail(requester.isClosed() ? requester.lifetime().refusal(unanswered) : thrown);
            } else {
                begin(made);
            }
        });
    }

    private void begin(Session usable) {
        session = usable;
        wantedNanos = System.nanoTime();
        session.slots().acquire(this);
    }

    @Override
    public void granted(Slot granted) {
        slot = granted;
        slotNumber = granted.id();
        inDoubt = false;
        send();
    }

    @Override
    public void refused() {
        restart();
    }

    @Override
    public long sinceNanos() {
        return wantedNanos;
    }

    @Override
    public IOException impatience() {
        return patience.impatience(System.nanoTime() - wantedNanos);
    }

    @Override
    public void dismissed(Throwable why) {
        fail(requester.isClosed() ? requester.lifetime().refusal(unanswered) : why);
    }

    /** The session is gone: the request goes on in the next one. */
    private void restart() {
        release(); // for a session that is being replaced, which ends once it is idle
        patience.renew();
        if (fixedSession != null) {
            fail(new StatusException(Status.NFS4ERR_BADSESSION, Opcode.SEQUENCE));
        } else {
            begin();
        }
    }

    private void send() {
        if (session.isDead()) {
            restart();
            return;
        }
        patience.attempt();
        Line present = requester.link().current();
        if (present != null) {
            sendOn(present);
            return;
        }
        Futures.whenDone(requester.link().connected(), (made, thrown) -> {
            if (thrown != null) {
                notSent(thrown);
            } else {
                sendOn(made);
            }
        });
    }

    private void sendOn(Line connection) {
        // it may have waited long, for a slot or another session: a lock that was held when it began can be lost
        IOException lost = reliedOn == null ? null : reliedOn.lost();
        if (lost != null) {
            giveUp(lost);
            return;
        }
        reply.expect(session, slot);
        CompletableFuture<Void> answered;
        try {
            RpcCall call = encode();
            journey.encoded(operations.characteristic(), call);
            answered = connection.call(call, reply, journey);
        } catch (RuntimeException | Error e) {
            giveUp(e); // on a thread that brought the connection, nobody else would tell
            return;
        }
        if (answered == null) {
            send(); // the connection is being left, and was not yet when it was looked at
            return;
        }
        if (unanswered) {
            requester.swaps().replayed();
        }
        Futures.whenDone(answered, (nothing, thrown) -> {
            connection.answered();
            try {
                completed(connection, thrown);
            } catch (RuntimeException | Error e) {
                inDoubt = true; // of a slot that it still has
                giveUp(e);
            }
        });
    }

    private RpcCall encode() {
        RpcCall call = requester.newCall(slot.writer());
        operations.begin(call.arguments());
        Sequence.Args sequence = new Sequence.Args(
                session.id(), slot.sequenceId(), slot.id(), session.slots().highestUsed(), request.isCached());
        Sequence.encodeArgs(operations.next(), sequence);
        request.encode(operations);
        operations.end();
        call.maxReplySize(request.maxReplySize());
        ByteBuffer sink = request.sink();
        if (sink != null) {
            call.expectData(sink);
        }
        return call;
    }

    private void completed(Line connection, Throwable thrown) {
        Status sequenced = reply.sequenceStatus();
        if (sequenced == null) {
            journey.unanswered();
        } else {
            journey.answered(reply.octets());
        }
        if (sequenced != null && sequenced != Status.NFS4ERR_CONN_NOT_BOUND_TO_SESSION) {
            patience.renew();
        }
        if (sequenced == null) {
            noReply(connection, thrown);
        } else if (sequenced.isOk()) {
            unanswered = false;
            inDoubt = false;
            slot.advance();
            release();
            executed(thrown, reply.failure());
        } else {
            sequenceFailed(sequenced);
        }
    }

    private void executed(Throwable thrown, StatusException failure) {
        if (thrown != null) {
            fail(thrown);
        } else if (failure == null) {
            T done = reply.value();
            ended(null);
            Blocking.completing(() -> result.complete(done));
        } else if (failure.status() == Status.NFS4ERR_RETRY_UNCACHED_REP && !request.isCached()) {
            // a repetition of what the server had executed: it says so behind SEQUENCE (RFC 8881 section 2.10.6.1.3)
            begin();
        } else if (isPassing(failure.status()) && patience.mayWaitOut(failure.status())) {
            requester.waits().begin(this, failure.status(), failure.opcode());
            requester.later(this::begin, patience.nextWaitMillis(), this::fail);
        } else if (failure.status() == Status.NFS4ERR_MOVED && operations.object() != null && !isLocating()) {
            locate(failure);
        } else {
            fail(failure);
        }
    }

    private boolean isLocating() {
        return request instanceof LocateRequest;
    }

    /** Asks where the object is now, once, so that its user is told. */
    private void locate(StatusException failure) {
        LocateRequest where = LocateRequest.of(operations.object());
        Futures.whenDone(
                fixedSession == null ? requester.call(where) : requester.call(where, fixedSession),
                (locations, thrown) -> fail(new MovedException(failure.opcode(), locations, "")));
    }

    private static boolean isPassing(Status status) {
        return status == Status.NFS4ERR_DELAY || status == Status.NFS4ERR_GRACE;
    }

    /** SEQUENCE failed, so that nothing was executed, or not again (RFC 8881 section 18.46.3). */
    private void sequenceFailed(Status sequenceStatus) {
        StatusException failure = new StatusException(sequenceStatus, Opcode.SEQUENCE);
        switch (sequenceStatus) {
            case NFS4ERR_DELAY -> {
                if (patience.mayWaitOut(sequenceStatus)) {
                    requester.waits().begin(this, sequenceStatus, operations.characteristic());
                    requester.later(this::send, patience.nextWaitMillis(), this::refused);
                } else {
                    giveUp(failure);
                }
            }
            case NFS4ERR_BADSESSION, NFS4ERR_DEADSESSION, NFS4ERR_SEQ_MISORDERED, NFS4ERR_BADSLOT -> {
                requester.sessions().lost(session, sequenceStatus);
                restart();
            }
            case NFS4ERR_CONN_NOT_BOUND_TO_SESSION ->
                Futures.whenDone(
                        requester.sessions().backChannel().bind(session),
                        (bound, thrown) -> againOrFail(thrown == null ? failure : thrown));
            case NFS4ERR_SEQ_FALSE_RETRY, NFS4ERR_RETRY_UNCACHED_REP -> answeredBefore(failure);
            default -> {
                release();
                fail(failure);
            }
        }
    }

    /** The slot's number is used up. What the server did not need to keep the reply of may be done again. */
    private void answeredBefore(StatusException failure) {
        slot.advance();
        release();
        if (request.isCached() && failure.status() == Status.NFS4ERR_RETRY_UNCACHED_REP) {
            fail(failure);
        } else {
            begin();
        }
    }

    /** No reply that could be read: whether the request was executed is open, unless it certainly was not sent. */
    private void noReply(Line connection, Throwable thrown) {
        boolean sent = mayBeSent(thrown);
        unanswered |= sent;
        inDoubt |= sent;
        requester.link().failed(connection, thrown);
        Throwable reason = requester.link().meaning(connection, thrown);
        boolean mayHelp = reason instanceof TransportLostException
                || reason instanceof CallTimedOutException
                || reason instanceof MissingServiceException;
        if (mayHelp) {
            notSent(reason);
        } else {
            giveUp(reason);
        }
    }

    private static boolean mayBeSent(Throwable thrown) {
        if (thrown instanceof CallTimedOutException late) {
            return late.wasSent();
        }
        if (thrown instanceof TransportLostException lost) {
            return lost.wasSent();
        }
        return !(thrown instanceof MissingServiceException missing) || missing.wasSent();
    }

    private void notSent(Throwable thrown) {
        if (requester.isClosed()) {
            giveUp(requester.lifetime().refusal(unanswered)); // which is why the connection was closed
        } else if (thrown instanceof IllegalArgumentException) {
            giveUp(thrown);
        } else {
            againOrFail(thrown);
        }
    }

    /** Once more with the same slot and number. */
    private void againOrFail(Throwable reason) {
        if (patience.mayRetry(reason)) {
            requester.later(this::send, patience.nextRetryMillis(), this::refused);
        } else {
            giveUp(reason);
        }
    }

    /** It is not to be tried again: because the mount has ended, or as trying has failed. */
    private void refused(Throwable why) {
        giveUp(requester.isClosed() ? requester.lifetime().refusal(unanswered) : why);
    }

    /** The slot goes back as it was, unless the server may have seen its number. */
    private void giveUp(Throwable reason) {
        if (inDoubt && slot != null) {
            Slot doubtful = slot;
            slot = null;
            requester.sessions().doubt(session, doubtful);
        } else {
            release();
        }
        fail(reason);
    }

    /** Gives the slot back if there still is one: once, as it may be another's from then on. */
    private void release() {
        Slot done = slot;
        slot = null;
        if (done != null) {
            session.slots().release(done);
        }
    }

    private void ended(Throwable thrown) {
        requester.waits().end(this);
        journey.ended(session, slotNumber, thrown);
    }

    private void fail(Throwable thrown) {
        ended(thrown);
        Blocking.completing(() -> result.completeExceptionally(thrown));
    }
}
