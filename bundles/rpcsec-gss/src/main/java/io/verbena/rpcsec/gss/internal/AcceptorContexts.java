package io.verbena.rpcsec.gss.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The contexts that servers keep, by handle. Servers of the same principal share their contexts: a caller makes a
 * context with a host, not with one of its ports. Where there are too many contexts, of one caller or of all, the one
 * that was used longest ago goes; its caller makes another. Thread safe.
 */
final class AcceptorContexts {
    /** The most contexts of one caller: one for each mount of each of its hosts. */
    static final int MOST_OF_PRINCIPAL = 1024;

    static final int MOST = 8192;

    /** The most octets of tokens of all contexts: a token has some 1 KiB, and 64 KiB at most. */
    static final long MOST_OCTETS = 32 << 20;

    @GuardedBy("this")
    private final Map<ByteBuffer, AcceptorContext> all = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Map<String, Integer> ofPrincipals = new HashMap<>();

    @GuardedBy("this")
    private long octets;

    @GuardedBy("this")
    private final Map<String, Integer> servers = new HashMap<>();

    /** A server begins, of a name. */
    synchronized void join(String acceptor) {
        servers.merge(acceptor, 1, Integer::sum);
    }

    /** A server ends. The last one of its name takes the contexts of that name along. */
    synchronized void leave(String acceptor) {
        servers.computeIfPresent(acceptor, (name, count) -> count > 1 ? count - 1 : null);
        if (!servers.containsKey(acceptor)) {
            dropIf(each -> each.acceptor().equals(acceptor));
        }
    }

    /** The context of a handle with a server; null where there is none, or its time is over. */
    synchronized AcceptorContext find(ByteBuffer handle, String acceptor, long nowNanos) {
        AcceptorContext found = all.get(handle);
        if (found == null || !found.acceptor().equals(acceptor)) {
            return null;
        }
        if (found.hasEnded(nowNanos)) {
            remove(found);
            return null;
        }
        return found;
    }

    /** Keeps a context, unless its server has ended. */
    synchronized void add(AcceptorContext made, long nowNanos) {
        if (!servers.containsKey(made.acceptor())) {
            return;
        }
        String principal = made.principal();
        if (all.size() >= MOST) {
            dropIf(each -> each.hasEnded(nowNanos));
        }
        if (ofPrincipals.getOrDefault(principal, 0) >= MOST_OF_PRINCIPAL) {
            dropEldest(principal);
        } else if (all.size() >= MOST) {
            remove(all.values().iterator().next());
        }
        while (octets + made.octets() > MOST_OCTETS && !all.isEmpty()) {
            remove(all.values().iterator().next());
        }
        all.put(made.handle(), made);
        octets += made.octets();
        ofPrincipals.merge(principal, 1, Integer::sum);
    }

    @GuardedBy("this")
    private void dropIf(Predicate<AcceptorContext> isUnused) {
        for (Iterator<AcceptorContext> each = all.values().iterator(); each.hasNext(); ) {
            AcceptorContext context = each.next();
            if (isUnused.test(context)) {
                each.remove();
                discount(context);
            }
        }
    }

    @GuardedBy("this")
    private void dropEldest(String principal) {
        for (AcceptorContext each : all.values()) {
            if (each.principal().equals(principal)) {
                remove(each);
                return;
            }
        }
    }

    synchronized void remove(AcceptorContext context) {
        if (all.remove(context.handle()) != null) {
            discount(context);
        }
    }

    @GuardedBy("this")
    private void discount(AcceptorContext context) {
        octets -= context.octets();
        ofPrincipals.computeIfPresent(context.principal(), (name, count) -> count > 1 ? count - 1 : null);
    }

    synchronized void clear() {
        all.clear();
        ofPrincipals.clear();
        octets = 0;
    }

    synchronized int size() {
        return all.size();
    }
}
