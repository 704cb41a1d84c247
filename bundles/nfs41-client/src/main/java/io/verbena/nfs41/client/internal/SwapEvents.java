package io.verbena.nfs41.client.internal;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountEvents;
import java.util.HashMap;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.event.Event;
import org.osgi.service.event.EventAdmin;

/**
 * Sends {@link MountEvents}. The only class that needs Event Admin: where that is not installed, this component is not
 * satisfied and the class is never loaded. The reference is an optional one whose least cardinality is set to one: so
 * the component waits for the service, and the bundle does not require it of whoever resolves it.
 */
@Component(service = SwapListener.class, property = "events.cardinality.minimum:Integer=1")
public final class SwapEvents implements SwapListener {
    private final EventAdmin events;

    @Activate
    public SwapEvents(@Reference(name = "events", cardinality = ReferenceCardinality.OPTIONAL) EventAdmin events) {
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
