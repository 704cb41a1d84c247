package io.verbena.verbs.iwarp.internal.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads post two messages each; a thread that finds the send side owned leaves its messages to the other. */
@JCStressTest
@Outcome(id = "1234, 1234", expect = ACCEPTABLE, desc = "All are out, those of one thread in its order.")
@Outcome(id = "1324, 1324", expect = ACCEPTABLE, desc = "All are out, those of one thread in its order.")
@Outcome(id = "1342, 1342", expect = ACCEPTABLE, desc = "All are out, those of one thread in its order.")
@Outcome(id = "3124, 3124", expect = ACCEPTABLE, desc = "All are out, those of one thread in its order.")
@Outcome(id = "3142, 3142", expect = ACCEPTABLE, desc = "All are out, those of one thread in its order.")
@Outcome(id = "3412, 3412", expect = ACCEPTABLE, desc = "All are out, those of one thread in its order.")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "A message is left in the queue, sent twice or out of its order.")
@State
public class PostOrPostStress {
    private final SendSide side = SendSide.open();

    @Actor
    public void first() {
        side.post(1);
        side.post(2);
    }

    @Actor
    public void second() {
        side.post(3);
        side.post(4);
    }

    @Arbiter
    public void look(II_Result r) {
        r.r1 = side.written();
        r.r2 = side.complete();
    }
}
