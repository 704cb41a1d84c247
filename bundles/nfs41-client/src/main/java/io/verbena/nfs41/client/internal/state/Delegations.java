package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.callback.DelegationRecalls;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.SessionKeeper;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.Futures;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delegations of a mount: whether OPEN asks for them, which opens rest on them, and how they end. A delegation ends
 * when the server recalls or revokes it, before an operation of this client for which the server would recall it, when
 * it is unused for long, and at the unmount. Thread safe.
 *
 * <p>Data is not cached under a delegation. Therefore {@code nfs_space_limit4} is not used. {@code permissions} is not
 * used either: an open by a path looks the path up on the server, with ACCESS in the same COMPOUND.
 */
public final class Delegations implements DelegationRecalls {
    private static final Logger LOG = LoggerFactory.getLogger(Delegations.class);
    /** Of files that are not open. */
    private static final int MAX_IDLE = 256;

    private final CompoundCaller caller;
    private final OpenStates opens;
    private final DelegationTable table = new DelegationTable(MAX_IDLE);
    private final EndedDelegations ended = new EndedDelegations(MAX_IDLE);

    private volatile BooleanSupplier backChannel = () -> false;

    public Delegations(CompoundCaller caller, OpenStates opens) {
        this.caller = caller;
        this.opens = opens;
    }

    /** Sets the test whether the server can recall delegations; while it cannot, OPEN asks for none. */
    public void attach(BooleanSupplier channel) {
        backChannel = channel;
    }

    public int size() {
        return table.size();
    }

    /** Whether an OPEN shall ask for a delegation. */
    public boolean areWanted() {
        return caller.settings().wantsDelegations() && backChannel.getAsBoolean();
    }

    /**
     * An OPEN goes out.
     *
     * @return the number of the OPEN, for {@link #opened} and then {@link #answered}
     */
    public long begin() {
        return ended.begin();
    }

    /** An OPEN was answered, and what it brought was handed to {@link #opened}. */
    public void answered(long open) {
        ended.answered(open);
    }

    /**
     * Whether the server can recall delegations and the lease is valid, as far as this client can know. Otherwise a
     * delegation may have been revoked and its file changed by others.
     */
    boolean areTrusted() {
        SessionKeeper sessions = caller.sessions();
        return backChannel.getAsBoolean()
                && sessions.present() != null
                && sessions.idleNanos() < TimeUnit.SECONDS.toNanos(sessions.leaseSeconds());
    }

    /** Whether the path led to a file that can be opened for that without the server, when it was last seen. */
    public boolean mayOpen(String path, int shareAccess) {
        Delegation delegation = table.at(path);
        return delegation != null && delegation.allows(shareAccess);
    }

    /** Opens a file that has just been looked up, or not where its delegation does not allow that. */
    public boolean openLocally(OpenState state) {
        Delegation delegation = table.of(state.handle());
        if (delegation == null || !delegation.openLocally(state)) {
            return false;
        }
        table.used(delegation);
        return true;
    }

    /**
     * The server has opened a file.
     *
     * @param open the OPEN's number
     * @param granted what it delegated with that
     * @param attributes fetched behind the OPEN, or null
     * @param path the file's
     */
    public void opened(long open, OpenState state, OpenDelegation granted, Attributes attributes, String path) {
        StateId stateId = Delegation.stateIdOf(granted);
        if (stateId == null || ended.hasEndedSince(open, stateId)) {
            rejoin(state);
            return;
        }
        Delegation made = new Delegation(state.handle(), path, granted);
        Delegation present = add(made, state, attributes);
        if (present == null) {
            LOG.debug("{}: delegated for {}", state.path(), made.isForWriting() ? "writing" : "reading");
            if (Delegation.isRecalled(granted)) {
                beginReturn(made, false);
            }
            return;
        }
        rejoin(state);
        if (present.isFor(stateId)) {
            present.take(granted);
        } else {
            // one delegation of a file is enough; the opens on the present one stay there
            LOG.debug("{}: delegated twice", state.path());
            StateId second = stateId.withoutSeqid();
            Futures.whenDoneLogged(
                    caller.call(new DelegationReturn.ReturnRequest(state.handle(), () -> second)),
                    (done, thrown) -> freeIfRevoked(second, thrown));
        }
    }

    /** The one that there is already, or null. */
    private synchronized Delegation add(Delegation made, OpenState state, Attributes attributes) {
        Delegation present = table.of(made.handle());
        if (present != null) {
            return present;
        }
        List<OpenState> all = opens.of(made.handle());
        all.forEach(made::join);
        if (attributes != null && all.stream().allMatch(other -> other == state)) {
            // a write that was sent before the grant might have changed the attributes in between
            made.attributes().learn(made.attributes().epoch(), attributes);
        }
        table.add(made);
        return null;
    }

    /** The server knows the open now: it counts among those of its file's delegation, if there is one. */
    void rejoin(OpenState state) {
        Delegation delegation = table.of(state.handle());
        if (delegation != null && delegation.join(state)) {
            table.used(delegation);
            delegation.attributes().forget(); // the OPEN may have truncated it
        }
    }

    /**
     * The open was closed, and removed from {@link OpenStates} before: a grant at the same time has not seen the open,
     * or has added it to the delegation, which it leaves here.
     */
    public synchronized void closed(OpenState state) {
        Delegation delegation = table.of(state.handle());
        if (delegation != null && delegation.leave(state)) {
            table.unused(delegation).forEach(eldest -> beginReturn(eldest, false));
        }
    }

    /** The attributes of the file if they are certain, else null. */
    public Attributes known(OpenState state) {
        Delegation delegation = state.delegation();
        return delegation != null && delegation.isHeld() && areTrusted()
                ? delegation.attributes().known()
                : null;
    }

    /** Names were changed or removed: drops the cached attributes, which may be out of date. */
    public void namesChanged() {
        table.all().forEach(delegation -> delegation.attributes().forget());
    }

    @Override
    public Status recall(FileHandle file, StateId stateId, boolean truncate) {
        Delegation delegation = table.of(file);
        if (delegation != null && delegation.isFor(stateId)) {
            LOG.debug("{}: delegation recalled", delegation.path());
            beginReturn(delegation, truncate);
            return Status.NFS4_OK;
        }
        if (ended.isOpening() && !ended.contains(stateId)) {
            return Status.NFS4ERR_DELAY; // the recall may have overtaken the reply that grants the delegation
        }
        return delegation == null ? Status.NFS4ERR_BADHANDLE : Status.NFS4ERR_BAD_STATEID;
    }

    @Override
    public Optional<Attributes> attributes(FileHandle file, AttributeMask asked) {
        Delegation delegation = table.of(file);
        return delegation == null || !delegation.isForWriting()
                ? Optional.empty()
                : Optional.of(delegation.attributes().answer(asked));
    }

    @Override
    public void recallAny(int keep, boolean reading, boolean writing) {
        List<Delegation> concerned = table.all().stream()
                .filter(each -> each.isHeld() && (each.isForWriting() ? writing : reading))
                .toList();
        concerned
                .subList(0, Math.max(0, concerned.size() - Math.max(0, keep)))
                .forEach(delegation -> beginReturn(delegation, false));
    }

    /** Returns the delegation of a file before an operation for which the server would recall it. Never fails. */
    public CompletableFuture<Void> giveBack(FileHandle handle) {
        return giveBack(table.of(handle));
    }

    /** As {@link #giveBack(FileHandle)}, of the file that the path led to when it was last seen. */
    public CompletableFuture<Void> giveBackAt(String path) {
        return giveBack(table.at(path));
    }

    private CompletableFuture<Void> giveBack(Delegation delegation) {
        if (delegation == null) {
            return CompletableFuture.completedFuture(null);
        }
        beginReturn(delegation, false);
        return delegation.ended();
    }

    /** Never blocks: the work is done on a thread of the mount's. */
    private void beginReturn(Delegation delegation, boolean truncate) {
        if (delegation.beginReturn()) {
            caller.later(
                    () -> Futures.whenDoneElse(
                            new DelegationReturn(caller, delegation, truncate).start(),
                            (done, thrown) -> returned(delegation, thrown),
                            thrown -> drop(delegation)),
                    0,
                    thrown -> returned(delegation, thrown));
        }
    }

    private void returned(Delegation delegation, Throwable thrown) {
        if (thrown != null) {
            LOG.debug("{}: delegation not returned: {}", delegation.path(), thrown.getMessage());
        }
        if (!delegation.isGone()) {
            freeIfRevoked(delegation.stateId(), thrown);
        }
        drop(delegation);
    }

    /**
     * Frees a revoked stateid: until then the server reports the revocation in each reply (RFC 8881 section 18.46.3).
     */
    private void freeIfRevoked(StateId stateId, Throwable thrown) {
        if (isRevoked(thrown)) {
            free(stateId);
        }
    }

    /** Whether a request failed since the server has revoked a delegation. */
    static boolean isRevoked(Throwable thrown) {
        return Futures.unwrap(thrown) instanceof StatusException refused && isRevoked(refused.status());
    }

    private static boolean isRevoked(Status status) {
        return status == Status.NFS4ERR_DELEG_REVOKED
                || status == Status.NFS4ERR_ADMIN_REVOKED
                || status == Status.NFS4ERR_EXPIRED;
    }

    private void free(StateId stateId) {
        var unused = caller.call(new FreeStateIdRequest(stateId)); // the server tells again where it failed
    }

    private boolean drop(Delegation delegation) {
        ended.add(delegation.stateId());
        table.remove(delegation);
        return delegation.end();
    }

    /** Returns all delegations, as far as the server answers within the bound. */
    public void close(long timeoutNanos) {
        CompletableFuture<?>[] all = table.all().stream().map(this::giveBack).toArray(CompletableFuture[]::new);
        try {
            Blocking.awaitUninterruptibly(caller.runtime(), CompletableFuture.allOf(all), timeoutNanos);
        } catch (IOException e) {
            LOG.info(
                    "mount {}: not all delegations could be given back: {}",
                    caller.settings().name(),
                    caller.link().why(e));
        }
    }

    /**
     * The server has revoked a delegation: its local opens are opened again, its local locks are lost. Must not block.
     */
    void lost(Delegation delegation) {
        if (!drop(delegation)) {
            return;
        }
        LOG.info("the server has revoked its delegation of {}", delegation.path());
        List<OpenState> rested = delegation.opens();
        rested.forEach(open -> open.locks().loseLocal("the server revoked the delegation that it rested on"));
        free(delegation.stateId());
        for (OpenState open : rested) {
            if (open.openStateId() == null) {
                Futures.whenDoneLogged(open.reopen(null), (done, thrown) -> {
                    if (thrown != null) {
                        LOG.debug("{}: {}", open.path(), thrown.getMessage());
                    }
                });
            }
        }
    }

    /** The held delegations, for a check whether the server still knows them. */
    List<Delegation> suspects() {
        return table.all().stream().filter(Delegation::isHeld).toList();
    }

    /** The server has restarted: drops the delegations of files that are not open, without a claim. */
    void forgetIdle() {
        table.all().stream().filter(Delegation::isIdle).forEach(this::drop);
    }

    /**
     * All claims are made: drops the delegations that no open has claimed, as all opens of the file are being closed.
     */
    void forgetUnclaimed(long clientId) {
        table.all().stream()
                .filter(delegation -> !delegation.isReclaimedBy(clientId))
                .forEach(this::drop);
    }

    /**
     * The server has answered the claim of a delegation.
     *
     * @return whether the server has granted the delegation again
     */
    boolean reclaimed(Delegation delegation, long clientId, OpenDelegation granted) {
        if (Delegation.stateIdOf(granted) == null) {
            drop(delegation);
            return false;
        }
        delegation.reclaimed(clientId, granted);
        if (Delegation.isRecalled(granted)) {
            beginReturn(delegation, false);
        }
        return true;
    }
}
