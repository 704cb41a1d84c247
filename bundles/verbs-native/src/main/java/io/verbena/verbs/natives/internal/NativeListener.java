package io.verbena.verbs.natives.internal;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Takes connection requests and hands each to a thread that sees to it, a bounded number at once: an acceptor that takes
 * its time holds up nobody.
 */
final class NativeListener implements RdmaListener {
    private static final int BACKLOG = 128;
    private static final int PORTS_TRIED = 8;

    private final ConnectionFactory factory;
    private final ProviderOptions options;
    private final ConnectionAcceptor acceptor;
    private final Consumer<NativeListener> onClosed;
    private final long token;
    private final long id;
    private final InetSocketAddress local;
    private final AtomicLong requests = new AtomicLong();

    /** Guarded by itself. */
    private final Map<NativeRequest, Thread> pending = new HashMap<>();

    private boolean closed;

    NativeListener(
            ConnectionFactory factory,
            InetSocketAddress address,
            ProviderOptions options,
            ConnectionAcceptor acceptor,
            Consumer<NativeListener> onClosed)
            throws RdmaException {
        this.factory = factory;
        this.options = options;
        this.acceptor = acceptor;
        this.onClosed = onClosed;
        Rdmacm cm = factory.natives().cm();
        token = factory.events().add(this::onEvent);
        long listening = 0;
        try {
            listening = listen(cm, address);
            local = cm.localAddress(listening);
        } catch (NativeException e) {
            factory.events().remove(token);
            if (listening != 0) {
                destroy(listening);
            }
            throw Failures.listening(e, address);
        }
        id = listening;
    }

    /** The manager may pick a port that a TCP socket has, of which it knows nothing until a device listens there. */
    private long listen(Rdmacm cm, InetSocketAddress address) throws NativeException {
        for (int left = address.getPort() == 0 ? PORTS_TRIED : 1; ; left--) {
            long made = cm.createId(factory.events().channel(), token);
            try {
                cm.bindAddr(made, address);
                cm.listen(made, BACKLOG);
                return made;
            } catch (NativeException e) {
                destroy(made);
                if (e.errno() != Layout.EADDRINUSE || left == 1) {
                    throw e;
                }
            }
        }
    }

    private void destroy(long someId) {
        try {
            factory.natives().cm().destroyId(someId);
        } catch (NativeException e) {
            Log.LOGGER.warn("destroying a connection manager's id failed", e);
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    /** On the thread for events. */
    private void onEvent(CmEvent event) {
        if (event.type() == CmEvent.Type.DEVICE_REMOVAL) {
            Log.LOGGER.warn(
                    "the device of {} is being removed: nobody is heard there any more, also when it is back; close this"
                            + " listener and make another then",
                    local);
            return;
        }
        if (event.type() != CmEvent.Type.CONNECT_REQUEST) {
            Log.LOGGER.debug("passed over {} of a listener at {}", event.type(), local);
            return;
        }
        synchronized (pending) {
            if (closed || pending.size() >= factory.settings().maxPendingRequests()) {
                Log.LOGGER.warn("dropped a connection request at {}: too many at once", local);
                destroy(event.id());
                return;
            }
            begin(event);
        }
    }

    /** With the lock of those pending. Where there is no thread for it, nothing is left of the request. */
    private void begin(CmEvent event) {
        NativeRequest[] self = new NativeRequest[1];
        CmId requested = null;
        boolean begun = false;
        try {
            requested = CmId.requested(factory.natives(), factory.events(), event);
            self[0] = new NativeRequest(factory, requested, event, options, acceptor, () -> remove(self[0]));
            Thread thread = Threads.make("request-" + requests.incrementAndGet() + "-" + local, self[0]);
            pending.put(self[0], thread);
            thread.start();
            begun = true;
        } catch (NativeException e) {
            Log.LOGGER.warn("a connection request at {} came to nothing", local, e);
        } finally {
            if (!begun) {
                pending.remove(self[0]);
                if (requested == null) {
                    destroy(event.id());
                } else {
                    requested.destroy();
                }
            }
        }
    }

    private void remove(NativeRequest request) {
        boolean last;
        synchronized (pending) {
            pending.remove(request);
            last = closed && pending.isEmpty();
        }
        if (last) {
            onClosed.accept(this);
        }
    }

    @Override
    public void close() {
        Map<NativeRequest, Thread> left;
        synchronized (pending) {
            boolean again = closed;
            closed = true;
            left = new HashMap<>(pending);
            if (!again) {
                factory.events().remove(token);
                destroy(id);
            }
        }
        left.keySet().forEach(NativeRequest::abort);
        left.values().forEach(Threads::joinUnlessCurrent);
        boolean last;
        synchronized (pending) {
            last = pending.isEmpty();
        }
        if (last) {
            onClosed.accept(this);
        }
    }
}
