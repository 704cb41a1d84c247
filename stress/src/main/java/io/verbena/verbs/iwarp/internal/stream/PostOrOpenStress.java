package io.verbena.verbs.iwarp.internal.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread posts a message while the peer signals that it is ready. */
@JCStressTest
@Outcome(id = "12, 12, 0", expect = ACCEPTABLE, desc = "Both are out, in their order.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A message is left in the queue, sent twice or out of its order.")
@State
public class PostOrOpenStress {
    private final SendSide side = new SendSide(2);

    public PostOrOpenStress() {
        side.post(1);
    }

    @Actor
    public void post() {
        side.post(2);
    }

    @Actor
    public void receive() {
        side.receive();
        side.transmitter.open();
        side.transmitter.flush();
    }

    @Arbiter
    public void look(III_Result r) {
        r.r1 = side.written();
        r.r2 = side.complete();
        r.r3 = side.transmitter.isBusy() ? 1 : 0;
    }
}
