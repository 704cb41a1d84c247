package io.verbena.verbs.selftest.internal;

import static io.verbena.verbs.selftest.internal.Message.GUARD;
import static io.verbena.verbs.selftest.internal.StepFailure.check;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.internal.Message.Kind;

/**
 * Tests accesses to invalidated memory. Each access ends its connection, so each one uses a connection of its own. The
 * methods return whether the connection ended with a cause; some devices do not report one.
 */
final class Refusals {
    private static final int SIZE = 1000;

    private Refusals() {}

    /** This end reads the other end's memory. */
    static boolean ours(Initiator end) throws RdmaException, InterruptedException {
        Message source = end.ask(Message.of(Kind.OPEN_FOR_READ, SIZE, 1));
        end.ask(Message.of(Kind.INVALIDATE));
        OpenedMemory target = OpenedMemory.open(end.connection(), SIZE, Access.LOCAL);
        end.connection().postRead(1, target.region(), GUARD, SIZE, source.tag(), source.offset(), 0);
        Completion.Status status = end.transfer();
        // some devices report the refusal only by the end of the connection, which flushes the read
        check(status != Completion.Status.SUCCESS, "an RDMA Read of invalidated memory was a success");
        check(target.isUntouched(), "an RDMA Read of invalidated memory brought contents");
        return ends(end);
    }

    /** The other end writes to this end's memory. */
    static boolean theirs(Initiator end) throws RdmaException, InterruptedException {
        OpenedMemory ours = OpenedMemory.open(end.connection(), SIZE, Access.REMOTE_WRITE);
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
