package io.verbena.rpcsec.gss.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The contexts that a server keeps, by handle. Where there are too many, of one principal or of all, the one that was
 * used longest ago goes; its caller makes another. Thread safe.
 */
final class AcceptorContexts {
    /** The most contexts of one principal: one for each mount of each of its hosts. */
    static final int MOST_OF_PRINCIPAL = 1024;

    static final int MOST = 8192;

    @GuardedBy("this")
    private final Map<ByteBuffer, AcceptorContext> all = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private final Map<String, Integer> ofPrincipals = new HashMap<>();

    /** The context of a handle; null where there is none, or its time is over. */
    synchronized AcceptorContext find(ByteBuffer handle, long nowNanos) {
        AcceptorContext found = all.get(handle);
        if (found != null && found.hasEnded(nowNanos)) {
            remove(found);
            return null;
        }
        return found;
    }

    synchronized void add(AcceptorContext made, long nowNanos) {
        String principal = made.principal();
        if (all.size() >= MOST) {
            dropEnded(nowNanos);
        }
        if (ofPrincipals.getOrDefault(principal, 0) >= MOST_OF_PRINCIPAL) {
            dropEldest(principal);
        } else if (all.size() >= MOST) {
            remove(all.values().iterator().next());
        }
        all.put(made.handle(), made);
        ofPrincipals.merge(principal, 1, Integer::sum);
    }

    @GuardedBy("this")
    private void dropEnded(long nowNanos) {
        for (Iterator<AcceptorContext> each = all.values().iterator(); each.hasNext(); ) {
            AcceptorContext context = each.next();
            if (context.hasEnded(nowNanos)) {
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
        ofPrincipals.computeIfPresent(context.principal(), (name, count) -> count > 1 ? count - 1 : null);
    }

    synchronized void clear() {
        all.clear();
        ofPrincipals.clear();
    }

    synchronized int size() {
        return all.size();
    }
}
