package io.verbena.nfs41.client.internal.session;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.LocateRequest;
import io.verbena.nfs41.client.internal.compound.MovedException;
import io.verbena.nfs41.client.internal.compound.RepeatedChangeException;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.compound.TransferTooLargeException;
import io.verbena.nfs41.client.internal.figures.RequestTimeline;
import io.verbena.nfs41.client.internal.link.CallAttempt;
import io.verbena.nfs41.client.internal.link.LinkConnection;
import io.verbena.nfs41.client.internal.security.MountSecurity;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.OperationWait;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpc.security.SecurityUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Executes one request exactly once. The request takes a slot and is sent; without a reply it is sent again with the
 * same slot and sequence number, so that the server's reply cache executes it once; where the session is lost, it
 * begins again in the next session. One step follows another, each on the thread that ended the step before. {@link
 * RequestExecutionState} has the table of its states.
 */
final class RequestExecution<T> implements SlotTable.Waiter, OperationWait.Step {
    private static final int MOST_LOST_CONTEXTS = 3;

    private final CompoundCaller caller;
    private final CompoundRequest<T> request;
    private final Session fixedSession;
    private final SendPrecondition guard;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private final CompoundWriter operations = new CompoundWriter();
    private final RequestTimeline timeline;
    private final Reply<T> reply;
    /** Null where the request moves no data, or only as a whole. */
    private final TransferAttempts transfer;
    /** The attempts that use a caller's buffer; null where the request uses none. */
    private final BorrowingFuture.Attempts uses;
    /** The operation whose end ends the waits of the request; null where nobody can give it up. */
    private final BorrowingFuture<?> operation;

    private Session session;
    private Slot slot;
    private int slotNumber = -1;
    private final RequestRetry retry;
    private volatile RequestExecutionState state = RequestExecutionState.SESSION;
    /**
     * The attempt under way in {@link RequestExecutionState#CONNECTION} and {@link RequestExecutionState#SENT}; else
     * null or one that has ended.
     */
    private CallAttempt attempt;
    /** The last call that was sent. */
    private RpcCall lastCall;
    /** Whether the request was sent, and may have been executed: no reply told. */
    private boolean unanswered;
    /**
     * Whether the request was sent in a session that was lost before it was answered: the server may have executed it,
     * and executes it again.
     */
    private boolean mayBeDone;
    /** Whether the sequence number of the present slot is uncertain: the server may or may not have seen it. */
    private boolean inDoubt;
    /** How often in a row the server did not know the security context of the request. */
    private int lostContexts;
    /** When the request began to wait for a session or a slot. */
    private long wantedNanos;

    /**
     * @param fixedSession the session to use and no other, or null for the mount's present one
     * @param guard checked each time before the request is sent, or null
     */
    RequestExecution(CompoundCaller caller, CompoundRequest<T> request, Session fixedSession, SendPrecondition guard) {
        this.caller = caller;
        this.request = request;
        this.fixedSession = fixedSession;
        this.guard = guard;
        this.reply = new Reply<>(caller, request);
        this.transfer = request.transferOctets() == 0
                ? null
                : new TransferAttempts(
                        caller.transferLimit(),
                        caller.runtime(),
                        request.transferOctets(),
                        task -> caller.later(task, 0, refused -> {}));
        this.uses = request.borrower() == null ? null : new BorrowingFuture.Attempts(request.borrower());
        this.operation = request.operation();
        this.retry = new RequestRetry(caller, fixedSession != null, request.spentNanos());
        this.timeline = new RequestTimeline(caller.settings().name(), caller.meters(), caller.runtime());
    }

    CompletableFuture<T> start() {
        begin();
        return result;
    }

    /** Runs one step. A Throwable of the step ends this request and no other. */
    private void step(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    private void begin() {
        state = RequestExecutionState.SESSION;
        step(this::takeSession);
    }

    private void takeSession() {
        if (retry.isOver()) { // the server is silent for too long
            fail(caller.silence().failure());
            return;
        }
        if (fixedSession != null) {
            begin(fixedSession);
            return;
        }
        CompletableFuture<Session> pending = caller.sessions().session();
        if (pending.isDone() && !pending.isCompletedExceptionally()) {
            begin(pending.getNow(null)); // which is done
            return;
        }
        wantedNanos = caller.runtime().nanoTime();
        new RequestWait(this, operation).until(bounded(pending, retry::withoutSession), RequestExecution::inSession);
    }

    private void inSession(Session made, Throwable thrown) {
        if (thrown != null) {
            fail(orRefusal(thrown));
        } else {
            retry.renewInSession(caller.runtime().nanoTime() - wantedNanos); // the server was there to make it
            begin(made);
        }
    }

    private <V> CompletableFuture<V> bounded(CompletableFuture<V> awaited, Supplier<IOException> giveUpReason) {
        return retry.isBounded() ? caller.boundedWaits().of(awaited, giveUpReason) : awaited;
    }

    private void begin(Session usable) {
        session = usable;
        state = RequestExecutionState.SLOT;
        wantedNanos = caller.runtime().nanoTime();
        if (operation == null) {
            session.slots().acquire(this);
        } else {
            new RequestWait(this, operation).in(session.slots());
        }
    }

    @Override
    public void granted(Slot granted) {
        slot = granted;
        slotNumber = granted.id();
        inDoubt = false;
        step(this::send);
    }

    @Override
    public void refused() {
        step(this::restart);
    }

    @Override
    public long sinceNanos() {
        return wantedNanos;
    }

    @Override
    public IOException giveUpReason() {
        return retry.giveUpReason();
    }

    @Override
    public void dismissed(Throwable why) {
        fail(orRefusal(why));
    }

    /** The session has ended: the request begins again in the next session. */
    private void restart() {
        release(); // for a session that is being replaced, which ends once it is idle
        mayBeDone |= unanswered;
        retry.renew();
        if (fixedSession != null || !retry.mayRestart()) {
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
        state = RequestExecutionState.CONNECTION;
        attempt = new CallAttempt(caller.silence());
        LinkConnection present =
                request.isSpread() ? caller.link().leastBusy() : caller.link().current();
        if (present != null) {
            sendOn(present);
            return;
        }
        new RequestWait(this, operation)
                .until(bounded(caller.link().connected(), retry::unconnected), RequestExecution::connected);
    }

    private void connected(LinkConnection made, Throwable thrown) {
        if (thrown != null) {
            notSent(thrown);
        } else {
            sendOn(made);
        }
    }

    private void sendOn(LinkConnection connection) {
        // the request may have waited long for a slot or a session: a lock that it relies on can be lost by now
        IOException lost = guard == null ? null : guard.lost();
        if (lost != null) {
            giveUp(lost);
            return;
        }
        if (isGivenUp() || (uses != null && !uses.begin() && !goesOn())) {
            giveUp(new CancellationException("the operation was given up"));
            return;
        }
        if (transfer != null) {
            transfer.sent();
        }
        reply.expect(session, slot);
        state = RequestExecutionState.SENT;
        RpcCall call = encode();
        lastCall = call;
        timeline.encoded(operations.characteristic(), call);
        CompletableFuture<Void> answered = connection.call(call, reply, unanswered ? this::replay : timeline);
        if (answered == null) {
            endUse();
            attempt.unanswered(null);
            send(); // the transport began to leave the connection after current()
            return;
        }
        if (transfer != null) {
            transfer.begun(answered);
        }
        if (uses != null) {
            uses.underWay(answered);
        }
        Futures.whenDoneElse(
                answered,
                (nothing, thrown) -> {
                    connection.answered();
                    completed(connection, thrown);
                },
                thrown -> {
                    answered.cancel(false); // nobody takes the reply
                    inDoubt = true; // the request still holds its slot
                    giveUp(thrown);
                });
    }

    /** Counts a repetition, right before it is sent: the count is visible as soon as the answer is. */
    private void replay() {
        caller.swaps().replayed();
        timeline.run();
    }

    private RpcCall encode() {
        RpcCall call = caller.newCall(slot.writer()).timeout(retry.attemptTime());
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

    private void completed(LinkConnection connection, Throwable thrown) {
        endUse();
        if (transfer != null) {
            transfer.ended();
        }
        Status sequenced = reply.sequenceStatus();
        if (sequenced == null) {
            timeline.unanswered();
        } else {
            attempt.answered(connection);
            timeline.answered(reply.octets());
        }
        if (sequenced != null && sequenced != Status.NFS4ERR_CONN_NOT_BOUND_TO_SESSION) {
            retry.renew();
        }
        if (sequenced == null) {
            noReply(connection, thrown);
        } else if (sequenced.isOk()) {
            unanswered = false;
            inDoubt = false;
            slot.advance();
            if (fixedSession == null) {
                session.used();
            }
            release();
            executed(thrown, reply.failure());
        } else {
            unanswered |= lastCall.transmissions() > 1; // by the transport itself, on another connection
            sequenceFailed(sequenced, connection);
        }
    }

    private void executed(Throwable thrown, StatusException failure) {
        if (thrown != null) {
            fail(thrown);
        } else if (failure == null) {
            T done = reply.value();
            if (transfer != null) {
                transfer.answered();
            }
            ended(null);
            Futures.complete(result, done, null);
        } else if (failure.status() == Status.NFS4ERR_RETRY_UNCACHED_REP && !request.isCached()) {
            // the server has executed the request before and says so behind SEQUENCE (RFC 8881 section 2.10.6.1.3)
            repeat(failure);
        } else if (isPassing(failure.status()) && retry.mayWaitOut(failure.status())) {
            postpone(failure.status(), failure.opcode(), retry.nextWaitMillis(failure.status()));
        } else if (failure.status() == Status.NFS4ERR_MOVED && operations.object() != null && !isLocating()) {
            locate(failure);
        } else {
            if (mayBeDone) {
                request.setMayBeDone();
            }
            fail(mayBeDone && request.isCached() ? RepeatedChangeException.of(failure) : failure);
        }
    }

    /** Begins the request again after a pause. */
    private void postpone(Status why, int opcode, long millis) {
        state = RequestExecutionState.POSTPONED;
        caller.waits().begin(this, why, opcode);
        caller.later(
                () -> {
                    retry.renew(); // what the server put off is no time without a reply
                    begin();
                },
                millis,
                this::dismissed);
    }

    /** Begins the request again, as the server took it for a repetition: the first time at once, then after pauses. */
    private void repeat(StatusException failure) {
        if (!retry.mayRepeat()) {
            fail(failure.status() == Status.NFS4ERR_RETRY_UNCACHED_REP ? retry.repliesLost() : failure);
            return;
        }
        long pauseMillis = retry.nextRepetitionMillis();
        if (pauseMillis == 0) {
            begin();
            return;
        }
        if (retry.wantsAnotherSession()) {
            caller.sessions().replace(session, "the server takes requests for repetitions, " + failure.status());
        }
        postpone(failure.status(), operations.characteristic(), pauseMillis);
    }

    private boolean isLocating() {
        return request instanceof LocateRequest;
    }

    /** Asks once where the object is now, for the message of the failure. */
    private void locate(StatusException failure) {
        state = RequestExecutionState.LOCATING;
        LocateRequest where = LocateRequest.of(operations.object());
        Futures.whenDoneElse(
                fixedSession == null ? caller.call(where) : caller.call(where, fixedSession),
                (locations, thrown) -> fail(new MovedException(failure.opcode(), locations, "")),
                this::fail);
    }

    private static boolean isPassing(Status status) {
        return status == Status.NFS4ERR_DELAY || status == Status.NFS4ERR_GRACE;
    }

    /** SEQUENCE failed: the server has executed nothing now (RFC 8881 section 18.46.3). */
    private void sequenceFailed(Status sequenceStatus, LinkConnection connection) {
        StatusException failure = new StatusException(sequenceStatus, Opcode.SEQUENCE);
        switch (sequenceStatus) {
            case NFS4ERR_DELAY -> {
                if (retry.mayWaitOut(sequenceStatus)) {
                    state = RequestExecutionState.PAUSE;
                    caller.waits().begin(this, sequenceStatus, operations.characteristic());
                    caller.later(
                            () -> {
                                retry.renew();
                                send();
                            },
                            retry.nextWaitMillis(sequenceStatus),
                            this::refused);
                } else {
                    giveUp(failure);
                }
            }
            case NFS4ERR_BADSESSION, NFS4ERR_DEADSESSION, NFS4ERR_SEQ_MISORDERED, NFS4ERR_BADSLOT -> {
                caller.sessions().lost(session, sequenceStatus);
                restart();
            }
            case NFS4ERR_CONN_NOT_BOUND_TO_SESSION -> {
                if (caller.link().extras().drop(connection)) {
                    againOrFail(failure);
                    return;
                }
                state = RequestExecutionState.BINDING;
                Futures.whenDoneElse(
                        bounded(caller.sessions().backChannel().bind(session), retry::unbound),
                        (bound, thrown) -> againOrFail(thrown == null ? failure : thrown),
                        this::giveUp);
            }
            case NFS4ERR_SEQ_FALSE_RETRY, NFS4ERR_RETRY_UNCACHED_REP -> answeredBefore(failure);
            default -> {
                release();
                fail(failure);
            }
        }
    }

    /**
     * The server has answered this sequence number before. A request whose reply need not be cached may be repeated,
     * and any request that the server takes for another one, unless it was sent before: the server may have executed it
     * then.
     */
    private void answeredBefore(StatusException failure) {
        boolean isSentBefore = unanswered;
        mayBeDone |= unanswered;
        slot.advance();
        release();
        if (request.isCached() && (isSentBefore || failure.status() == Status.NFS4ERR_RETRY_UNCACHED_REP)) {
            fail(RepeatedChangeException.of(failure));
        } else {
            repeat(failure);
        }
    }

    /** No readable reply came. Whether the server executed the request is open, unless it was certainly not sent. */
    private void noReply(LinkConnection connection, Throwable thrown) {
        boolean isCancelled = thrown instanceof CancellationException;
        boolean sent = isCancelled ? lastCall.transmissions() > 0 : mayBeSent(thrown);
        unanswered |= sent;
        inDoubt |= sent;
        caller.link().failed(connection, thrown);
        if (isGivenUp()) {
            giveUp(thrown);
            return;
        }
        Throwable reason = caller.link().meaning(connection, thrown);
        if (sent && transfer != null && !caller.isClosed() && transfer.isSuspect(reason)) {
            attempt.unanswered(reason);
            settle();
            return;
        }
        boolean mayHelp = reason instanceof TransportLostException
                || reason instanceof CallTimedOutException
                || reason instanceof MissingServiceException
                || reason instanceof CancellationException // of a transfer that may be too large
                || (reason instanceof SecurityUnavailableException lack && lack.isPassing())
                || mayHaveAnotherContext(reason);
        if (mayHelp) {
            notSent(reason);
        } else {
            giveUp(reason);
        }
    }

    /**
     * Finds out by a SEQUENCE alone in the request's slot whether the path carries small requests. The answer settles
     * the slot, in which only the same request could be sent again otherwise (RFC 8881 section 2.10.6.1.3): the server
     * does not execute the request any more, and its octets may go by smaller ones. A request that must not be executed
     * twice, and was executed, is sent again instead: the server has kept its reply.
     */
    private void settle() {
        state = RequestExecutionState.SETTLING;
        Slot doubtful = slot;
        slot = null;
        inDoubt = false;
        AtomicBoolean isSettled = new AtomicBoolean();
        Futures.whenDoneElse(
                bounded(
                        caller.sessions().markUncertain(session, doubtful, probed(doubtful, isSettled)),
                        retry::unconnected),
                (settled, thrown) -> {
                    if (!isSettled.compareAndSet(false, true)) {
                        return; // the request is sent again
                    }
                    if (caller.isClosed()) {
                        fail(refusal());
                    } else if (thrown != null) {
                        fail(thrown);
                    } else if (session.isDead()) {
                        restart();
                    } else {
                        tooLarge();
                    }
                },
                this::fail);
    }

    private void tooLarge() {
        transfer.shrink();
        if (request.isCached() && mayBeDone) {
            fail(RepeatedChangeException.of(
                    new StatusException(Status.NFS4ERR_RETRY_UNCACHED_REP, operations.characteristic())));
        } else if (retry.hasTimeLeft()) {
            fail(new TransferTooLargeException(retry.spentNanos()));
        } else {
            fail(new CallTimedOutException(
                    "the connection was lost with each request that moves " + request.transferOctets()
                            + " octets, and no time is left for smaller ones",
                    true));
        }
    }

    private ProbedRequest probed(Slot doubtful, AtomicBoolean isSettled) {
        return new ProbedRequest() {
            @Override
            public boolean isCached() {
                return request.isCached();
            }

            @Override
            public int maxReplySize() {
                return request.maxReplySize();
            }

            @Override
            public boolean takeBack() {
                if (!request.isCached() || !isSettled.compareAndSet(false, true)) {
                    return false;
                }
                slot = doubtful;
                inDoubt = true;
                transfer.executed();
                step(RequestExecution.this::send);
                return true;
            }
        };
    }

    /** Whether a new security context helps; a server that forgets each one is given up. */
    private boolean mayHaveAnotherContext(Throwable reason) {
        lostContexts = MountSecurity.isContextLost(reason) ? lostContexts + 1 : 0;
        return lostContexts > 0 && lostContexts < MOST_LOST_CONTEXTS;
    }

    private static boolean mayBeSent(Throwable thrown) {
        if (thrown instanceof SecurityUnavailableException) {
            return false;
        }
        if (thrown instanceof RpcRejectedException rejected) {
            return rejected.wasSent();
        }
        if (thrown instanceof CallTimedOutException late) {
            return late.wasSent();
        }
        if (thrown instanceof TransportLostException lost) {
            return lost.wasSent();
        }
        return !(thrown instanceof MissingServiceException missing) || missing.wasSent();
    }

    private void notSent(Throwable thrown) {
        attempt.unanswered(thrown);
        if (caller.isClosed()) {
            giveUp(refusal()); // which is why the connection was closed
        } else if (thrown instanceof IllegalArgumentException) {
            giveUp(thrown);
        } else {
            againOrFail(thrown);
        }
    }

    /** Sends the request again with the same slot and sequence number, or fails. */
    private void againOrFail(Throwable reason) {
        if (retry.mayRetry(reason)) {
            state = RequestExecutionState.PAUSE;
            if (reason instanceof LocalResourceException || reason instanceof SecurityUnavailableException) {
                caller.waits().beginLack(this, reason.getMessage());
            } else {
                caller.waits().end(this);
            }
            caller.later(this::send, retry.nextRetryMillis(), this::refused);
        } else {
            giveUp(reason);
        }
    }

    /** The next attempt was refused: the mount has ended, or no thread is left to make it. */
    private void refused(Throwable why) {
        giveUp(orRefusal(why));
    }

    /**
     * The failure, or that the mount has ended: then it counts whether this request was sent, and nobody else knows
     * that. A mount that ends refuses sessions before its calls are closed.
     */
    private Throwable orRefusal(Throwable why) {
        return caller.isClosed() || caller.lifetime().isEnded() ? refusal() : why;
    }

    /** Why the mount refuses the request now. */
    private IOException refusal() {
        return caller.lifetime().refusal(unanswered || mayBeDone);
    }

    /** Ends the request. The slot is free again, unless the server may have seen its sequence number. */
    @Override
    public void giveUp(Throwable reason) {
        try {
            if (inDoubt && slot != null) {
                Slot doubtful = slot;
                slot = null;
                CompletableFuture<Void> unused =
                        caller.sessions().markUncertain(session, doubtful, ProbedRequest.GIVEN_UP);
            } else {
                release();
            }
        } finally {
            fail(reason);
        }
    }

    /** Gives the slot back, once: another request may hold it from then on. */
    private void release() {
        Slot done = slot;
        slot = null;
        if (done != null) {
            if (uses != null) {
                done.writer().reset(); // an idle slot keeps no buffer of a caller
            }
            session.slots().release(done);
        }
    }

    /** Whether the operation was given up, and the request ends with it. */
    private boolean isGivenUp() {
        return operation != null && operation.isGivenUp() && !goesOn();
    }

    /** The operation was given up: whether the request has to go on, as the server may have executed it. */
    @Override
    public boolean goesOn() {
        return (unanswered || mayBeDone) && request.leaveBuffer();
    }

    /** The present attempt does not use the caller's buffer any more. */
    private void endUse() {
        if (uses != null) {
            uses.end();
        }
    }

    /** The present state. */
    RequestExecutionState state() {
        return state;
    }

    private void ended(Throwable thrown) {
        if (state == RequestExecutionState.DONE) {
            return; // a step failed after the end
        }
        state = RequestExecutionState.DONE;
        endUse();
        if (transfer != null) {
            transfer.ended();
        }
        if (attempt != null) {
            attempt.unanswered(null); // where it ended in between
        }
        caller.waits().end(this);
        timeline.ended(session == null ? null : session.id(), slotNumber, thrown);
    }

    private void fail(Throwable thrown) {
        try {
            ended(thrown);
        } finally {
            Futures.fail(result, thrown);
        }
    }
}
