package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** One thread makes a call while another one fails all current calls. */
@JCStressTest
@Outcome(id = "0, 0, 1, 2", expect = ACCEPTABLE, desc = "The call comes later, and stays.")
@Outcome(id = "0, 1, 0, 2", expect = ACCEPTABLE, desc = "It is failed with the others.")
@Outcome(id = "1, 0, 0, 2", expect = ACCEPTABLE, desc = "It is, before it is posted.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The call is completed twice, or lost.")
@State
public class AdmitOrFailAllStress {
    private final Calls calls = new Calls();
    private final PendingCall<String> call = Calls.call();

    @Actor
    public void admit(IIII_Result r) {
        r.r1 = calls.send(calls.admit(call));
    }

    @Actor
    public void failAll(IIII_Result r) {
        r.r2 = calls.giveUpAll();
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r3 = calls.reply(Calls.FIRST, call.slot.xid);
        r.r4 = calls.free();
    }
}
