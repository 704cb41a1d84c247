package io.verbena.verbs.natives.internal.provider;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.HostAddresses;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.connection.CmId;
import io.verbena.verbs.natives.internal.connection.ProviderContext;
import io.verbena.verbs.natives.internal.connection.Threads;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.settings.NativeOptions;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Takes connection requests. Each gets a thread that handles it; their number is bounded. A slow acceptor or peer holds
 * up no other peer. Where one more request arrives, the oldest request of the host that has the most is aborted.
 */
final class NativeListener implements RdmaListener {
    private static final int BACKLOG = 128;
    private static final int PORTS_TRIED = 8;

    private final ProviderContext provider;
    private final NativeOptions options;
    private final ConnectionAcceptor acceptor;
    private final Consumer<NativeListener> onClosed;
    private final long token;
    private final long id;
    private final InetSocketAddress local;
    private final AtomicLong requests = new AtomicLong();

    @GuardedBy("pending")
    private final Map<NativeConnectionRequest, Thread> pending = new HashMap<>();

    /** The pending requests that were not aborted, with their hosts, the oldest first. */
    @GuardedBy("pending")
    private final Map<NativeConnectionRequest, InetAddress> staying = new LinkedHashMap<>();

    @GuardedBy("pending")
    private boolean closed;

    NativeListener(
            ProviderContext provider,
            InetSocketAddress address,
            NativeOptions options,
            ConnectionAcceptor acceptor,
            Consumer<NativeListener> onClosed)
            throws RdmaException {
        this.provider = provider;
        this.options = options;
        this.acceptor = acceptor;
        this.onClosed = onClosed;
        Rdmacm cm = provider.libraries().cm();
        token = provider.events().add(this::onEvent);
        long listening = 0;
        try {
            listening = listen(cm, address);
            local = cm.localAddress(listening);
        } catch (NativeException e) {
            provider.events().remove(token);
            if (listening != 0) {
                destroy(listening);
            }
            throw Failures.listening(e, address);
        }
        id = listening;
    }

    /**
     * Listens. The connection manager may pick a port that a TCP socket has: it learns of that only when a device
     * listens there.
     */
    private long listen(Rdmacm cm, InetSocketAddress address) throws NativeException {
        for (int left = address.getPort() == 0 ? PORTS_TRIED : 1; ; left--) {
            long made = cm.createId(provider.events().channel(), token);
            try {
                cm.bindAddr(made, address);
                cm.listen(made, BACKLOG);
                return made;
            } catch (NativeException e) {
                destroy(made);
                if (e.errno() != NativeConstants.EADDRINUSE || left == 1) {
                    throw e;
                }
            }
        }
    }

    private void destroy(long someId) {
        try {
            provider.libraries().cm().destroyId(someId);
        } catch (NativeException e) {
            Log.LOGGER.warn("destroying a connection manager's id failed", e);
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    /** Handles an event of the listener, on the thread for events. */
    private void onEvent(CmEvent event) {
        if (event.type() == CmEvent.Type.DEVICE_REMOVAL) {
            Log.LOGGER.warn(
                    "the device of {} is being removed: this listener gets no requests any more, even when the device"
                            + " is back; close it then and create another",
                    local);
            return;
        }
        if (event.type() != CmEvent.Type.CONNECT_REQUEST) {
            Log.LOGGER.debug("ignored {} of a listener at {}", event.type(), local);
            return;
        }
        NativeConnectionRequest victim = null;
        synchronized (pending) {
            int most = provider.settings().maxPendingRequests();
            // aborted requests still have threads: their number is bounded too
            if (closed || pending.size() >= 2L * most) {
                Log.LOGGER.debug("dropped a connection request at {}: too many at once", local);
                destroy(event.id());
                return;
            }
            NativeConnectionRequest begun = begin(event);
            if (begun != null && staying.size() > most) {
                InetAddress host = staying.remove(begun);
                victim = HostAddresses.oldestOfTheMost(staying, host);
                staying.remove(victim);
                staying.put(begun, host);
            }
        }
        if (victim != null) {
            Log.LOGGER.debug(
                    "dropped the connection request of {} at {}: too many at once", victim.remoteAddress(), local);
            victim.abort();
        }
    }

    /** Starts a thread for the request; returns null where that failed. The request is then freed. */
    @GuardedBy("pending")
    private NativeConnectionRequest begin(CmEvent event) {
        NativeConnectionRequest[] self = new NativeConnectionRequest[1];
        CmId requested = null;
        boolean begun = false;
        try {
            requested = CmId.requested(provider.libraries(), provider.events(), event);
            self[0] = new NativeConnectionRequest(provider, requested, event, options, acceptor, () -> remove(self[0]));
            Thread thread = Threads.make("request-" + requests.incrementAndGet() + "-" + local, self[0]);
            pending.put(self[0], thread);
            staying.put(self[0], HostAddresses.hostOf(self[0].remoteAddress().getAddress()));
            thread.start();
            begun = true;
        } catch (NativeException e) {
            Log.LOGGER.warn("a connection request at {} failed", local, e);
        } finally {
            if (!begun) {
                pending.remove(self[0]);
                staying.remove(self[0]);
                if (requested == null) {
                    destroy(event.id());
                } else {
                    requested.destroy();
                }
            }
        }
        return begun ? self[0] : null;
    }

    private void remove(NativeConnectionRequest request) {
        boolean last;
        synchronized (pending) {
            pending.remove(request);
            staying.remove(request);
            last = closed && pending.isEmpty();
        }
        if (last) {
            onClosed.accept(this);
        }
    }

    @Override
    public void close() {
        Map<NativeConnectionRequest, Thread> left;
        synchronized (pending) {
            boolean again = closed;
            closed = true;
            left = new HashMap<>(pending);
            if (!again) {
                provider.events().remove(token);
                destroy(id);
            }
        }
        left.keySet().forEach(NativeConnectionRequest::abort);
        long deadline = Threads.endDeadline();
        left.values().forEach(thread -> Threads.joinUnlessCurrent(thread, deadline));
        boolean last;
        synchronized (pending) {
            last = pending.isEmpty();
        }
        if (last) {
            onClosed.accept(this);
        }
    }
}
