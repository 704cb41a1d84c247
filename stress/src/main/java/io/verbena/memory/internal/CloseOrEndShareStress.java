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

/** One thread closes a share while another one gives back the memory that the share's request waits for. */
@JCStressTest
@Outcome(id = "1, 0, 0, 0", expect = ACCEPTABLE, desc = "The request is served before.")
@Outcome(id = "2, 0, 0, 0", expect = ACCEPTABLE, desc = "It is refused.")
@Outcome(
        id = ".*",
        expect = FORBIDDEN,
        desc = "The request is left, a closed share is given memory, or something is not given back.")
@State
public class CloseOrEndShareStress {
    private final Budget budget = new Budget(Budget.LEAST);
    private final BufferLease held = budget.one.tryLease(Budget.bytes(Budget.LEAST));
    private final CompletableFuture<BufferLease> request = Budget.request(budget.two, Budget.FEW);

    @Actor
    public void close() {
        held.close();
    }

    @Actor
    public void endShare() {
        budget.two.close();
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = Budget.end(request);
        r.r2 = budget.two.tryLease(1) == null ? 0 : 1;
        r.r3 = budget.waiting();
        r.r4 = budget.close();
    }
}
