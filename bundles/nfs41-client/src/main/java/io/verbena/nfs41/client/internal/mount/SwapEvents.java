package io.verbena.nfs41.client.internal.mount;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountEvents;
import io.verbena.nfs41.client.internal.figures.MountSwapListener;
import java.util.HashMap;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;

/**
 * Sends {@link MountEvents}. The only class that knows Event Admin: where that is not there, this is not either.
 */
@Component(name = "io.verbena.nfs41.client.internal.SwapEvents", service = MountSwapListener.class)
public final class SwapEvents implements MountSwapListener {
    private final EventAdmin events;

    @Activate
    public SwapEvents(@Reference EventAdmin events) {
        this.events = events;
    }

    @Override
    public void swapped(String mount, String what, String message, long pauseMillis) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(Mount.NAME, mount);
        properties.put(MountEvents.WHAT, what);
        properties.put(MountEvents.MESSAGE, message);
        if (pauseMillis != UNKNOWN) {
            properties.put(MountEvents.PAUSE_MILLIS, pauseMillis);
        }
        events.postEvent(new Event(MountEvents.SWAPPED, properties));
    }
}
