package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcCall;
import java.util.concurrent.CompletableFuture;

/** Finds out what a slot's number is after a request was given up: see {@link Doubts}. */
final class SlotProbe {
    /** So often may the server put off its answer. */
    private static final int MAX_POSTPONED = 100;

    private final Requester requester;
    private final Doubts doubts;
    private final Session session;
    private final Slot slot;
    private final Retry retry = new Retry();
    private int postponed;
    private long triedNanos;

    SlotProbe(Requester requester, Doubts doubts, Session session, Slot slot) {
        this.requester = requester;
        this.doubts = doubts;
        this.session = session;
        this.slot = slot;
    }

    Session session() {
        return session;
    }

    /** Tries after a while; again and again until the server answers, or a service is found missing. */
    void start() {
        requester.later(this::send, retry.nextDelayMillis(), thrown -> giveUp());
    }

    /** Tries now. */
    void resume() {
        requester.later(this::send, 0, thrown -> giveUp());
    }

    private void send() {
        if (session.isDead() || requester.isClosed()) {
            doubts.settled(this);
            return;
        }
        triedNanos = System.nanoTime();
        Futures.whenDone(requester.link().connected(), (connection, thrown) -> {
            if (thrown != null) {
                noAnswer(thrown);
            } else {
                sendOn(connection);
            }
        });
    }

    private void sendOn(Line connection) {
        RpcCall call = requester.newCall(slot.writer());
        Operations operations = new Operations().begin(call.arguments());
        Sequence.encodeArgs(
                operations.next(), new Sequence.Args(session.id(), slot.sequenceId(), slot.id(), slot.id(), false));
        operations.end();
        call.maxReplySize(Request.SMALL_REPLY);
        CompletableFuture<Status> reply;
        try {
            reply = connection.call(call, in -> new Results().begin(in).status(Opcode.SEQUENCE));
        } catch (RuntimeException | Error e) {
            giveUp();
            return;
        }
        if (reply == null) {
            start();
            return;
        }
        Futures.whenDone(reply, (status, thrown) -> {
            connection.answered();
            requester.link().failed(connection, thrown);
            if (thrown != null) {
                noAnswer(requester.link().meaning(connection, thrown));
            } else {
                answered(status);
            }
        });
    }

    /** However long that goes on: it says nothing against the session. */
    private void noAnswer(Throwable thrown) {
        if (thrown instanceof MissingServiceException) {
            doubts.park(this, thrown, triedNanos);
        } else {
            start();
        }
    }

    private void answered(Status status) {
        switch (status) {
            case NFS4_OK, NFS4ERR_RETRY_UNCACHED_REP, NFS4ERR_SEQ_FALSE_RETRY -> {
                doubts.settled(this);
                slot.advance();
                session.slots().release(slot);
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
                doubts.settled(this);
                requester.sessions().lost(session, status);
            }
        }
    }

    /** The slot cannot be used again: another session is made, unless the mount has ended. */
    private void giveUp() {
        doubts.settled(this);
        requester.sessions().lost(session, Status.NFS4ERR_SEQ_MISORDERED);
        session.kill();
    }
}
