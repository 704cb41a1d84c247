package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.*;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.RemovalGuard;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delegates files to clients, and recalls delegations that conflict with requests of others (RFC 8881 sections 10.2 to
 * 10.5). A request that conflicts gets {@code DELAY} and comes again: no thread waits here. A delegation that is not
 * returned within a lease time after its recall is revoked. Thread safe; its lock is {@link StateTable}'s, and no other
 * object is called with it held.
 */
public final class Delegations {
    private static final Logger LOG = LoggerFactory.getLogger(Delegations.class);

    /** How soon a client that has answered CB_RECALL with an error is asked again. */
    private static final long ASK_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * How often a client must deny that it holds a delegation until the server ends it: the client may not have OPEN's
     * reply yet.
     */
    private static final int DENIALS = 2;

    private final StateTable states;

    @GuardedBy("states")
    private final DelegationRules rules;

    private final Function<Inode, FileHandle> handles;
    private final Executor callbacks;
    private final Runtime runtime;
    private final long leaseNanos;

    @GuardedBy("states")
    private final Deque<Delegation> recalled = new ArrayDeque<>();

    private final LongAdder granted = new LongAdder();
    private final LongAdder recalls = new LongAdder();
    private final LongAdder revocations = new LongAdder();

    /**
     * @param handles the file handles that clients know files by
     * @param callbacks calls clients
     * @param lease how long a client has to give a delegation back
     */
    public Delegations(
            StateTable states,
            DelegationRules rules,
            Function<Inode, FileHandle> handles,
            Executor callbacks,
            Duration lease,
            Runtime runtime) {
        this.states = states;
        this.rules = rules;
        this.handles = handles;
        this.callbacks = callbacks;
        this.leaseNanos = lease.toNanos();
        this.runtime = runtime;
    }

    public long granted() {
        return granted.sum();
    }

    public long recalls() {
        return recalls.sum();
    }

    public long revocations() {
        return revocations.sum();
    }

    /**
     * What an OPEN brings.
     *
     * @param opening what it has done to the owner's open
     */
    public record Opened(StateTable.Opening opening, OpenDelegation delegation) {
        /** The open's stateid. */
        public StateId open() {
            return opening.stateId();
        }
    }

    /**
     * Opens a file, and delegates it where the rules allow.
     *
     * @throws NfsError {@code DELAY} where somebody's delegation has to come back first, {@code SHARE_DENIED}
     */
    public Opened open(OpenRequest request) throws NfsError {
        synchronized (states) {
            requireNoConflict(request);
            long now = runtime.nanoTime(); // before there is an open, which an Error of the clock would leave behind
            StateTable.Opening open = openState(request);
            boolean mayBeMade = states.mayBeMadeByAnother(request.client(), request.inode());
            int refusal = rules.refusal(request, states.fileIfHeld(request.inode()), mayBeMade, now);
            OpenDelegation delegation = refusal == DelegationRules.GRANTED
                    ? grant(request, DelegationRules.isForWriting(request), false, now)
                    : rules.none(request, refusal);
            return new Opened(open, delegation);
        }
    }

    @GuardedBy("states")
    private void requireNoConflict(OpenRequest request) throws NfsError {
        boolean changes =
                (request.access() & Open.SHARE_ACCESS_WRITE) != 0 || (request.deny() & Open.SHARE_DENY_READ) != 0;
        requireNoConflict(request.client(), request.inode(), changes);
    }

    @GuardedBy("states")
    private StateTable.Opening openState(OpenRequest request) throws NfsError {
        return states.open(request);
    }

    /**
     * Opens a file that the client has opened for itself by a delegation (CLAIM_DELEGATE_CUR, CLAIM_DELEG_CUR_FH).
     *
     * @throws NfsError what is wrong with the delegation; {@code OPENMODE} where it is not good for the access
     */
    public Opened openDelegated(OpenRequest request, StateId delegation) throws NfsError {
        synchronized (states) {
            Delegation held = states.requireDelegation(request.client(), delegation, request.inode());
            if (!held.covers(request.access())) {
                throw new NfsError(NFS4ERR_OPENMODE);
            }
            requireNoConflict(request);
            return new Opened(openState(request), new OpenDelegation.None());
        }
    }

    /**
     * Opens a file as before the server's restart (CLAIM_PREVIOUS), delegation included; where the client cannot be
     * called or delegations are off, the delegation is recalled with the same reply.
     *
     * @param delegationType 0 none, 1 for reading, 2 for writing
     * @throws NfsError {@code RECLAIM_CONFLICT} if another client has reclaimed a conflicting open or delegation
     */
    public Opened reclaim(OpenRequest request, int delegationType) throws NfsError {
        synchronized (states) {
            boolean write = delegationType == OpenDelegation.WRITE;
            FileState file = states.fileIfHeld(request.inode());
            boolean changes = write || (request.access() & Open.SHARE_ACCESS_WRITE) != 0;
            if (file != null && !file.conflicts(request.client(), changes).isEmpty()) {
                throw new NfsError(NFS4ERR_RECLAIM_CONFLICT);
            }
            long now = runtime.nanoTime(); // as in open()
            StateTable.Opening open = openState(request);
            file = states.fileIfHeld(request.inode());
            boolean mayDelegate = (delegationType == OpenDelegation.READ || write)
                    && DelegationRules.hasRoom(request.client())
                    && file.delegationOf(request.client()) == null
                    && !file.isContended(request.client(), write);
            boolean recall = !rules.mayKeep(request.client());
            return new Opened(open, mayDelegate ? grant(request, write, recall, now) : new OpenDelegation.None());
        }
    }

    @GuardedBy("states")
    private OpenDelegation grant(OpenRequest request, boolean write, boolean recall, long now) {
        Delegation made = states.delegate(request.client(), request.inode(), write, request.request());
        if (made == null) {
            return rules.none(request, OpenDelegation.NoneExtended.RESOURCE);
        }
        granted.increment();
        if (recall) {
            made.recall();
            made.called(now); // the reply says it
            recalled.add(made);
        }
        return write
                ? new OpenDelegation.ForWriting(
                        made.stateId(), recall, DelegationRules.limit(request.size()), DelegationRules.NOBODY)
                : new OpenDelegation.ForReading(made.stateId(), recall, DelegationRules.NOBODY);
    }

    /** A change of a file that returns a result. */
    @FunctionalInterface
    public interface Change<T> {
        T make() throws IOException;
    }

    /**
     * Executes a change of a file, its attributes or its names. No other client gets a delegation of the file
     * meanwhile, or of a file in it, where it is a directory.
     *
     * @throws NfsError {@code DELAY} where somebody else's delegation has to come back first
     */
    public <T> T changing(Client client, Inode inode, Change<T> change) throws IOException {
        beginChange(client, inode);
        try {
            return change.make();
        } finally {
            endChange(client, inode);
        }
    }

    /** As {@link #changing(Client, Inode, Change)}, without a result. */
    public void changing(Client client, Inode inode, RemovalGuard.Change change) throws IOException {
        beginChange(client, inode);
        try {
            change.make();
        } finally {
            endChange(client, inode);
        }
    }

    private void beginChange(Client client, Inode inode) throws NfsError {
        synchronized (states) {
            requireNoConflict(client, inode, true);
            states.file(inode).changers().add(client);
        }
    }

    private void endChange(Client client, Inode inode) {
        synchronized (states) {
            states.file(inode).changers().remove(client);
            states.release(inode);
        }
    }

    /**
     * Requires that no other client holds a write delegation, so that the server has the file's latest content.
     *
     * @throws NfsError {@code DELAY} where a delegation has to come back first
     */
    public void requireCurrent(Client client, Inode inode) throws NfsError {
        synchronized (states) {
            requireNoConflict(client, inode, false);
        }
    }

    @GuardedBy("states")
    private void requireNoConflict(Client client, Inode inode, boolean changes) throws NfsError {
        FileState file = states.fileIfHeld(inode);
        if (file == null || file.delegations().isEmpty()) {
            return;
        }
        long now = runtime.nanoTime();
        boolean isInTheWay = false;
        for (Delegation delegation : file.conflicts(client, changes)) {
            isInTheWay |= !revokeIfOverdue(delegation, now);
            recall(delegation, now);
        }
        if (isInTheWay) {
            rules.recalled(inode, now);
            throw new NfsError(NFS4ERR_DELAY);
        }
    }

    @GuardedBy("states")
    private void recall(Delegation delegation, long now) {
        if (!delegation.isHeld()) {
            return;
        }
        if (!delegation.isRecalled()) {
            delegation.recall();
            recalled.add(delegation);
            recalls.increment();
            ask(delegation, now);
        } else {
            askAgain(delegation, now);
        }
    }

    @GuardedBy("states")
    private void askAgain(Delegation delegation, long now) {
        if (!delegation.isAsking() && now - delegation.askedNanos() >= ASK_AGAIN_NANOS) {
            ask(delegation, now);
        }
    }

    @GuardedBy("states")
    private void ask(Delegation delegation, long now) {
        delegation.ask(now);
        Recall recall = new Recall(this, delegation, delegation.stateId(), handles.apply(delegation.inode()));
        try {
            callbacks.execute(() -> call(recall));
        } catch (Throwable e) { // there is no thread: it is asked again
            LOG.warn("A client cannot be called back yet", e);
            recall.failed();
        }
    }

    /** Runs on the thread of callbacks, perhaps long after the recall was wanted: a disk may keep the thread. */
    private void call(Recall recall) {
        try {
            synchronized (states) {
                recall.delegation().called(runtime.nanoTime());
            }
            recall.delegation().client().callbacks().call(recall);
        } catch (Throwable e) { // it is asked again; else it would count as being asked for ever
            recall.failed();
            throw e;
        }
    }

    /** CB_RECALL has been answered; null where it will not be. */
    void answered(Delegation delegation, Status status) {
        synchronized (states) {
            delegation.answered(status);
            boolean isUnknown = status == NFS4ERR_BAD_STATEID || status == NFS4ERR_BADHANDLE;
            if (isUnknown && delegation.isHeld() && delegation.denied() >= DENIALS) {
                states.drop(delegation);
            }
        }
    }

    /**
     * Takes back an OPEN whose client will not be told of it, with the delegation that it has brought. Leaves the open
     * alone that has changed since.
     */
    public void takeBack(Client client, Inode inode, Opened opened) {
        try {
            states.takeBack(client, opened.opening(), inode);
        } catch (NfsError e) {
            LOG.debug("The state of a failed open has changed: {}", e.status()); // or the client has expired
        }
        takeBack(client, inode, opened.delegation());
    }

    private void takeBack(Client client, Inode inode, OpenDelegation granted) {
        StateId id = granted instanceof OpenDelegation.ForReading read
                ? read.stateId()
                : granted instanceof OpenDelegation.ForWriting written ? written.stateId() : null;
        if (id != null) {
            try {
                giveBack(client, id, inode);
            } catch (NfsError e) {
                LOG.debug("The delegation of an open that fails is gone already: {}", e.status());
            }
        }
    }

    /** DELEGRETURN. */
    public void giveBack(Client client, StateId id, Inode inode) throws NfsError {
        synchronized (states) {
            states.drop(states.requireDelegation(client, id, inode));
        }
    }

    /**
     * Ends delegations of a file whose last name has gone. A client that does not have the file open cannot name it any
     * more to return one.
     */
    public void forget(Inode inode) {
        synchronized (states) {
            FileState file = states.fileIfHeld(inode);
            if (file != null) {
                file.delegations().stream()
                        .filter(delegation -> !file.isOpenBy(delegation.client(), Open.SHARE_ACCESS_BOTH))
                        .toList()
                        .forEach(states::drop);
            }
        }
    }

    /**
     * Revokes delegations that were not returned in time. Recalls delegations again from clients that refused: perhaps
     * no further request needs the file and triggers a recall, and a busy client does not lose its delegation. Called
     * periodically.
     */
    public void expire() {
        synchronized (states) {
            long now = runtime.nanoTime();
            for (Iterator<Delegation> each = recalled.iterator(); each.hasNext(); ) {
                Delegation delegation = each.next();
                if (!delegation.isHeld() || revokeIfOverdue(delegation, now)) {
                    each.remove();
                }
            }
            for (Delegation delegation : recalled) {
                if (delegation.wasPutOff()) {
                    askAgain(delegation, now);
                }
            }
        }
    }

    @GuardedBy("states")
    private boolean revokeIfOverdue(Delegation delegation, long now) {
        if (!delegation.isRecalled() || !delegation.wasCalledBefore(now, leaseNanos)) {
            return false;
        }
        states.withdraw(delegation);
        delegation.revoke();
        delegation.client().hasRevoked();
        revocations.increment();
        LOG.warn(
                "Client {} has not given back the delegation of file {} in time: it is revoked",
                Long.toHexString(delegation.client().id()),
                delegation.inode().number());
        return true;
    }
}
