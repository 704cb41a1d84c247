package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.*;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.session.ClientStates;
import io.verbena.nfs41.server.internal.session.HeldState;
import io.verbena.nfs41.server.internal.session.RequestId;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens and share reservations of all clients (RFC 8881 sections 8 and 9), and the stateids of these, of
 * {@link LockTable} and of {@link Delegations}. Thread safe.
 */
public final class StateTable implements ClientStates {
    /** The most opens, lock-owners and delegations of one client, by default. */
    public static final int MAX_STATES = 262_144;

    /** The most opens of one file by one client, and lock-owners of one open: requests look through all of these. */
    static final int MAX_ALIKE = 8192;

    @GuardedBy("this")
    private final StateIds ids;

    @GuardedBy("this")
    private final Map<Inode, FileState> files = new HashMap<>();

    private final int maxStates;

    /**
     * @param boot the number of this run, which is in stateids: those of earlier runs are stale
     * @param maxStates the most opens, lock-owners and delegations of one client
     */
    public StateTable(int boot, int maxStates) {
        ids = new StateIds(boot);
        this.maxStates = maxStates;
    }

    /** How many opens, locks and delegations there are. */
    public synchronized int count() {
        return ids.count();
    }

    /**
     * Opens a file, or adds access and deny bits to the open that its owner has.
     *
     * @return the open that this request has made or changed; {@link #takeBack} undoes that
     * @throws NfsError {@code SHARE_DENIED}; what {@link #refusal} tells where the client may have no other open
     */
    synchronized Opening open(OpenRequest request) throws NfsError {
        Client client = request.client();
        Inode inode = request.inode();
        int access = request.access();
        int deny = request.deny();
        FileState file = files.get(inode);
        OpenState own = null;
        int ofClient = 0;
        if (file != null) {
            for (OpenState open : file.opens()) {
                ofClient += open.client() == client ? 1 : 0;
                if (open.client() == client && open.owner().equals(request.owner())) {
                    own = open;
                } else if (open.excludes(request.used(), deny)) {
                    throw new NfsError(NFS4ERR_SHARE_DENIED);
                }
            }
        }
        if (own != null) {
            OpenState.Share before = own.share();
            own.openedBy(request.uid());
            own.share(own.access() | access, own.deny() | deny);
            own.bump();
            return new Opening(own.stateId(), before);
        }
        requireFew(ofClient);
        StateId id = ids.next();
        OpenState open = new OpenState(
                client, request.owner(), request.uid(), inode, id.otherHigh(), id.otherLow(), access, deny);
        if (!request.room().use()) {
            charge(open);
        }
        file(inode).opens().add(open);
        add(open);
        return new Opening(open.stateId(), null);
    }

    /**
     * What an OPEN has done.
     *
     * @param before what the open was before; null if it is new
     */
    record Opening(StateId stateId, OpenState.Share before) {}

    /**
     * Takes back an OPEN of which its client is not told. An open that its owner had before is as it was then.
     *
     * @throws NfsError if the open has changed since, or has ended; it stays as it is
     */
    synchronized void takeBack(Client client, Opening opening, Inode inode) throws NfsError {
        OpenState open = requireOpen(client, opening.stateId(), inode);
        if (opening.before() == null) {
            drop(open);
        } else {
            open.back(opening.before());
        }
    }

    /** Room for an open of a file that is to be made, which the client's account is not charged with yet. */
    public OpenRoom room(Client client, Opaque owner) {
        return new OpenRoom(this, client, owner);
    }

    /** Refuses a client that has as many states of one kind in one place as it may, as {@link #requireRoom}. */
    private static void requireFew(int alike) throws NfsError {
        if (alike >= MAX_ALIKE) {
            throw new NfsError(NFS4ERR_SERVERFAULT);
        }
    }

    /** Charges the client's account. */
    private void charge(StateIdEntry state) throws NfsError {
        Client client = state.client();
        requireRoom(client);
        if (!client.account().take(state.kind(), state.octets())) {
            throw refusal(client);
        }
    }

    /**
     * Refuses a client that has as many states as it may. The client alone can end them, so that it must not wait: the
     * status is no DELAY, but SERVERFAULT (RFC 8881 section 15.1.1.9), since NFSv4.1 has no NFS4ERR_RESOURCE (section
     * 15.1.16.4).
     */
    synchronized void requireRoom(Client client) throws NfsError {
        if (client.states().size() >= maxStates) {
            throw new NfsError(NFS4ERR_SERVERFAULT);
        }
    }

    /**
     * Why the budget refuses a client: SERVERFAULT as in {@link #requireRoom} where the client has its part of the
     * budget, DELAY (RFC 8881 section 15.1.1.3) where others have what it lacks.
     */
    static NfsError refusal(Client client) {
        return new NfsError(client.account().hasItsPart() ? NFS4ERR_SERVERFAULT : NFS4ERR_DELAY);
    }

    @GuardedBy("this")
    private void add(StateIdEntry state) {
        ids.add(state);
        state.client().states().add(state);
    }

    /** Narrows an open. */
    public synchronized StateId downgrade(Client client, StateId id, Inode inode, int access, int deny)
            throws NfsError {
        OpenState open = requireOpen(client, id, inode);
        boolean narrows = access != 0 && (access & ~open.access()) == 0 && (deny & ~open.deny()) == 0;
        if (!narrows) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        open.share(access, deny);
        open.bump();
        return open.stateId();
    }

    /** Whether a client has a file open. */
    public synchronized boolean isOpen(Inode inode) {
        FileState file = files.get(inode);
        return file != null && !file.opens().isEmpty();
    }

    /** Ends an open and releases its locks. */
    public synchronized void close(Client client, StateId id, Inode inode) throws NfsError {
        drop(requireOpen(client, id, inode));
    }

    @GuardedBy("this")
    private void drop(OpenState open) {
        FileState file = files.get(open.inode());
        for (LockState lock : List.copyOf(open.locks())) {
            drop(lock);
        }
        file.opens().remove(open);
        forget(open);
        release(open.inode());
    }

    /** Forgets a lock-owner, and its locks. */
    @GuardedBy("this")
    void drop(LockState lock) {
        int ranges = files.get(lock.inode()).locks().unlockAll(lock);
        lock.client().account().give(StateKind.LOCKED_RANGES, ranges * StateKind.LOCKED_RANGES.octets());
        lock.open().locks().remove(lock);
        forget(lock);
    }

    @GuardedBy("this")
    private void forget(StateIdEntry state) {
        ids.remove(state);
        state.client().states().remove(state);
        state.client().account().give(state.kind(), state.octets());
    }

    /** Ends a delegation, be it held or revoked. */
    @GuardedBy("this")
    void drop(Delegation delegation) {
        if (delegation.isHeld()) {
            withdraw(delegation);
        } else if (delegation.isRevoked()) {
            delegation.client().freedRevoked();
        }
        delegation.end();
        forget(delegation);
    }

    /** Takes a delegation out of its file; its stateid stays known. */
    @GuardedBy("this")
    void withdraw(Delegation delegation) {
        files.get(delegation.inode()).delegations().remove(delegation);
        delegation.client().delegations(-1);
        release(delegation.inode());
    }

    @Override
    public synchronized void dropAll(Client client) {
        for (HeldState state : List.copyOf(client.states())) {
            if (state instanceof OpenState open) {
                drop(open);
            } else if (state instanceof Delegation delegation) {
                drop(delegation);
            }
        }
    }

    @Override
    public synchronized boolean holdsState(Client client) {
        return client.states().size() > client.revoked();
    }

    /** The state of a file, made if there is none; {@link #release} removes it when it is empty. */
    @GuardedBy("this")
    FileState file(Inode inode) {
        return files.computeIfAbsent(inode, key -> new FileState());
    }

    /** The state of a file, or null if there is none. */
    @GuardedBy("this")
    FileState fileIfHeld(Inode inode) {
        return files.get(inode);
    }

    /** Whether another client may be making the file just now: that one changes its directory. */
    @GuardedBy("this")
    boolean mayBeMadeByAnother(Client client, Inode inode) {
        Inode.Place place = inode.place();
        FileState directory = place == null ? null : files.get(place.parent());
        return directory != null && directory.isChangedByAnother(client);
    }

    @GuardedBy("this")
    void release(Inode inode) {
        FileState file = files.get(inode);
        if (file != null && file.isIdle()) {
            files.remove(inode);
        }
    }

    /** A lock-owner of an open, without locks yet. */
    @GuardedBy("this")
    LockState addLockOwner(OpenState open, Opaque owner) throws NfsError {
        requireFew(open.locks().size());
        StateId id = ids.next();
        LockState lock = new LockState(open, owner, id.otherHigh(), id.otherLow());
        charge(lock);
        open.locks().add(lock);
        add(lock);
        return lock;
    }

    /** Delegates a file to a client; null where the client's account is not good for it. */
    @GuardedBy("this")
    Delegation delegate(Client client, Inode inode, boolean write, RequestId granting) {
        StateId id = ids.next();
        Delegation delegation = new Delegation(client, inode, write, granting, id.otherHigh(), id.otherLow());
        if (!client.account().take(delegation.kind(), delegation.octets())) {
            return null;
        }
        file(inode).delegations().add(delegation);
        client.delegations(1);
        add(delegation);
        return delegation;
    }

    /**
     * Whether a read or write may go on. A stateid is no proof: whoever reads the wire knows it. So it speaks for the
     * user who has opened the file alone, and any other one needs permission.
     *
     * @param uid the user who asks
     * @param access of Open's SHARE_ACCESS bits, the one that is needed
     * @return whether that user has opened the file with that access, so that no further permission is asked for
     * @throws NfsError {@code OPENMODE}, {@code LOCKED} for a special stateid that a share reservation keeps out, or
     *     what is wrong with the stateid
     */
    public synchronized boolean checkAccess(Client client, int uid, StateId id, Inode inode, int access)
            throws NfsError {
        if (isSpecial(id)) {
            boolean bypass = id.equals(StateId.READ_BYPASS) && access == Open.SHARE_ACCESS_READ;
            FileState file = files.get(inode);
            if (!bypass && file != null && file.opens().stream().anyMatch(open -> (open.deny() & access) != 0)) {
                throw new NfsError(NFS4ERR_LOCKED);
            }
            return false;
        }
        StateIdEntry state = require(client, id, inode);
        if (state instanceof Delegation delegation) {
            requireMode(delegation.covers(access));
            return files.get(inode).isOpenBy(client, uid, access);
        }
        OpenState open = state instanceof LockState lock ? lock.open() : (OpenState) state;
        requireMode((open.access() & access) != 0);
        return open.isOpenedBy(uid);
    }

    static void requireMode(boolean fits) throws NfsError {
        if (!fits) {
            throw new NfsError(NFS4ERR_OPENMODE);
        }
    }

    /** Whether it is a special stateid, which names no state (RFC 8881 section 8.2.3). */
    public static boolean isSpecial(StateId id) {
        return id.equals(StateId.ANONYMOUS) || id.equals(StateId.READ_BYPASS);
    }

    /** FREE_STATEID: forgets a lock-owner without locks, and a delegation that was revoked. */
    public synchronized void free(Client client, StateId id) throws NfsError {
        StateIdEntry state = ids.find(client, id, null);
        if (state instanceof Delegation delegation && delegation.isRevoked()) {
            drop(delegation);
            return;
        }
        if (!(state instanceof LockState lock)
                || files.get(lock.inode()).locks().holds(lock)) {
            throw new NfsError(NFS4ERR_LOCKS_HELD);
        }
        drop(lock);
    }

    /** TEST_STATEID. */
    public synchronized Status test(Client client, StateId id) {
        try {
            require(client, id, null);
            return NFS4_OK;
        } catch (NfsError e) {
            return e.status();
        }
    }

    @GuardedBy("this")
    OpenState requireOpen(Client client, StateId id, Inode inode) throws NfsError {
        if (require(client, id, inode) instanceof OpenState open) {
            return open;
        }
        throw new NfsError(NFS4ERR_BAD_STATEID);
    }

    @GuardedBy("this")
    LockState requireLock(Client client, StateId id, Inode inode) throws NfsError {
        if (require(client, id, inode) instanceof LockState lock) {
            return lock;
        }
        throw new NfsError(NFS4ERR_BAD_STATEID);
    }

    /** The state that a client's stateid names, if it is good; {@code inode} null means of any file. */
    @GuardedBy("this")
    private StateIdEntry require(Client client, StateId id, Inode inode) throws NfsError {
        StateIdEntry state = ids.find(client, id, inode);
        if (state instanceof Delegation delegation && delegation.isRevoked()) {
            throw new NfsError(NFS4ERR_DELEG_REVOKED);
        }
        return state;
    }

    @GuardedBy("this")
    Delegation requireDelegation(Client client, StateId id, Inode inode) throws NfsError {
        if (require(client, id, inode) instanceof Delegation delegation) {
            return delegation;
        }
        throw new NfsError(NFS4ERR_BAD_STATEID);
    }
}
