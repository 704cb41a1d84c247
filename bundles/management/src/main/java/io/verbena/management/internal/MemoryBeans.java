package io.verbena.management.internal;

import io.verbena.memory.MemoryBudget;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Registers the MBean of the budget of direct memory, as long as the service exists. */
@Component(
        immediate = true,
        service = {})
public final class MemoryBeans {
    private final MBeans beans = new MBeans("io.verbena:type=");

    @Activate
    public MemoryBeans(@Reference MemoryBudget budget) {
        beans.add("Memory", new MemoryBean(budget));
    }

    @Deactivate
    void deactivate() {
        beans.removeAll();
    }
}
