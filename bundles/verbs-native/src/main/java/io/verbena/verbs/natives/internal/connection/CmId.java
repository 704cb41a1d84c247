package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An id of the connection manager ({@code rdma_cm_id}). One thread at a time waits for a step of it. */
public final class CmId {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final CmEvent WAKE_UP = new CmEvent(CmEvent.Type.TIMEWAIT_EXIT, 0, 0, 0, 0, null, 0, 0);

    private final NativeLibraries libraries;
    private final EventLoop loop;
    private final long id;
    private final long token;
    private final BlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();
    private volatile boolean aborted;
    private volatile Consumer<CmEvent> endListener = e -> {};

    private CmId(NativeLibraries libraries, EventLoop loop, long requested) throws NativeException {
        this.libraries = libraries;
        this.loop = loop;
        token = loop.add(this::onEvent);
        if (requested == 0) {
            try {
                id = libraries.cm().createId(loop.channel(), token);
            } catch (NativeException e) {
                loop.remove(token);
                throw e;
            }
        } else {
            id = requested;
            libraries.cm().setToken(id, token);
        }
    }

    public static CmId create(NativeLibraries libraries, EventLoop loop) throws NativeException {
        return new CmId(libraries, loop, 0);
    }

    /**
     * Takes over the id that came with a connection request. Called on the thread for events, before it takes the next
     * event.
     */
    public static CmId requested(NativeLibraries libraries, EventLoop loop, CmEvent request) throws NativeException {
        return new CmId(libraries, loop, request.id());
    }

    public long id() {
        return id;
    }

    /** Sets the target of disconnections and of the device's removal. It is called on the thread for events. */
    void onEnd(Consumer<CmEvent> target) {
        endListener = target;
    }

    private void onEvent(CmEvent event) {
        switch (event.type()) {
            case TIMEWAIT_EXIT, ADDR_CHANGE, MULTICAST_JOIN, MULTICAST_ERROR ->
                Log.LOGGER.debug("ignored {}", event.type());
            case DISCONNECTED, DEVICE_REMOVAL -> {
                events.add(event);
                endListener.accept(event);
            }
            default -> events.add(event);
        }
    }

    /** Makes the step that a thread waits for fail, and all later ones. Any thread. */
    public void abort() {
        aborted = true;
        events.add(WAKE_UP);
    }

    /**
     * Waits for the event that completes a step.
     *
     * @param deadline as of {@link System#nanoTime}
     */
    public CmEvent await(CmEvent.Type expected, long deadline) throws RdmaException {
        CmEvent event;
        try {
            event = aborted ? WAKE_UP : events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Kind.DISCONNECTED, "interrupted while connecting", e);
        }
        if (event == null) {
            throw orDown(Failures.late(expected));
        }
        if (aborted) {
            throw new RdmaException(Kind.DISCONNECTED, "closed while connecting");
        }
        if (event.type() != expected) {
            throw orDown(Failures.step(event, isIwarp()));
        }
        return event;
    }

    /** Names the port where it is down: that is why no peer answers, and nothing else shows it. */
    private RdmaException orDown(RdmaException failure) {
        long context = libraries.cm().verbs(id);
        int port = libraries.cm().portNumber(id);
        if (context == 0 || port == 0 || (failure.kind() != Kind.TIMED_OUT && failure.kind() != Kind.UNREACHABLE)) {
            return failure;
        }
        try {
            String state = libraries.verbs().queryPort(context, port).state();
            return state.equals("ACTIVE")
                    ? failure
                    : new RdmaException(
                            Kind.UNREACHABLE,
                            "port " + port + " of " + libraries.verbs().deviceName(context) + " is " + state
                                    + "; set its network interface up (rdma link shows which): " + failure.getMessage(),
                            failure);
        } catch (NativeException e) {
            Log.LOGGER.debug("asking for a port's state failed", e);
            return failure;
        }
    }

    private boolean isIwarp() {
        long context = libraries.cm().verbs(id);
        try {
            return context != 0 && libraries.verbs().queryDevice(context).iwarp();
        } catch (NativeException e) {
            Log.LOGGER.debug("asking for a device's transport failed", e);
            return false;
        }
    }

    /** The milliseconds until a deadline, at least 1. */
    public static int millisUntil(long deadline) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, (deadline - System.nanoTime()) / NANOS_PER_MILLI));
    }

    /** Destroys the id. Called once, when no thread waits for a step. */
    public void destroy() {
        loop.remove(token);
        try {
            libraries.cm().destroyId(id);
        } catch (NativeException e) {
            Log.LOGGER.warn("destroying a connection manager's id failed", e);
        }
    }
}
