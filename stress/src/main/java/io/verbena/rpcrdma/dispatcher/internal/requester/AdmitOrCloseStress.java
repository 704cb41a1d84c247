package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** One thread makes a call while another one fails all calls, including later ones. */
@JCStressTest
@Outcome(id = "1, 0, 0, 0", expect = ACCEPTABLE, desc = "The call is refused, or withdrawn.")
@Outcome(id = "0, 1, 0, 0", expect = ACCEPTABLE, desc = "It is failed with the others.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The call is not completed once, or stays.")
@State
public class AdmitOrCloseStress {
    private final Calls calls = new Calls();
    private final PendingCall<String> call = Calls.call();

    @Actor
    public void admit(IIII_Result r) {
        try {
            CallSlot slot = calls.table.admit(call);
            r.r1 = slot == null ? 0 : calls.send(slot);
        } catch (RpcException e) {
            r.r1 = 1;
        }
    }

    @Actor
    public void close(IIII_Result r) {
        calls.table.close(new TransportLostException("closed", null));
        r.r2 = calls.giveUpAll();
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r3 = calls.table.all().size();
        r.r4 = call.slot == null ? 0 : calls.reply(Calls.FIRST, call.slot.xid);
    }
}
