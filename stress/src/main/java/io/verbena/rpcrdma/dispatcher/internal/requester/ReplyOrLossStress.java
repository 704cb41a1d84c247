package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The reply is received while the connection is lost and the call is sent on another connection. */
@JCStressTest
@Outcome(id = "1, 0, 0, 2", expect = ACCEPTABLE, desc = "The reply completes it.")
@Outcome(id = "0, 0, 1, 2", expect = ACCEPTABLE, desc = "It is sent again with its XID, and answered then.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The call is not completed once, or its slot is lost.")
@State
public class ReplyOrLossStress {
    private final Calls calls = new Calls();
    private final PendingCall<String> call = calls.sent();
    private final int xid = call.slot.xid;

    @Actor
    public void reply(IIII_Result r) {
        r.r1 = calls.reply(Calls.FIRST, xid);
    }

    @Actor
    public void lose(IIII_Result r) {
        r.r2 = calls.lose();
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r3 = calls.secondReply(xid);
        r.r4 = calls.free();
    }
}
