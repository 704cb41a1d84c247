package io.verbena.nfs41.client.internal.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** One thread releases the only slot while another one acquires it. */
@JCStressTest
@Outcome(id = "0, 1, 1, 0", expect = ACCEPTABLE, desc = "The slot is handed on.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A waiter is left or told twice, or the slot is lost.")
@State
public class AcquireOrReleaseStress {
    private final SlotTable table = new SlotTable(1);
    private final Slot held = SlotWaiter.of(table).slot();
    private final SlotWaiter want = new SlotWaiter();

    @Actor
    public void acquire() {
        table.acquire(want);
    }

    @Actor
    public void release() {
        table.release(held);
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = want.id();
        r.r2 = want.answers();
        r.r3 = table.inUse();
        r.r4 = table.waiting();
    }
}
