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

/** Two shares request all free memory. */
@JCStressTest
@Outcome(id = "1, 0, 16, 0", expect = ACCEPTABLE, desc = "The first has it.")
@Outcome(id = "0, 1, 16, 0", expect = ACCEPTABLE, desc = "The second has it.")
@Outcome(
        id = ".*",
        expect = FORBIDDEN,
        desc = "More is given than there is, or nothing, or something is not given back.")
@State
public class LeaseOrLeaseStress {
    private final Budget budget = new Budget(Budget.LEAST);
    private BufferLease first;
    private BufferLease second;

    @Actor
    public void first() {
        first = budget.one.tryLease(Budget.bytes(Budget.LEAST));
    }

    @Actor
    public void second() {
        second = budget.two.tryLease(Budget.bytes(Budget.LEAST));
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = first == null ? 0 : 1;
        r.r2 = second == null ? 0 : 1;
        r.r3 = budget.leased();
        (first == null ? second : first).close();
        r.r4 = budget.close();
    }
}
