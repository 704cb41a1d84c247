package io.verbena.memory.internal;

import io.verbena.memory.MemoryBudget;
import io.verbena.runtime.Runtime;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The budget as a service. */
@Component(service = MemoryBudget.class, configurationPid = MemoryConfiguration.PID)
@Designate(ocd = MemoryConfiguration.class)
public final class MemoryComponent extends DirectMemory {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryComponent.class);

    @Activate
    public MemoryComponent(MemoryConfiguration configuration, @Reference Runtime runtime) {
        super(limitOf(configuration), runtime);
    }

    @Modified
    void modified(MemoryConfiguration configuration) {
        limit(limitOf(configuration));
    }

    @Deactivate
    void deactivate() {
        close();
    }

    /** Text that is no size leaves the limit as it is without: nothing works without memory. */
    private static long limitOf(MemoryConfiguration configuration) {
        String text = configuration.limit();
        if (text == null || text.isBlank()) {
            return JvmMemory.defaultLimit();
        }
        try {
            return Octets.parse(text);
        } catch (IllegalArgumentException e) {
            LOG.error("limit of {}: {}; the limit is what the JVM gives", MemoryConfiguration.PID, e.getMessage());
            return JvmMemory.defaultLimit();
        }
    }
}
