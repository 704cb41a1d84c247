package io.verbena.nfs41.server.internal.budget;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * The heap that clients' state may take, of all exports together, and how much of it each client holds. State is
 * charged here before it is made, and returned when it ends. A refused request gets {@code NFS4ERR_DELAY}, or less than
 * it asked for. Thread safe; its lock is the last that is taken, and no other object is called with it held.
 *
 * <p>Half of the budget is guaranteed: {@link #GUARANTEED} octets to each client, which bounds the number of clients.
 * The other half is shared. A client, its principal and its address may each hold no more of it than a part of what is
 * free at that time: a client half as much, a principal three quarters, an address as much. So one client gets at most
 * a third of the shared half, one address a half, and there is always something left for others. The number of clients
 * need not be known (dynamic thresholds, Choudhury and Hahne, 1998).
 *
 * <p>The number of clients is limited alike: half of all for an address, three quarters of these for one principal
 * there. If there are too many, clients that were never confirmed are ended, the oldest first, of any export.
 */
public final class StateBudget {
    /** The octets that each client may hold whatever others hold: a session of a few slots, and some open files. */
    public static final long GUARANTEED = 64 << 10;

    private static final int MAX_CLIENTS = 65_536;
    private static final int LEAST_CLIENTS = 16;

    /** What part of the free octets a client, a principal and an address may hold, in quarters. */
    private static final int CLIENT_QUARTERS = 2;

    private static final int PRINCIPAL_QUARTERS = 3;
    private static final int ADDRESS_QUARTERS = 4;

    @GuardedBy("this")
    private final Map<Object, Holder> addresses = new HashMap<>();

    @GuardedBy("this")
    private final Map<StateKind, Long> held = new EnumMap<>(StateKind.class);

    @GuardedBy("this")
    private final Set<ClientAccount> unconfirmed = new LinkedHashSet<>(); // the oldest first

    private final LongAdder refusals = new LongAdder();
    private final List<Runnable> refused = new CopyOnWriteArrayList<>();

    @GuardedBy("this")
    private long limit;

    @GuardedBy("this")
    private int maxClients;

    @GuardedBy("this")
    private long shareable;

    @GuardedBy("this")
    private long shared;

    @GuardedBy("this")
    private int clients;

    /** @param limit octets; at least twice what {@value #LEAST_CLIENTS} clients are guaranteed */
    public StateBudget(long limit) {
        for (StateKind kind : StateKind.values()) {
            held.put(kind, 0L);
        }
        limit(limit);
    }

    /** A quarter of the heap that this JVM may have. */
    public static StateBudget ofHeap() {
        return new StateBudget(Runtime.getRuntime().maxMemory() / 4);
    }

    /** Changes the limit. State above a lower limit stays until it ends. */
    public synchronized void limit(long octets) {
        maxClients = (int) Math.max(LEAST_CLIENTS, Math.min(MAX_CLIENTS, octets / 2 / GUARANTEED));
        long guaranteed = maxClients * GUARANTEED;
        limit = Math.max(octets, 2 * guaranteed);
        shareable = limit - guaranteed;
    }

    public synchronized long limit() {
        return limit;
    }

    /** How many clients there may be at once. */
    public synchronized int maxClients() {
        return maxClients;
    }

    /** What is held now, in octets. */
    public synchronized long held() {
        return held.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What is held now, in octets, by kind. */
    public synchronized Map<StateKind, Long> heldByKind() {
        return new EnumMap<>(held);
    }

    /** How many requests were refused. */
    public long refusals() {
        return refusals.sum();
    }

    /**
     * Sets a listener that is told of each refusal, so that idle state is returned.
     *
     * @param listener called on the thread of the refused request, which may hold locks: it must not block
     */
    public void addListener(Runnable listener) {
        refused.add(listener);
    }

    public void removeListener(Runnable listener) {
        refused.remove(listener);
    }

    /** The shared part of an address, or of a principal there. Guarded by the budget's lock. */
    static final class Holder {
        private final Object key;
        private final Holder parent;
        private final int quarters;
        private final Map<Object, Holder> principals = new HashMap<>();
        private long shared;
        private int clients;

        Holder(Object key, Holder parent, int quarters) {
            this.key = key;
            this.parent = parent;
            this.quarters = quarters;
        }
    }

    /**
     * Opens an account for a further client, which is not confirmed yet.
     *
     * @param from the address that EXCHANGE_ID comes from
     * @param ended called when the account is closed to make room for another client, on the thread of that one's
     *     request, which may hold locks of any export: it must not block
     * @return null if there are too many clients, all of them confirmed; {@link #obstacles} tells which
     */
    public ClientAccount open(SocketAddress from, Principal principal, Runnable ended) {
        List<ClientAccount> gone = new ArrayList<>(1);
        ClientAccount account;
        synchronized (this) {
            Object key = PeerHost.of(from);
            makeRoom(key, principal, gone);
            account = obstacle(key, principal) == null ? add(key, principal, ended) : null;
        }
        gone.forEach(each -> each.ended().run());
        if (account == null) {
            refused();
        }
        return account;
    }

    @GuardedBy("this")
    private void makeRoom(Object key, Principal principal, List<ClientAccount> gone) {
        Predicate<ClientAccount> obstacles = obstacle(key, principal);
        while (obstacles != null) {
            ClientAccount oldest =
                    unconfirmed.stream().filter(obstacles).findFirst().orElse(null);
            if (oldest == null) {
                return;
            }
            close(oldest);
            gone.add(oldest);
            obstacles = obstacle(key, principal);
        }
    }

    @GuardedBy("this")
    private ClientAccount add(Object key, Principal principal, Runnable ended) {
        Holder address = addresses.computeIfAbsent(key, made -> new Holder(made, null, ADDRESS_QUARTERS));
        Holder holder =
                address.principals.computeIfAbsent(principal, made -> new Holder(made, address, PRINCIPAL_QUARTERS));
        clients++;
        address.clients++;
        holder.clients++;
        ClientAccount account = new ClientAccount(this, holder, ended);
        unconfirmed.add(account);
        return account;
    }

    /** Confirms a client, which is not ended for others any more. Returns false if it has been ended already. */
    synchronized boolean confirm(ClientAccount account) {
        unconfirmed.remove(account);
        return !account.isClosed();
    }

    /** The clients whose end makes room for a further one of that address and principal; null if there is room. */
    public synchronized Predicate<ClientAccount> obstacles(SocketAddress from, Principal principal) {
        return obstacle(PeerHost.of(from), principal);
    }

    @GuardedBy("this")
    private Predicate<ClientAccount> obstacle(Object key, Principal principal) {
        Holder address = addresses.get(key);
        Holder holder = address == null ? null : address.principals.get(principal);
        int most = maxClients / 2;
        if (holder != null && holder.clients >= most * 3 / 4) {
            return account -> account.holder() == holder;
        }
        if (address != null && address.clients >= most) {
            return account -> account.holder().parent == address;
        }
        return clients >= maxClients ? account -> true : null;
    }

    /** How many further octets a client could take now. */
    synchronized long spare(ClientAccount account) {
        return account.isClosed() ? 0 : room(account);
    }

    /**
     * Whether a client that is refused has a good part of the budget itself, so that to wait for others is of no use: a
     * quarter of the shared half, of which it never gets more than a third.
     */
    synchronized boolean hasItsPart(ClientAccount account) {
        return shared(account.held()) >= shareable / 4;
    }

    @GuardedBy("this")
    private long room(ClientAccount account) {
        long guaranteed = Math.max(0, GUARANTEED - account.held());
        long free = Math.max(0, shareable - shared);
        long room = Math.min(free, free * CLIENT_QUARTERS / 4 - shared(account.held()));
        for (Holder each = account.holder(); each != null; each = each.parent) {
            room = Math.min(room, free * each.quarters / 4 - each.shared);
        }
        return guaranteed + Math.max(0, room);
    }

    /** The octets of a client's state above its guarantee. */
    private static long shared(long held) {
        return Math.max(0, held - GUARANTEED);
    }

    /** Charges a client. Returns false if the budget refuses. */
    boolean take(ClientAccount account, StateKind kind, long octets) {
        synchronized (this) {
            if (!account.isClosed() && octets <= room(account)) {
                add(account, kind, octets);
                return true;
            }
        }
        refused();
        return false;
    }

    private void refused() {
        refusals.increment();
        refused.forEach(Runnable::run);
    }

    synchronized void give(ClientAccount account, StateKind kind, long octets) {
        add(account, kind, -octets);
        leave(account);
    }

    @GuardedBy("this")
    private void add(ClientAccount account, StateKind kind, long octets) {
        long before = account.held();
        account.held(before + octets);
        if (account.held() < 0) {
            throw new IllegalStateException("more " + kind + " given back than taken");
        }
        held.merge(kind, octets, Long::sum);
        long more = shared(account.held()) - shared(before);
        shared += more;
        for (Holder each = account.holder(); each != null; each = each.parent) {
            each.shared += more;
        }
    }

    /** Closes a client's account: no more is charged, and its state is returned soon. */
    synchronized void close(ClientAccount account) {
        if (!account.isClosed()) {
            account.closed();
            unconfirmed.remove(account);
            clients--;
            account.holder().clients--;
            account.holder().parent.clients--;
            leave(account);
        }
    }

    /** Forgets addresses and principals that hold nothing. */
    @GuardedBy("this")
    private void leave(ClientAccount account) {
        Holder holder = account.holder();
        Holder address = holder.parent;
        if (holder.clients == 0 && holder.shared == 0) {
            address.principals.remove(holder.key, holder);
        }
        if (address.clients == 0 && address.principals.isEmpty()) {
            addresses.remove(address.key, address);
        }
    }

    /** How many addresses clients come from. */
    synchronized int addresses() {
        return addresses.size();
    }
}
