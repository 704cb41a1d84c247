package io.verbena.openmetrics.internal;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.Unit;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.ShareUsage;
import java.util.LinkedHashMap;
import java.util.Map;

/** What {@code rdma:memory} knows of the budget of direct memory. */
final class MemoryFamilies {
    private final Families families;

    MemoryFamilies(Families families) {
        this.families = families;
    }

    /** Adds the budget and its holders. Shares of the same owner count together. */
    void add(MemoryBudget budget) {
        families.gauge(
                "verbena_memory_limit",
                Unit.BYTES,
                "The most direct memory that all buffers may hold",
                Labels.EMPTY,
                budget.limitBytes());
        families.gauge("verbena_memory_leased", Unit.BYTES, "What buffers hold", Labels.EMPTY, budget.leasedBytes());
        families.gauge(
                "verbena_memory_allocated",
                Unit.BYTES,
                "What the budget has of the JVM: leased memory, and memory kept for the next leases",
                Labels.EMPTY,
                budget.allocatedBytes());
        Map<Labels, ShareUsage> holders = new LinkedHashMap<>();
        for (ShareUsage share : budget.holdings()) {
            Labels labels = Labels.of("holder", LabelText.of(share.owner()), "part", share.isPart() ? "yes" : "no");
            holders.merge(labels, share, MemoryFamilies::sum);
        }
        holders.forEach((labels, share) -> {
            families.gauge(
                    "verbena_memory_held",
                    Unit.BYTES,
                    "What a holder holds; a part's memory counts for its holder as well",
                    labels,
                    share.leasedBytes());
            families.gauge("verbena_memory_leases", "The leases of a holder", labels, share.leases());
            families.gauge(
                    "verbena_memory_requests_waiting",
                    "The requests of a holder that wait for memory",
                    labels,
                    share.waiting());
        });
    }

    private static ShareUsage sum(ShareUsage one, ShareUsage other) {
        return new ShareUsage(
                one.owner(),
                one.leasedBytes() + other.leasedBytes(),
                one.leases() + other.leases(),
                one.waiting() + other.waiting(),
                one.isPart());
    }
}
