package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The reply is received while the call is abandoned. */
@JCStressTest
@Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "The reply completes it.")
@Outcome(id = "0, 1, 2", expect = ACCEPTABLE, desc = "It is given up, and the reply gives its credit back.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The call is not completed once, or its slot is lost.")
@State
public class ReplyOrGiveUpStress {
    private final Calls calls = new Calls();
    private final PendingCall<String> call = calls.sent();
    private final int xid = call.slot.xid;

    @Actor
    public void reply(III_Result r) {
        r.r1 = calls.reply(Calls.FIRST, xid);
    }

    @Actor
    public void giveUp(III_Result r) {
        r.r2 = calls.giveUp(call);
    }

    @Arbiter
    public void look(III_Result r) {
        r.r3 = calls.free();
    }
}
