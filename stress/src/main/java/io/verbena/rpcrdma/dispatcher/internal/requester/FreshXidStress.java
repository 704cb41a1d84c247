package io.verbena.rpcrdma.dispatcher.internal.requester;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.stream.IntStream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A call takes the slot of an answered call while another call is made. */
@JCStressTest
@Outcome(id = "3, 2", expect = ACCEPTABLE, desc = "Each has an XID of its own.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "An XID is given twice, or tells of another call.")
@State
public class FreshXidStress {
    private final Calls calls = new Calls();
    private final int answered = calls.sent().slot.xid;
    private final PendingCall<String> first = Calls.call();
    private final PendingCall<String> second = Calls.call();

    @Actor
    public void replyAndSend() {
        calls.reply(Calls.FIRST, answered);
        calls.send(calls.admit(first));
    }

    @Actor
    public void send() {
        calls.send(calls.admit(second));
    }

    @Arbiter
    public void look(II_Result r) {
        int one = first.slot.xid;
        int other = second.slot.xid;
        r.r1 = (int) IntStream.of(answered, one, other).distinct().count();
        r.r2 = (calls.table.slot(one).call == first ? 1 : 0) + (calls.table.slot(other).call == second ? 1 : 0);
    }
}
