package io.verbena.memory.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.memory.BufferLease;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** Two threads give back a lease each, and two requests wait. */
@JCStressTest
@Outcome(id = "1, 1, 0, 0", expect = ACCEPTABLE, desc = "Both are served.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "Who waits is left, or something is not given back.")
@State
public class CloseOrCloseStress {
    private static final int ALL = 2 * Budget.LEAST;

    private final Budget budget = new Budget(ALL);
    private final BufferLease first = budget.one.tryLease(Budget.bytes(Budget.LEAST));
    private final BufferLease second = budget.two.tryLease(Budget.bytes(Budget.LEAST));
    private final CompletableFuture<BufferLease> one = Budget.request(budget.three, Budget.LEAST);
    private final CompletableFuture<BufferLease> other = Budget.request(budget.memory.share("four"), Budget.LEAST);

    @Actor
    public void first() {
        first.close();
    }

    @Actor
    public void second() {
        second.close();
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = Budget.end(one);
        r.r2 = Budget.end(other);
        r.r3 = budget.waiting();
        r.r4 = budget.close();
    }
}
