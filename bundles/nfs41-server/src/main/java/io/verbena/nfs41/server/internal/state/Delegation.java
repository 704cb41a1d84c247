package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Open;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.session.RequestId;
import io.verbena.nfs41.server.internal.vfs.Inode;

/**
 * A delegation of a file to a client (RFC 8881 section 10.4). Guarded by the lock of {@link StateTable}, except where
 * stated.
 */
final class Delegation extends StateIdEntry {
    private enum Stage {
        HELD,
        RECALLED,
        REVOKED,
        ENDED
    }

    private final boolean write;
    private final RequestId granting;
    private volatile Stage stage = Stage.HELD;
    private boolean isCalled;
    private long calledNanos;
    private boolean asking;
    private long askedNanos;
    private boolean putOff;
    private int denials;

    /**
     * @param granting the request whose reply brings the delegation
     */
    Delegation(Client client, Inode inode, boolean write, RequestId granting, long otherHigh, int otherLow) {
        super(client, inode, otherHigh, otherLow);
        this.write = write;
        this.granting = granting;
    }

    @Override
    StateKind kind() {
        return StateKind.DELEGATIONS;
    }

    @Override
    long octets() {
        return StateKind.DELEGATIONS.octets();
    }

    boolean isWrite() {
        return write;
    }

    RequestId granting() {
        return granting;
    }

    /** Whether it is good for that access: one of {@link Open}'s SHARE_ACCESS bits, or both. */
    boolean covers(int access) {
        return write || (access & Open.SHARE_ACCESS_WRITE) == 0;
    }

    boolean isRecalled() {
        return stage == Stage.RECALLED;
    }

    boolean isRevoked() {
        return stage == Stage.REVOKED;
    }

    /** Whether it is neither returned nor revoked. Any thread. */
    boolean isHeld() {
        return stage == Stage.HELD || stage == Stage.RECALLED;
    }

    /** Marks it as recalled: the client must return it. */
    void recall() {
        stage = Stage.RECALLED;
    }

    /** CB_RECALL goes out: the time that the client has begins with the first one. */
    void called(long nowNanos) {
        if (!isCalled) {
            isCalled = true;
            calledNanos = nowNanos;
        }
    }

    /** Whether the client was called so long ago. A client that was not called yet has all of its time. */
    boolean wasCalledBefore(long nowNanos, long nanos) {
        return isCalled && nowNanos - calledNanos > nanos;
    }

    void revoke() {
        stage = Stage.REVOKED;
    }

    void end() {
        stage = Stage.ENDED;
    }

    /** Whether a CB_RECALL has yet to be answered. */
    boolean isAsking() {
        return asking;
    }

    void ask(long nowNanos) {
        asking = true;
        askedNanos = nowNanos;
    }

    long askedNanos() {
        return askedNanos;
    }

    /**
     * Records the end of CB_RECALL.
     *
     * @param status null if there will be no answer
     */
    void answered(Status status) {
        asking = false;
        putOff = status != Status.NFS4_OK;
    }

    /** Whether the client did not agree to give it back when it was asked last. */
    boolean wasPutOff() {
        return putOff;
    }

    /** The client says that it does not hold it: how often it has said so by now. */
    int denied() {
        return ++denials;
    }
}
