package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.link.CallAttempt;
import io.verbena.nfs41.client.internal.link.LinkConnection;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.xdr.XdrReader;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Finds out the sequence number of a slot whose last request was given up without a reply: see {@link UncertainSlots}.
 */
final class SlotProbe {
    /** How often the server may answer NFS4ERR_DELAY before the slot is given up. */
    private static final int MAX_POSTPONED = 100;

    private final CompoundCaller caller;
    private final UncertainSlots uncertain;
    private final Session session;
    private final Slot slot;
    private final ProbedRequest request;
    private final RetryPolicy.Series retry;
    private int postponed;
    private long triedNanos;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** The last attempt, which may have ended; null before the first. */
    private CallAttempt attempt;

    SlotProbe(CompoundCaller caller, UncertainSlots uncertain, Session session, Slot slot, ProbedRequest request) {
        this.caller = caller;
        this.uncertain = uncertain;
        this.session = session;
        this.slot = slot;
        this.request = request;
        this.retry = caller.start(MountSettings.RETRIES);
    }

    Session session() {
        return session;
    }

    /**
     * Completes once the slot is free again, or taken back by the request, or its session has ended; fails while a
     * service is missing.
     */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Probes after a pause, and again until the server answers or a service of this host is found missing. */
    void start() {
        caller.later(this::send, retry.nextPauseMillis(), thrown -> giveUp());
    }

    /** Probes now. */
    void resume() {
        caller.later(this::send, 0, thrown -> giveUp());
    }

    private void send() {
        if (session.isDead() || caller.isClosed()) {
            uncertain.settled(this);
            Futures.complete(ended, null, null);
            return;
        }
        triedNanos = caller.runtime().nanoTime();
        attempt = new CallAttempt(caller.silence());
        Futures.whenDoneElse(
                caller.link().connected(),
                (connection, thrown) -> {
                    if (thrown != null) {
                        attempt.unanswered(thrown);
                        noAnswer(thrown);
                    } else {
                        sendOn(connection);
                    }
                },
                thrown -> giveUp());
    }

    private void sendOn(LinkConnection connection) {
        RpcCall call = caller.newCall(slot.writer());
        CompoundWriter operations = new CompoundWriter().begin(call.arguments());
        Sequence.encodeArgs(
                operations.next(),
                new Sequence.Args(session.id(), slot.sequenceId(), slot.id(), slot.id(), request.isCached()));
        operations.end();
        call.maxReplySize(request.maxReplySize());
        CompletableFuture<Status> reply = connection.call(call, SlotProbe::decode);
        if (reply == null) {
            attempt.unanswered(null);
            start();
            return;
        }
        Futures.whenDoneElse(reply, (status, thrown) -> replied(connection, status, thrown), thrown -> giveUp());
    }

    /** The status; that of a repetition where the server has answered with the kept reply of the request. */
    private static Status decode(XdrReader in) throws IOException {
        Results results = new Results().begin(in);
        Status status = results.status(Opcode.SEQUENCE);
        return results.count() > 1 ? Status.NFS4ERR_SEQ_FALSE_RETRY : status;
    }

    private void replied(LinkConnection connection, Status status, Throwable thrown) {
        connection.answered();
        caller.link().failed(connection, thrown);
        if (thrown != null) {
            Throwable meaning = caller.link().meaning(connection, thrown);
            attempt.unanswered(meaning);
            noAnswer(meaning);
        } else {
            attempt.answered(connection);
            answered(status);
        }
    }

    /** The probe got no answer. However often that happens, the session stays usable. */
    private void noAnswer(Throwable thrown) {
        if (thrown instanceof MissingServiceException) {
            uncertain.park(this, thrown, triedNanos);
            Futures.fail(ended, thrown);
        } else {
            start();
        }
    }

    private void answered(Status status) {
        switch (status) {
            case NFS4_OK -> free();
            case NFS4ERR_RETRY_UNCACHED_REP, NFS4ERR_SEQ_FALSE_RETRY -> {
                if (request.takeBack()) {
                    uncertain.settled(this);
                    Futures.complete(ended, null, null);
                } else {
                    free();
                }
            }
            case NFS4ERR_DELAY -> {
                postponed++;
                if (postponed < MAX_POSTPONED) {
                    start();
                } else {
                    giveUp();
                }
            }
            default -> {
                uncertain.settled(this);
                caller.sessions().lost(session, status);
                Futures.complete(ended, null, null);
            }
        }
    }

    private void free() {
        uncertain.settled(this);
        slot.advance();
        session.slots().release(slot);
        Futures.complete(ended, null, null);
    }

    /** The slot cannot be used again: another session replaces this one, unless the mount has ended. */
    private void giveUp() {
        if (attempt != null) {
            attempt.unanswered(null);
        }
        uncertain.settled(this);
        caller.sessions().lost(session, Status.NFS4ERR_SEQ_MISORDERED);
        session.kill();
        Futures.complete(ended, null, null);
    }
}
