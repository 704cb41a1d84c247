package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.OpenDelegation.NoneExtended.*;

import io.verbena.nfs41.AccessControlEntry;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.time.Duration;
import java.util.Arrays;

/**
 * Decides which OPEN brings a delegation (RFC 8881 sections 10.4 and 18.16.3). Guarded by the lock of
 * {@link StateTable}.
 */
public final class DelegationRules {
    /** No refusal. */
    static final int GRANTED = -1;

    /**
     * Makes clients send ACCESS before they open the file locally. Only the server knows the mode and the groups, and
     * whether a user is squashed.
     */
    static final AccessControlEntry NOBODY = new AccessControlEntry(0, 0, 0, "EVERYONE@");

    private static final int MAX_DELEGATIONS = 1024;

    /** How long a file is not delegated after a recall, so that it does not go to and fro between clients. */
    private static final long PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

    /** A power of two. */
    private static final int PAUSES = 1024;

    private final boolean enabled;

    /** Until when files are not delegated, by their hashes. Two files of one hash share the pause. */
    private final long[] pausedUntil = new long[PAUSES];

    /**
     * @param enabled whether anything is delegated at all
     * @param nowNanos the time
     */
    public DelegationRules(boolean enabled, long nowNanos) {
        this.enabled = enabled;
        Arrays.fill(pausedUntil, nowNanos);
    }

    private static int index(Inode inode) {
        int hash = inode.hashCode() * 0x9e37_79b9;
        return hash >>> (32 - Integer.numberOfTrailingZeros(PAUSES));
    }

    /** Begins the pause of a file: a delegation of it was recalled. */
    void recalled(Inode inode, long nowNanos) {
        pausedUntil[index(inode)] = nowNanos + PAUSE_NANOS;
    }

    /** Whether a client may keep a delegation that it had before the server's restart. */
    boolean mayKeep(Client client) {
        return enabled && client.callbacks().isUp();
    }

    static boolean hasRoom(Client client) {
        return client.delegations() + client.revoked() < MAX_DELEGATIONS;
    }

    /** Whether it would be for writing what is delegated. */
    static boolean isForWriting(OpenRequest request) {
        return (request.access() & Open.SHARE_ACCESS_WRITE) != 0 && request.wanted() != Open.WANT_READ_DELEGATION;
    }

    /**
     * Why an open brings no delegation.
     *
     * @param file with the open in it already
     * @param mayBeMade whether another client may be making the file just now, which has to open it then
     * @return {@link #GRANTED}, or a {@code why_no_delegation4}
     */
    int refusal(OpenRequest request, FileState file, boolean mayBeMade, long nowNanos) {
        switch (request.wanted()) {
            case Open.WANT_NO_DELEGATION -> {
                return NOT_WANTED;
            }
            case Open.WANT_CANCEL -> {
                return CANCELLED;
            }
            default -> {}
        }
        Client client = request.client();
        if (!enabled) {
            return NOT_SUPPORTED;
        }
        Delegation own = file.delegationOf(client);
        if (own != null) {
            return refusalOfSecond(own, request);
        }
        boolean isPaused = pausedUntil[index(request.inode())] - nowNanos > 0;
        if (isPaused || mayBeMade || file.isContended(client, isForWriting(request))) {
            return CONTENTION;
        }
        return hasRoom(client) && client.callbacks().isUp() ? GRANTED : RESOURCE;
    }

    /** A client holds one delegation of a file at the most, and neither more nor less can be made of it. */
    private static int refusalOfSecond(Delegation own, OpenRequest request) {
        if (!own.isWrite() && isForWriting(request)) {
            return NO_UPGRADE;
        }
        return own.isWrite() && request.wanted() == Open.WANT_READ_DELEGATION ? NO_DOWNGRADE : RESOURCE;
    }

    /** Refuses a delegation. The reply gives the reason if the OPEN stated a wish. No later message takes it back. */
    OpenDelegation none(OpenRequest request, int refusal) {
        return request.wanted() == Open.WANT_NO_PREFERENCE
                ? new OpenDelegation.None()
                : new OpenDelegation.NoneExtended(refusal, false);
    }

    /**
     * How far the file may grow before its holder must write it back at the latest when it is closed: no further than
     * it is, since room for more is not kept for it.
     */
    static OpenDelegation.SpaceLimit limit(long size) {
        return new OpenDelegation.SpaceLimit(false, size, 0);
    }
}
