package io.verbena.verbs.selftest.internal;

import static io.verbena.verbs.selftest.internal.Message.GUARD;
import static io.verbena.verbs.selftest.internal.StepFailure.check;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.internal.Initiator.Answer;
import io.verbena.verbs.selftest.internal.Message.Kind;
import java.nio.ByteBuffer;
import java.util.Random;

/** Tests every verb in both directions. The connection remains established. */
final class Verbs {
    private static final int[] MESSAGES = {0, 1, 511, SelfTestOptions.MAX_MESSAGE_SIZE};

    /** Sizes: a part of a packet, several packets and a remainder, and the maximum. */
    private static final int[] TRANSFERS = {1, 1000, 65_537, Message.MAX_TRANSFER};

    private final Initiator end;
    private final Random random = new Random();

    Verbs(Initiator end) {
        this.end = end;
    }

    /** Tests Sends; the other end returns the octets inverted. */
    void send() throws RdmaException, InterruptedException {
        for (int size : MESSAGES) {
            byte[] sent = new byte[size];
            random.nextBytes(sent);
            end.send(Message.of(Kind.ECHO), sent);
            Answer answer = end.answer();
            Initiator.success(answer);
            int back = answer.payload().remaining();
            check(back == size, size + " octets sent, " + back + " came back");
            for (int i = 0; i < size; i++) {
                check(answer.payload().get(i) == (byte) ~sent[i], "a message of " + size + " octets came back changed");
            }
        }
    }

    /** Tests Send with Invalidate of the other end's memory, and of this end's. */
    void sendWithInvalidate() throws RdmaException, InterruptedException {
        Message theirs = end.ask(Message.of(Kind.OPEN_FOR_WRITE, 1000, 0));
        end.sendInvalidating(Message.of(Kind.INVALIDATED), theirs.tag());
        Initiator.success(end.answer());

        MemoryRegion ours =
                OpenedMemory.open(end.connection(), 1000, Access.REMOTE_WRITE).region();
        int tag = ours.steeringTag();
        end.send(new Message(Kind.REPLY_INVALIDATING, tag, 0, 0, 0));
        Answer answer = end.answer();
        Initiator.success(answer);
        check(answer.invalidated() && answer.invalidatedTag() == tag, "the answer did not invalidate our memory");
        check(!ours.isValid(), "our memory is valid after a Send with Invalidate of it");
    }

    /** Tests RDMA Writes to the other end, and from the other end. */
    void write() throws RdmaException, InterruptedException {
        for (int size : TRANSFERS) {
            long seed = random.nextLong();
            Message target = named(end.ask(Message.of(Kind.OPEN_FOR_WRITE, size, seed)), size);
            OpenedMemory source =
                    OpenedMemory.open(end.connection(), size, Access.LOCAL).fill(seed);
            end.connection().postWrite(1, source.region(), GUARD, size, target.tag(), target.offset(), 0);
            succeeded(end.transfer(), "an RDMA Write", size);
            end.ask(Message.of(Kind.COMPARE, 0, seed));
            source.region().invalidate();

            OpenedMemory ours = OpenedMemory.open(end.connection(), size, Access.REMOTE_WRITE);
            end.ask(ours.message(Kind.WRITE, seed));
            ours.region().invalidate();
            check(ours.holds(seed), "the other end's RDMA Write of " + size + " octets brought wrong contents");
        }
    }

    /** Tests RDMA Reads from the other end, and by the other end. */
    void read() throws RdmaException, InterruptedException {
        for (int size : TRANSFERS) {
            long seed = random.nextLong();
            Message source = named(end.ask(Message.of(Kind.OPEN_FOR_READ, size, seed)), size);
            OpenedMemory target = OpenedMemory.open(end.connection(), size, Access.LOCAL);
            end.connection().postRead(1, target.region(), GUARD, size, source.tag(), source.offset(), 0);
            succeeded(end.transfer(), "an RDMA Read", size);
            check(target.holds(seed), "an RDMA Read of " + size + " octets brought wrong contents");
            target.region().invalidate();

            OpenedMemory ours = OpenedMemory.open(end.connection(), size, Access.REMOTE_READ)
                    .fill(seed);
            end.ask(ours.message(Kind.READ, seed));
            ours.region().invalidate();
        }
    }

    private static Message named(Message reply, int size) {
        return reply.withLength(size);
    }

    private static void succeeded(Completion.Status status, String what, int size) {
        check(status == Completion.Status.SUCCESS, what + " of " + size + " octets ended with " + status);
    }

    /** Tests invalidation by the end that owns the memory. */
    void localInvalidate() throws RdmaException, InterruptedException {
        int before = end.connection().remoteRegions();
        MemoryRegion ours = end.connection().register(ByteBuffer.allocateDirect(1000), Access.REMOTE_READ);
        check(ours.isValid(), "registered memory is not valid");
        check(end.connection().remoteRegions() == before + 1, "registered memory is not counted");
        ours.invalidate();
        check(!ours.isValid(), "invalidated memory is valid still");
        check(end.connection().remoteRegions() == before, "invalidated memory is counted still");

        end.ask(Message.of(Kind.OPEN_FOR_READ, 1000, 0));
        end.ask(Message.of(Kind.INVALIDATE));
    }
}
