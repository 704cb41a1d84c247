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

/** One thread cancels a request while another one gives back the memory that the request waits for. */
@JCStressTest
@Outcome(id = "1, 0, 0, 0", expect = ACCEPTABLE, desc = "It is served before.")
@Outcome(id = "2, 1, 0, 0", expect = ACCEPTABLE, desc = "It is cancelled, and holds nothing.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The request is neither, or something is not given back.")
@State
public class CloseOrCancelStress {
    private final Budget budget = new Budget(Budget.LEAST);
    private final BufferLease held = budget.one.tryLease(Budget.bytes(Budget.LEAST));
    private final CompletableFuture<BufferLease> request = Budget.request(budget.two, Budget.FEW);

    @Actor
    public void close() {
        held.close();
    }

    @Actor
    public void cancel(IIII_Result r) {
        r.r2 = request.cancel(false) ? 1 : 0;
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = Budget.end(request);
        r.r3 = budget.waiting();
        r.r4 = budget.close();
    }
}
