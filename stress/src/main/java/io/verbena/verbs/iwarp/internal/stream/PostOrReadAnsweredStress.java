package io.verbena.verbs.iwarp.internal.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A message is posted after an RDMA Read that waits for the response to an earlier one, while that response arrives.
 */
@JCStressTest
@Outcome(id = "3, 123, 0", expect = ACCEPTABLE, desc = "All are out, in their order.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A message is left in the queue, or told twice or out of its order.")
@State
public class PostOrReadAnsweredStress {
    private final SendSide side = SendSide.open();

    public PostOrReadAnsweredStress() {
        side.read(1);
        side.read(2);
    }

    @Actor
    public void post() {
        side.post(3);
    }

    @Actor
    public void receive() {
        side.receive();
        side.transmitter.readResponded();
        side.transmitter.flush();
    }

    @Arbiter
    public void look(III_Result r) {
        side.transmitter.readResponded();
        r.r1 = side.written();
        r.r2 = side.complete();
        r.r3 = side.transmitter.isBusy() ? 1 : 0;
    }
}
