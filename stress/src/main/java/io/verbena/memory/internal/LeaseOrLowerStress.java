package io.verbena.memory.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.memory.BufferLease;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** One thread leases memory while another one lowers the limit to the memory leased already. */
@JCStressTest
@Outcome(id = "1, 0, 0, 16", expect = ACCEPTABLE, desc = "It is leased before, and stays.")
@Outcome(id = "0, 0, 0, 16", expect = ACCEPTABLE, desc = "There is none any more.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "More is given beyond the limit, or something is not given back.")
@State
public class LeaseOrLowerStress {
    private final Budget budget = new Budget(2 * Budget.LEAST);
    private final BufferLease held = budget.one.tryLease(Budget.bytes(Budget.LEAST));
    private BufferLease lease;

    @Actor
    public void lease() {
        lease = budget.two.tryLease(Budget.bytes(Budget.LEAST));
    }

    @Actor
    public void lower() {
        budget.memory.limit(Budget.bytes(Budget.LEAST));
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r2 = budget.three.tryLease(1) == null ? 0 : 1;
        if (lease != null) {
            r.r1 = budget.leased() == 2 * Budget.LEAST ? 1 : 2;
            lease.close();
        }
        held.close();
        r.r3 = budget.close();
        r.r4 = (int) Math.max(Budget.LEAST, budget.memory.allocatedBytes() / Slab.PAGE);
    }
}
