package io.verbena.verbs.selftest.internal;

import static io.verbena.verbs.selftest.internal.Message.GUARD;
import static io.verbena.verbs.selftest.internal.StepFailure.check;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.internal.Message.Kind;

/**
 * Accesses to memory that has been invalidated. Each ends its connection, so each has one to itself; what they return is
 * whether the connection's end came with a cause, which not every device tells.
 */
final class Refusals {
    private static final int SIZE = 1000;

    private Refusals() {}

    /** We read the other end's memory. */
    static boolean ours(Initiator end) throws RdmaException, InterruptedException {
        Message source = end.ask(Message.of(Kind.OPEN_FOR_READ, SIZE, 1));
        end.ask(Message.of(Kind.INVALIDATE));
        Opened target = Opened.open(end.connection(), SIZE, Access.LOCAL);
        end.connection().postRead(1, target.region(), GUARD, SIZE, source.tag(), source.offset(), 0);
        Completion.Status status = end.transfer();
        // some devices tell of the refusal by the end of the connection alone, which flushes the read
        check(status != Completion.Status.SUCCESS, "an RDMA Read of invalidated memory was a success");
        check(target.isUntouched(), "an RDMA Read of invalidated memory brought contents");
        return ends(end);
    }

    /** The other end writes to our memory. */
    static boolean theirs(Initiator end) throws RdmaException, InterruptedException {
        Opened ours = Opened.open(end.connection(), SIZE, Access.REMOTE_WRITE);
        Message write = ours.message(Kind.WRITE, 1);
        ours.region().invalidate();
        end.send(write);
        boolean told = ends(end);
        check(ours.isUntouched(), "an RDMA Write to invalidated memory has changed it");
        return told;
    }

    private static boolean ends(Initiator end) throws InterruptedException {
        check(end.awaitEnd(), "the connection stands after an access to invalidated memory");
        return end.cause() != null;
    }
}
