package io.verbena.memory.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.memory.BufferLease;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** One thread waits for a lease while another one gives all memory back. */
@JCStressTest
@Outcome(id = "8, 0, 0", expect = ACCEPTABLE, desc = "Who waits is served.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "Who waits is left, or something is not given back.")
@State
public class AwaitOrCloseStress {
    private final Budget budget = new Budget(Budget.LEAST);
    private final BufferLease held = budget.one.tryLease(Budget.bytes(Budget.LEAST));
    private BufferLease lease;

    @Actor
    public void await() {
        lease = Budget.await(budget.two, Budget.FEW);
    }

    @Actor
    public void close() {
        held.close();
    }

    @Arbiter
    public void look(III_Result r) {
        r.r1 = budget.leased();
        r.r2 = budget.waiting();
        lease.close();
        r.r3 = budget.close();
    }
}
