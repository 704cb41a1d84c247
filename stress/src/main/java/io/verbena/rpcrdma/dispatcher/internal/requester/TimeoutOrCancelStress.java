package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A call times out while it is cancelled. */
@JCStressTest
@Outcome(id = "1, 0, 0, 2", expect = ACCEPTABLE, desc = "Its time is over.")
@Outcome(id = "0, 1, 0, 2", expect = ACCEPTABLE, desc = "It is cancelled.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The call is not completed once, or its slot is lost.")
@State
public class TimeoutOrCancelStress {
    private final Calls calls = new Calls();
    private final PendingCall<String> call = calls.sent();
    private final int xid = call.slot.xid;

    @Actor
    public void timeOut(IIII_Result r) {
        r.r1 = calls.giveUp(call);
    }

    @Actor
    public void cancel(IIII_Result r) {
        r.r2 = calls.giveUp(call);
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r3 = calls.reply(Calls.FIRST, xid);
        r.r4 = calls.free();
    }
}
