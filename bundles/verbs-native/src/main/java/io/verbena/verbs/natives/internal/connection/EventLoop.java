package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.AsyncEvent;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.PollSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The thread for events, one a provider: takes the events of the connection manager and of the devices, and passes them
 * to their targets, which must not block.
 */
public final class EventLoop implements Runnable {
    private static final long PAUSE_NANOS = 100_000_000;

    /** A source of asynchronous events: a device. */
    private record Watched(long context, int fd) {}

    /** A target of the events of a device. */
    interface AsyncTarget {
        long context();

        /** The port that the target uses. */
        int port();

        /** Whether the element of an event is a queue of this target. */
        boolean owns(long element);

        void onAsyncEvent(AsyncEvent event);
    }

    private final NativeLibraries libraries;
    private final long channel;
    private final int wakeFd;
    private final Thread thread;
    private final AtomicLong lastToken = new AtomicLong();
    private final Map<Long, Consumer<CmEvent>> targets = new ConcurrentHashMap<>();
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final List<AsyncTarget> asyncTargets = new CopyOnWriteArrayList<>();
    private volatile boolean stopped;

    public EventLoop(NativeLibraries libraries) throws NativeException {
        this.libraries = libraries;
        channel = libraries.cm().createEventChannel();
        try {
            wakeFd = libraries.posix().createEventFd();
        } catch (NativeException e) {
            libraries.cm().destroyEventChannel(channel);
            throw e;
        }
        thread = Threads.make("events", this);
    }

    public void start() {
        thread.start();
    }

    public long channel() {
        return channel;
    }

    /** Creates a token for an id whose events go to that target. */
    public long add(Consumer<CmEvent> target) {
        long token = lastToken.incrementAndGet();
        targets.put(token, target);
        return token;
    }

    public void remove(long token) {
        targets.remove(token);
    }

    /** Takes the events of a device from now on. */
    public void watch(long context) throws NativeException {
        if (!watched.containsKey(context)
                && watched.putIfAbsent(
                                context, new Watched(context, libraries.verbs().asyncFd(context)))
                        == null) {
            wake();
        }
    }

    void add(AsyncTarget target) {
        asyncTargets.add(target);
    }

    void remove(AsyncTarget target) {
        asyncTargets.remove(target);
    }

    private void wake() {
        try {
            libraries.posix().signal(wakeFd);
        } catch (NativeException e) {
            Log.LOGGER.warn("waking the thread for events failed", e);
        }
    }

    /** Ends the thread. All ids must be destroyed before. */
    public void close() {
        stopped = true;
        wake();
        if (!Threads.joinUnlessCurrent(thread, Threads.endDeadline())) {
            return; // the thread still uses what would be freed
        }
        libraries.cm().destroyEventChannel(channel);
        try {
            libraries.posix().close(wakeFd);
        } catch (NativeException e) {
            Log.LOGGER.debug("closing the thread's eventfd failed", e);
        }
    }

    @Override
    public void run() {
        PollSet set = new PollSet(8);
        while (!stopped) {
            try {
                set.clear();
                set.add(libraries.cm().eventChannelFd(channel));
                int wake = set.add(wakeFd);
                for (Watched w : watched.values()) {
                    set.add(w.fd);
                }
                libraries.posix().poll(set, -1);
                if (set.ready(wake)) {
                    libraries.posix().clear(wakeFd);
                }
                takeAll();
            } catch (NativeException e) {
                Log.LOGGER.error("taking events failed", e);
                // trying again at once would only use up the processor
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (RuntimeException | Error e) {
                // the other connections still need this thread; a lack of memory or threads may soon be over
                Log.LOGGER.error("passing an event on failed", e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Takes the events of devices first: they say why a connection ends, those of the manager only that it ends. */
    private void takeAll() throws NativeException {
        CmEvent event;
        do {
            watched.values().forEach(this::takeAsyncEvents);
            event = libraries.cm().takeEvent(channel);
            if (event != null) {
                dispatch(event);
            }
        } while (event != null);
    }

    private void dispatch(CmEvent event) throws NativeException {
        boolean request = event.type() == CmEvent.Type.CONNECT_REQUEST;
        Consumer<CmEvent> target = targets.get(request ? event.listenToken() : event.token());
        if (target != null) {
            target.accept(event);
        } else if (request) {
            libraries.cm().destroyId(event.id());
        } else {
            Log.LOGGER.debug("nobody waits for {} any more", event.type());
        }
    }

    /**
     * Takes the events of a device. A device that is gone is no longer watched, as its descriptor would stay ready
     * forever.
     */
    private void takeAsyncEvents(Watched device) {
        try {
            boolean any;
            do {
                any = libraries.verbs().takeAsyncEvent(device.context, event -> dispatch(device.context, event));
            } while (any);
        } catch (NativeException e) {
            Log.LOGGER.info("a device has no events any more: {}", e.getMessage());
            watched.remove(device.context);
        }
    }

    private void dispatch(long context, AsyncEvent event) {
        Log.LOGGER.debug("device event {}", event.name());
        boolean ofDevice = event.type() == NativeConstants.IBV_EVENT_DEVICE_FATAL;
        boolean ofPort = event.type() == NativeConstants.IBV_EVENT_PORT_ERR;
        for (AsyncTarget target : asyncTargets) {
            boolean here = target.context() == context;
            if (ofDevice ? here : ofPort ? here && target.port() == event.element() : target.owns(event.element())) {
                target.onAsyncEvent(event);
            }
        }
    }
}
