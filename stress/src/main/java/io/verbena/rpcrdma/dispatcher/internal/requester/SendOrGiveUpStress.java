package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A call is abandoned while it is sent. */
@JCStressTest
@Outcome(id = "1, 0, 0, 2", expect = ACCEPTABLE, desc = "It is not posted; its sender completes it.")
@Outcome(id = "0, 1, 0, 2", expect = ACCEPTABLE, desc = "It is posted before.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The call is not completed once, or its slot is lost.")
@State
public class SendOrGiveUpStress {
    private final Calls calls = new Calls();
    private final PendingCall<String> call = Calls.call();
    private final CallSlot slot = calls.admit(call);
    private final int xid = slot.xid;

    @Actor
    public void send(IIII_Result r) {
        r.r1 = calls.send(slot);
    }

    @Actor
    public void giveUp(IIII_Result r) {
        r.r2 = calls.giveUp(call);
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r3 = calls.reply(Calls.FIRST, xid);
        r.r4 = calls.free();
    }
}
