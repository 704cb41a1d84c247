package io.verbena.memory.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.memory.BufferLease;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads close the same lease, while there is another lease. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "It is given back once.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "It is given back twice, or not.")
@State
public class CloseTwiceStress {
    private final Budget budget = new Budget(Budget.LEAST);
    private final BufferLease other = budget.one.tryLease(1);
    private final BufferLease lease = budget.two.tryLease(1);

    @Actor
    public void first() {
        lease.close();
    }

    @Actor
    public void second() {
        lease.close();
    }

    @Arbiter
    public void look(II_Result r) {
        r.r1 = budget.leased();
        other.close();
        r.r2 = budget.close();
    }
}
