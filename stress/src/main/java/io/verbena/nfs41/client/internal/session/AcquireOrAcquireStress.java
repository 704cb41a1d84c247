package io.verbena.nfs41.client.internal.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads acquire a slot each, and there are two slots. */
@JCStressTest
@Outcome(id = "0, 1, 2", expect = ACCEPTABLE, desc = "The first comes first.")
@Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "The second comes first.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A slot is given twice, or a waiter is left.")
@State
public class AcquireOrAcquireStress {
    private final SlotTable table = new SlotTable(2);
    private final SlotWaiter first = new SlotWaiter();
    private final SlotWaiter second = new SlotWaiter();

    @Actor
    public void first() {
        table.acquire(first);
    }

    @Actor
    public void second() {
        table.acquire(second);
    }

    @Arbiter
    public void look(III_Result r) {
        r.r1 = first.id();
        r.r2 = second.id();
        r.r3 = table.inUse();
    }
}
