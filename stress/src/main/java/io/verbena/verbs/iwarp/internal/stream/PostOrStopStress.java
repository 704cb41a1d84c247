package io.verbena.verbs.iwarp.internal.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.verbs.Completion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A thread posts a message while the connection ends. */
@JCStressTest
@Outcome(id = "1, 1, 1, 0", expect = ACCEPTABLE, desc = "It is sent.")
@Outcome(id = "1, 0, 0, 1", expect = ACCEPTABLE, desc = "It is flushed.")
@Outcome(id = "0, 0, 0, 0", expect = ACCEPTABLE, desc = "It is refused.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "The message is not told of once, or told of wrongly.")
@State
public class PostOrStopStress {
    private final SendSide side = SendSide.open();
    private Completion[] rest;

    @Actor
    public void post(IIII_Result r) {
        r.r1 = side.post(1);
    }

    @Actor
    public void stop(IIII_Result r) {
        side.receive();
        side.transmitter.stop();
        r.r2 = side.written();
        rest = side.rest();
    }

    @Arbiter
    public void look(IIII_Result r) {
        r.r3 = SendSide.digits(rest, rest.length, Completion.Status.SUCCESS);
        r.r4 = SendSide.digits(rest, rest.length, Completion.Status.FLUSHED) + 10 * side.rest().length;
    }
}
