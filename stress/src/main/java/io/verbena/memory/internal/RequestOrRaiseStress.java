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
import org.openjdk.jcstress.infra.results.III_Result;

/** One thread requests memory while another one raises the limit. */
@JCStressTest
@Outcome(id = "24, 1, 0", expect = ACCEPTABLE, desc = "Who waits is served.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "Who waits is left, or something is not given back.")
@State
public class RequestOrRaiseStress {
    private final Budget budget = new Budget(Budget.LEAST);
    private final BufferLease held = budget.one.tryLease(Budget.bytes(Budget.LEAST));
    private CompletableFuture<BufferLease> request;

    @Actor
    public void request() {
        request = Budget.request(budget.two, Budget.FEW);
    }

    @Actor
    public void raise() {
        budget.memory.limit(Budget.bytes(2 * Budget.LEAST));
    }

    @Arbiter
    public void look(III_Result r) {
        request.join();
        r.r1 = budget.leased();
        r.r2 = Budget.end(request);
        held.close();
        r.r3 = budget.close();
    }
}
