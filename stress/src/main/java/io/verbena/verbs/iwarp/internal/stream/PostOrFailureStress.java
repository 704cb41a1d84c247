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

/** Two threads post messages, and the socket fails. */
@JCStressTest
@Outcome(id = "1, 1, 2, 1", expect = ACCEPTABLE, desc = "Both are flushed.")
@Outcome(id = "1, 0, 1, 1", expect = ACCEPTABLE, desc = "The second is refused.")
@Outcome(id = "0, 1, 1, 1", expect = ACCEPTABLE, desc = "The first is refused.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A message is not told of once, or the failure is not.")
@State
public class PostOrFailureStress {
    private final SendSide side = SendSide.open();

    public PostOrFailureStress() {
        side.broken = true;
    }

    @Actor
    public void first(IIII_Result r) {
        r.r1 = side.post(1);
    }

    @Actor
    public void second(IIII_Result r) {
        r.r2 = side.post(2);
    }

    @Arbiter
    public void look(IIII_Result r) {
        side.transmitter.stop();
        Completion[] rest = side.rest();
        for (Completion each : rest) {
            r.r3 += each.status() == Completion.Status.FLUSHED ? 1 : 0;
        }
        r.r4 = side.failures();
    }
}
