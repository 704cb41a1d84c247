package io.verbena.nfs41.client.internal.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The server allows another slot while a thread releases one, and two requests wait. */
@JCStressTest
@Outcome(id = "0, 1, 2, 0", expect = ACCEPTABLE, desc = "The slot that is given back is handed on first.")
@Outcome(id = "1, 0, 2, 0", expect = ACCEPTABLE, desc = "The new slot is given first.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A slot is given twice, or a waiter is left.")
@State
public class ReleaseOrGrowStress {
    private final SlotTable table = new SlotTable(2);
    private final Slot held;
    private final SlotWaiter first;
    private final SlotWaiter second;

    public ReleaseOrGrowStress() {
        table.target(0);
        held = SlotWaiter.of(table).slot();
        first = SlotWaiter.of(table);
        second = SlotWaiter.of(table);
    }

    @Actor
    public void release() {
        table.release(held);
    }

    @Actor
    public void grow() {
        table.target(1);
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = first.id();
        r.r2 = second.id();
        r.r3 = table.inUse();
        r.r4 = table.waiting();
    }
}
