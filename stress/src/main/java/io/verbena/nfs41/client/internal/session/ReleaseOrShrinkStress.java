package io.verbena.nfs41.client.internal.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The server withdraws a slot while a thread releases it, and a request waits. */
@JCStressTest
@Outcome(id = "1, 1, 2, 0", expect = ACCEPTABLE, desc = "It is handed on before.")
@Outcome(id = "0, 1, 1, 1", expect = ACCEPTABLE, desc = "It is not; who waits gets the one that is left.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A waiter is left, or a slot beyond the target is given.")
@State
public class ReleaseOrShrinkStress {
    private final SlotTable table = new SlotTable(2);
    private final Slot low = SlotWaiter.of(table).slot();
    private final Slot high = SlotWaiter.of(table).slot();
    private final SlotWaiter want = SlotWaiter.of(table);

    @Actor
    public void release() {
        table.release(high);
    }

    @Actor
    public void shrink() {
        table.target(0);
    }

    @Arbiter
    public void look(IIII_Result r) {
        int used = table.inUse();
        int left = table.waiting();
        table.release(low);
        r.r1 = want.id();
        r.r2 = want.answers();
        r.r3 = used;
        r.r4 = left;
    }
}
