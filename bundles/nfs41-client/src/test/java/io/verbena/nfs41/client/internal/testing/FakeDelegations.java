package io.verbena.nfs41.client.internal.testing;

import io.verbena.nfs41.AccessControlEntry;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What a {@link FakeServer} delegates, and what has come of it. */
public final class FakeDelegations {
    /** What an OPEN that is open to it is given: 0 none, 1 read, 2 write. */
    public volatile int type;
    /** What is granted is recalled already. */
    public volatile boolean recalled;
    /** A file that has a delegation gets another. */
    public volatile boolean twice;
    /** After a restart none are given back. */
    public volatile boolean forgets;
    /** After a restart they are given back for no more than the OPEN that claims them is for. */
    public volatile boolean narrows;
    /** After a restart they are given back for reading only. */
    public volatile boolean downgrades;

    public final List<Open.Args> opens = new CopyOnWriteArrayList<>();
    public final Map<FileHandle, StateId> held = new ConcurrentHashMap<>();
    public final List<StateId> freed = new CopyOnWriteArrayList<>();
    public final BlockingQueue<StateId> returned = new LinkedBlockingQueue<>();
    private final AtomicInteger granted = new AtomicInteger();

    /** Whether the claim of an OPEN is in order. */
    Status judge(FileHandle file, Open.Args args) {
        opens.add(args);
        if (args.claim() instanceof OpenClaim.DelegateCurrentByHandle claim && !isHeld(file, claim.delegation())) {
            return Status.NFS4ERR_BAD_STATEID;
        }
        return Status.NFS4_OK;
    }

    boolean isHeld(FileHandle file, StateId stateId) {
        StateId present = held.get(file);
        return present != null && present.isSameState(stateId);
    }

    OpenDelegation grant(FileHandle file, Open.Args args) {
        int given = type;
        if (args.claim() instanceof OpenClaim.Previous claim) {
            given = forgets ? 0 : claim.delegationType();
            boolean reads = (args.shareAccess() & Open.SHARE_ACCESS_BOTH) == Open.SHARE_ACCESS_READ;
            given = downgrades || (narrows && reads) ? Math.min(given, 1) : given;
        } else if (!(args.claim() instanceof OpenClaim.Null)) {
            given = 0;
        }
        boolean wanted = (args.shareAccess() & Open.WANT_DELEGATION_MASK) != Open.WANT_NO_DELEGATION;
        boolean reclaim = args.claim() instanceof OpenClaim.Previous;
        if (given == 0 || !wanted || (held.containsKey(file) && !twice && !reclaim)) {
            return new OpenDelegation.None();
        }
        StateId stateId = new StateId(1, 0x5e1e6a7eL, granted.incrementAndGet());
        held.put(file, stateId);
        AccessControlEntry nobody = new AccessControlEntry(0, 0, 0, "");
        return given == 1
                ? new OpenDelegation.ForReading(stateId, recalled, nobody)
                : new OpenDelegation.ForWriting(
                        stateId, recalled, new OpenDelegation.SpaceLimit(false, Long.MAX_VALUE, 0), nobody);
    }

    Status giveBack(FileHandle file, StateId stateId) {
        returned.add(stateId);
        return isHeld(file, stateId) && held.remove(file) != null ? Status.NFS4_OK : Status.NFS4ERR_BAD_STATEID;
    }
}
