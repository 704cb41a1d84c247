package io.verbena.verbs.natives.internal;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A connection manager's id, whose steps are waited for by one thread at a time. */
final class CmId {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final CmEvent WAKE_UP = new CmEvent(CmEvent.Type.TIMEWAIT_EXIT, 0, 0, 0, 0, null, 0, 0);

    private final Natives natives;
    private final EventLoop loop;
    private final long id;
    private final long token;
    private final BlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();
    private volatile boolean aborted;
    private volatile Consumer<CmEvent> ends = e -> {};

    private CmId(Natives natives, EventLoop loop, long requested) throws NativeException {
        this.natives = natives;
        this.loop = loop;
        token = loop.add(this::onEvent);
        if (requested == 0) {
            try {
                id = natives.cm().createId(loop.channel(), token);
            } catch (NativeException e) {
                loop.remove(token);
                throw e;
            }
        } else {
            id = requested;
            natives.cm().setToken(id, token);
        }
    }

    static CmId create(Natives natives, EventLoop loop) throws NativeException {
        return new CmId(natives, loop, 0);
    }

    /** The id that came with a connection request; on the thread for events, before it takes the next. */
    static CmId requested(Natives natives, EventLoop loop, CmEvent request) throws NativeException {
        return new CmId(natives, loop, request.id());
    }

    long id() {
        return id;
    }

    /** Who is told of a disconnection and of a device's removal, on the thread for events. */
    void onEnd(Consumer<CmEvent> target) {
        ends = target;
    }

    private void onEvent(CmEvent event) {
        switch (event.type()) {
            case TIMEWAIT_EXIT, ADDR_CHANGE, MULTICAST_JOIN, MULTICAST_ERROR ->
                Log.LOGGER.debug("passed over {}", event.type());
            case DISCONNECTED, DEVICE_REMOVAL -> {
                events.add(event);
                ends.accept(event);
            }
            default -> events.add(event);
        }
    }

    /** Makes the step that is waited for, and those to come, fail; any thread. */
    void abort() {
        aborted = true;
        events.add(WAKE_UP);
    }

    /**
     * Waits for a step.
     *
     * @param deadline as of {@link System#nanoTime}
     */
    CmEvent await(CmEvent.Type expected, long deadline) throws RdmaException {
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

    /** A port that is down is why nobody answers, and has to be named: nothing else shows it. */
    private RdmaException orDown(RdmaException failure) {
        long context = natives.cm().verbs(id);
        int port = natives.cm().portNumber(id);
        if (context == 0 || port == 0 || (failure.kind() != Kind.TIMED_OUT && failure.kind() != Kind.UNREACHABLE)) {
            return failure;
        }
        try {
            String state = natives.verbs().queryPort(context, port).state();
            return state.equals("ACTIVE")
                    ? failure
                    : new RdmaException(
                            Kind.UNREACHABLE,
                            "port " + port + " of " + natives.verbs().deviceName(context) + " is " + state
                                    + "; set its network interface up (rdma link shows which): " + failure.getMessage(),
                            failure);
        } catch (NativeException e) {
            Log.LOGGER.debug("asking for a port's state failed", e);
            return failure;
        }
    }

    private boolean isIwarp() {
        long context = natives.cm().verbs(id);
        try {
            return context != 0 && natives.verbs().queryDevice(context).iwarp();
        } catch (NativeException e) {
            Log.LOGGER.debug("asking for a device's transport failed", e);
            return false;
        }
    }

    /** The most milliseconds that a step may take. */
    static int millisUntil(long deadline) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, (deadline - System.nanoTime()) / NANOS_PER_MILLI));
    }

    /** Once, when no step is waited for. */
    void destroy() {
        loop.remove(token);
        try {
            natives.cm().destroyId(id);
        } catch (NativeException e) {
            Log.LOGGER.warn("destroying a connection manager's id failed", e);
        }
    }
}
