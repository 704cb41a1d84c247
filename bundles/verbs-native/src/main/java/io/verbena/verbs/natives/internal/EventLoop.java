package io.verbena.verbs.natives.internal;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The one thread of a provider that takes the connection manager's and the devices' events. It only passes them on:
 * what is called here does not wait.
 */
final class EventLoop implements Runnable {
    private static final long PAUSE_NANOS = 100_000_000;

    /** A source of asynchronous events: a device. */
    private record Watched(long context, int fd) {}

    /** Whom a device's events concern. */
    interface AsyncTarget {
        long context();

        /** The port that it uses. */
        int port();

        /** Whether an event's element is a queue of its. */
        boolean owns(long element);

        void onAsyncEvent(AsyncEvent event);
    }

    private final Natives natives;
    private final long channel;
    private final int wakeFd;
    private final Thread thread;
    private final AtomicLong lastToken = new AtomicLong();
    private final Map<Long, Consumer<CmEvent>> targets = new ConcurrentHashMap<>();
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final List<AsyncTarget> asyncTargets = new CopyOnWriteArrayList<>();
    private volatile boolean stopped;

    EventLoop(Natives natives) throws NativeException {
        this.natives = natives;
        channel = natives.cm().createEventChannel();
        try {
            wakeFd = natives.posix().createEventFd();
        } catch (NativeException e) {
            natives.cm().destroyEventChannel(channel);
            throw e;
        }
        thread = Threads.make("events", this);
    }

    void start() {
        thread.start();
    }

    long channel() {
        return channel;
    }

    /** A token for an id whose events go to that target. */
    long add(Consumer<CmEvent> target) {
        long token = lastToken.incrementAndGet();
        targets.put(token, target);
        return token;
    }

    void remove(long token) {
        targets.remove(token);
    }

    /** Passes on the events of a device from now on. */
    void watch(long context) throws NativeException {
        if (!watched.containsKey(context)
                && watched.putIfAbsent(
                                context, new Watched(context, natives.verbs().asyncFd(context)))
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
            natives.posix().signal(wakeFd);
        } catch (NativeException e) {
            Log.LOGGER.warn("waking the thread for events failed", e);
        }
    }

    /** Ends the thread. All ids have to be destroyed already. */
    void close() {
        stopped = true;
        wake();
        Threads.joinUnlessCurrent(thread);
        natives.cm().destroyEventChannel(channel);
        try {
            natives.posix().close(wakeFd);
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
                set.add(natives.cm().eventChannelFd(channel));
                int wake = set.add(wakeFd);
                for (Watched w : watched.values()) {
                    set.add(w.fd);
                }
                natives.posix().poll(set, -1);
                if (set.ready(wake)) {
                    natives.posix().clear(wakeFd);
                }
                takeAll();
            } catch (NativeException e) {
                Log.LOGGER.error("taking events failed", e);
                // trying again at once would only burn the processor
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (RuntimeException | Error e) {
                // the other connections need it all the same; what the system is short of may be there again soon
                Log.LOGGER.error("passing an event on failed", e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** A device's events first: they say why a connection ends, and the manager's only that it does. */
    private void takeAll() throws NativeException {
        CmEvent event;
        do {
            watched.values().forEach(this::takeAsyncEvents);
            event = natives.cm().takeEvent(channel);
            if (event != null) {
                pass(event);
            }
        } while (event != null);
    }

    private void pass(CmEvent event) throws NativeException {
        boolean request = event.type() == CmEvent.Type.CONNECT_REQUEST;
        Consumer<CmEvent> target = targets.get(request ? event.listenToken() : event.token());
        if (target != null) {
            target.accept(event);
        } else if (request) {
            natives.cm().destroyId(event.id());
        } else {
            Log.LOGGER.debug("nobody waits for {} any more", event.type());
        }
    }

    /** A device that is gone has no more events, and its descriptor would be ready for ever. */
    private void takeAsyncEvents(Watched device) {
        try {
            boolean any;
            do {
                any = natives.verbs().takeAsyncEvent(device.context, event -> pass(device.context, event));
            } while (any);
        } catch (NativeException e) {
            Log.LOGGER.info("a device has no events any more: {}", e.getMessage());
            watched.remove(device.context);
        }
    }

    private void pass(long context, AsyncEvent event) {
        Log.LOGGER.debug("device event {}", event.name());
        boolean ofDevice = event.type() == Layout.IBV_EVENT_DEVICE_FATAL;
        boolean ofPort = event.type() == Layout.IBV_EVENT_PORT_ERR;
        for (AsyncTarget target : asyncTargets) {
            boolean here = target.context() == context;
            if (ofDevice ? here : ofPort ? here && target.port() == event.element() : target.owns(event.element())) {
                target.onAsyncEvent(event);
            }
        }
    }
}
