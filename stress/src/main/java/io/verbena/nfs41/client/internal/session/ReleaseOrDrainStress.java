package io.verbena.nfs41.client.internal.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** One thread releases a slot while another one drains the session, and a request waits. */
@JCStressTest
@Outcome(id = "0, 1, 1, 0", expect = ACCEPTABLE, desc = "The slot is handed on before.")
@Outcome(id = "-1, 1, 1, 0", expect = ACCEPTABLE, desc = "Who waits is refused.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A waiter is left or told twice, or idleness is told not once.")
@State
public class ReleaseOrDrainStress {
    private final SlotTable table = new SlotTable(1);
    private final AtomicInteger idle = new AtomicInteger();
    private final Slot held = SlotWaiter.of(table).slot();
    private final SlotWaiter want = SlotWaiter.of(table);

    @Actor
    public void release() {
        table.release(held);
    }

    @Actor
    public void drain() {
        table.drain(idle::incrementAndGet);
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r1 = want.id();
        r.r2 = want.answers();
        if (want.slot() != null && idle.get() == 0) {
            table.release(want.slot());
        }
        r.r3 = idle.get();
        r.r4 = table.inUse() + table.waiting();
    }
}
