package io.verbena.nfs41.client.internal.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** One thread acquires a slot while the session ends. */
@JCStressTest
@Outcome(id = "0, 1, 1, 0", expect = ACCEPTABLE, desc = "It is given before.")
@Outcome(id = "-1, 1, 0, 0", expect = ACCEPTABLE, desc = "It is refused.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A waiter is left or told twice.")
@State
public class AcquireOrCloseStress {
    private final SlotTable table = new SlotTable(1);
    private final SlotWaiter want = new SlotWaiter();

    @Actor
    public void acquire() {
        table.acquire(want);
    }

    @Actor
    public void close() {
        table.close();
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = want.id();
        r.r2 = want.answers();
        r.r3 = table.inUse();
        r.r4 = table.waiting();
    }
}
