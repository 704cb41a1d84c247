package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.RpcCall;
import java.util.concurrent.CompletableFuture;

/** Finds out what a slot's number is after a request was given up: see {@link SessionKeeper#doubt}. */
final class SlotProbe {
    private static final int MAX_ATTEMPTS = 100;

    private final Requester requester;
    private final Session session;
    private final Slot slot;
    private final Retry retry = new Retry();

    SlotProbe(Requester requester, Session session, Slot slot) {
        this.requester = requester;
        this.session = session;
        this.slot = slot;
    }

    void start() {
        requester.later(this::send, retry.nextDelayMillis(), thrown -> giveUp());
    }

    private void send() {
        if (session.isDead() || requester.isClosed()) {
            return;
        }
        Futures.whenDone(requester.link().connected(), (connection, thrown) -> {
            if (thrown != null) {
                again();
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
        } catch (RuntimeException e) {
            giveUp();
            return;
        }
        if (reply == null) {
            again();
            return;
        }
        Futures.whenDone(reply, (status, thrown) -> {
            connection.answered();
            requester.link().failed(connection, thrown);
            answered(status, thrown);
        });
    }

    private void answered(Status status, Throwable thrown) {
        if (thrown != null || status == Status.NFS4ERR_DELAY) {
            again();
            return;
        }
        switch (status) {
            case NFS4_OK, NFS4ERR_RETRY_UNCACHED_REP, NFS4ERR_SEQ_FALSE_RETRY -> {
                slot.advance();
                session.slots().release(slot);
            }
            default -> requester.sessions().lost(session, status);
        }
    }

    private void again() {
        if (retry.attempts() >= MAX_ATTEMPTS) {
            giveUp();
        } else {
            start();
        }
    }

    /** The slot cannot be used again: another session is made, unless the mount has ended. */
    private void giveUp() {
        requester.sessions().lost(session, Status.NFS4ERR_SEQ_MISORDERED);
        session.kill();
    }
}
