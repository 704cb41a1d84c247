package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delegations of a mount: whether they are asked for, what rests on them, and how they end: recalled by the server,
 * given back before an operation of this client's that the server would recall them for, for want of use, at the unmount,
 * or lost. Thread safe.
 *
 * <p>Data is not cached: READ and WRITE go to the server as ever. {@code nfs_space_limit4} has therefore nothing to say
 * here, and neither has {@code permissions}: an open by a path looks the path up on the server, and ACCESS in the same
 * COMPOUND tells more exactly who may.
 */
final class Delegations implements DelegationCallbacks {
    private static final Logger LOG = LoggerFactory.getLogger(Delegations.class);
    /** Of files that are not open. */
    private static final int MAX_IDLE = 256;

    private final Requester requester;
    private final OpenStates opens;
    private final DelegationTable table = new DelegationTable(MAX_IDLE);
    private final EndedDelegations ended = new EndedDelegations(MAX_IDLE);

    private volatile BooleanSupplier backChannel = () -> false;

    Delegations(Requester requester, OpenStates opens) {
        this.requester = requester;
        this.opens = opens;
    }

    /** Tells whether the server can recall delegations; without that, none are asked for. */
    void attach(BooleanSupplier channel) {
        backChannel = channel;
    }

    int size() {
        return table.size();
    }

    /** Whether an OPEN shall ask for a delegation. */
    boolean areWanted() {
        return requester.settings().wantsDelegations() && backChannel.getAsBoolean();
    }

    /**
     * An OPEN goes out.
     *
     * @return its number, for {@link #opened} and {@link #answered}, which has to be called behind it
     */
    long begin() {
        return ended.begin();
    }

    /** An OPEN was answered, and what it brought was handed to {@link #opened}. */
    void answered(long open) {
        ended.answered(open);
    }

    /**
     * Whether the server can recall delegations and the lease is alive, as far as this client can know: else one may have
     * been revoked and the file changed by others.
     */
    boolean areTrusted() {
        SessionKeeper sessions = requester.sessions();
        return backChannel.getAsBoolean()
                && sessions.present() != null
                && sessions.idleNanos() < TimeUnit.SECONDS.toNanos(sessions.leaseSeconds());
    }

    /** Whether the path led to a file that can be opened for that without the server, when it was last seen. */
    boolean mayOpen(String path, int shareAccess) {
        Delegation delegation = table.at(path);
        return delegation != null && delegation.allows(shareAccess);
    }

    /** Opens a file that has just been looked up, or not where its delegation does not allow that. */
    boolean openLocally(OpenState state) {
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
    void opened(long open, OpenState state, OpenDelegation granted, Attributes attributes, String path) {
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
            // one of a file is enough, and what rests on that one need not move
            LOG.debug("{}: delegated twice", state.path());
            StateId second = stateId.withoutSeqid();
            Futures.whenDone(
                    requester.call(new DelegationReturn.ReturnRequest(state.handle(), () -> second)),
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
            // else a write that was on its way before the grant might have come between
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

    /** The open is none of {@link OpenStates}' any more: what is being added either has not seen it or is there to leave. */
    synchronized void closed(OpenState state) {
        Delegation delegation = table.of(state.handle());
        if (delegation != null && delegation.leave(state)) {
            table.unused(delegation).forEach(eldest -> beginReturn(eldest, false));
        }
    }

    /** The file's attributes as far as they are known for certain, or null. */
    Attributes known(OpenState state) {
        Delegation delegation = state.delegation();
        return delegation != null && delegation.isHeld() && areTrusted()
                ? delegation.attributes().known()
                : null;
    }

    /** Names were changed or removed: what is known of files may say otherwise. */
    void namesChanged() {
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
            return Status.NFS4ERR_DELAY; // it may have overtaken the reply that brings the delegation
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

    /** Before an operation on the file that the server would recall the delegation for; never fails. */
    CompletableFuture<Void> giveBack(FileHandle handle) {
        return giveBack(table.of(handle));
    }

    /** As {@link #giveBack(FileHandle)}, of the file that the path led to when it was last seen. */
    CompletableFuture<Void> giveBackAt(String path) {
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
            requester.later(
                    () -> Futures.whenDone(
                            new DelegationReturn(requester, delegation, truncate).start(),
                            (done, thrown) -> returned(delegation, thrown)),
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

    /** The server goes on telling of what it has revoked until that is freed (RFC 8881 section 18.46.3). */
    private void freeIfRevoked(StateId stateId, Throwable thrown) {
        if (thrown instanceof StatusException refused && isRevoked(refused.status())) {
            free(stateId);
        }
    }

    private static boolean isRevoked(Status status) {
        return status == Status.NFS4ERR_DELEG_REVOKED
                || status == Status.NFS4ERR_ADMIN_REVOKED
                || status == Status.NFS4ERR_EXPIRED;
    }

    private void free(StateId stateId) {
        var unused = requester.call(new OpenStates.FreeRequest(stateId)).exceptionally(thrown -> null);
    }

    private boolean drop(Delegation delegation) {
        ended.add(delegation.stateId());
        table.remove(delegation);
        return delegation.end();
    }

    /** Gives all back, as far as the server answers within the bound. */
    void close(long timeoutNanos) {
        CompletableFuture<?>[] all = table.all().stream().map(this::giveBack).toArray(CompletableFuture[]::new);
        try {
            Blocking.await(CompletableFuture.allOf(all), timeoutNanos);
        } catch (IOException e) {
            LOG.info(
                    "mount {}: not all delegations could be given back: {}",
                    requester.settings().name(),
                    requester.link().why(e));
        }
    }

    /**
     * The server has revoked a delegation: what was open by it is opened anew, and what was locked by it is lost. Must not
     * block.
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
                Futures.whenDone(open.reopen(null), (done, thrown) -> {
                    if (thrown != null) {
                        LOG.debug("{}: {}", open.path(), thrown.getMessage());
                    }
                });
            }
        }
    }

    /** Those held, to find out whether the server still knows them. */
    List<Delegation> suspects() {
        return table.all().stream().filter(Delegation::isHeld).toList();
    }

    /** The server has restarted: of files that are not open, nothing is worth claiming. */
    void forgetIdle() {
        table.all().stream().filter(Delegation::isIdle).forEach(this::drop);
    }

    /** What could be claimed was: a file whose opens are all being closed has nobody to claim its delegation. */
    void forgetUnclaimed(long clientId) {
        table.all().stream()
                .filter(delegation -> !delegation.isReclaimedBy(clientId))
                .forEach(this::drop);
    }

    /**
     * The server has answered the claim of a delegation.
     *
     * @return whether it was given back
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
