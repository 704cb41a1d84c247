package io.verbena.management.internal;

import io.verbena.management.MemoryMXBean;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.ShareUsage;
import java.util.LinkedHashMap;
import java.util.Map;

/** The budget of direct memory as JMX shows it. */
final class MemoryBean implements MemoryMXBean {
    private final MemoryBudget budget;

    MemoryBean(MemoryBudget budget) {
        this.budget = budget;
    }

    @Override
    public long getLimit() {
        return budget.limitBytes();
    }

    @Override
    public long getLeased() {
        return budget.leasedBytes();
    }

    @Override
    public long getAllocated() {
        return budget.allocatedBytes();
    }

    @Override
    public long getWaiting() {
        return budget.holdings().stream().mapToLong(ShareUsage::waiting).sum();
    }

    @Override
    public Map<String, Long> getHoldings() {
        Map<String, Long> all = new LinkedHashMap<>();
        budget.holdings().forEach(holding -> all.put(holding.owner(), holding.leasedBytes()));
        return all;
    }
}
