package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.ConnectionEvents;
import io.verbena.rpcrdma.dispatcher.internal.services.ConnectionSwapListener;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapRecord;
import java.util.HashMap;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;

/**
 * Sends {@link ConnectionEvents}. The only class that uses Event Admin: without Event Admin the component is not
 * satisfied.
 */
@Component(service = ConnectionSwapListener.class)
public final class ConnectionEventSender implements ConnectionSwapListener {
    private final EventAdmin events;

    @Activate
    public ConnectionEventSender(@Reference EventAdmin events) {
        this.events = events;
    }

    @Override
    public void swapped(SwapRecord swap) {
        events.postEvent(new Event(ConnectionEvents.SWAPPED, properties(swap)));
    }

    private static Map<String, Object> properties(SwapRecord swap) {
        Map<String, Object> all = new HashMap<>();
        all.put(ConnectionEvents.ID, swap.id());
        all.put(ConnectionEvents.ROLE, swap.isClient() ? "client" : "server");
        all.put(ConnectionEvents.REMOTE, swap.remote());
        all.put(ConnectionEvents.REASON, swap.reason());
        all.put(ConnectionEvents.MESSAGE, swap.message());
        all.put(ConnectionEvents.DRAIN_MILLIS, swap.drainMillis());
        all.put(ConnectionEvents.OLD_VERSION, swap.oldVersion());
        if (swap.isClient()) {
            all.put(ConnectionEvents.PAUSE_MILLIS, swap.pauseMillis());
            all.put(ConnectionEvents.REPLAYED, swap.replayed());
            all.put(ConnectionEvents.VERSION, swap.version());
        }
        return all;
    }
}
