package io.verbena.verbs.selftest.internal;

import static io.verbena.verbs.selftest.internal.Message.DONE;
import static io.verbena.verbs.selftest.internal.Message.GUARD;
import static io.verbena.verbs.selftest.internal.Message.NOT_INVALIDATED;
import static io.verbena.verbs.selftest.internal.Message.STILL_VALID;
import static io.verbena.verbs.selftest.internal.Message.WRONG_CONTENTS;
import static io.verbena.verbs.selftest.internal.Message.protocol;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.internal.Message.Kind;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The listening end of a connection. It executes requests in the handler, and keeps at most the memory of one transfer
 * in each direction.
 */
class SelfTestResponder extends Endpoint {
    /** Receives the events of a connection. */
    interface Listener {
        /** A message was received. */
        void heard();

        /** The connection has ended. */
        void ended(SelfTestResponder responder, RdmaException cause);
    }

    private final Listener listener;

    // used by the handler's thread only
    private OpenedMemory opened;
    private OpenedMemory own;
    private long readSeed;
    private int pingPong;

    /** Written by the handler's thread, and read by the thread that waits for the end of the test. */
    private volatile int failedSteps = -1;

    SelfTestResponder(Listener listener) {
        this.listener = listener;
    }

    /** The number of failed steps that the other end has reported; -1 where it has not reported the end of the test. */
    int failedSteps() {
        return failedSteps;
    }

    @Override
    void onMessage(ByteBuffer memory, int offset, Completion completion) throws RdmaException {
        if (pingPong != 0) {
            pong(memory, offset, completion.length());
            return;
        }
        listener.heard();
        ByteBuffer in = view(memory, offset, completion.length());
        Message message = Message.decode(in);
        if (message.kind() == Kind.ECHO) {
            echo(in);
        } else {
            answer(message, completion);
        }
    }

    private void pong(ByteBuffer memory, int offset, int length) throws RdmaException {
        if (length != pingPong) {
            throw protocol("the other end has sent " + length + " octets in place of " + pingPong);
        }
        byte first = memory.get(offset);
        if (first != 0) {
            pingPong = 0;
        }
        sendRaw(first, length);
    }

    private void echo(ByteBuffer in) throws RdmaException {
        byte[] payload = new byte[in.remaining()]; // at most the size of a slot
        for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) ~in.get();
        }
        send(Message.reply(DONE), payload);
    }

    private void answer(Message message, Completion completion) throws RdmaException {
        switch (message.kind()) {
            case OPEN_FOR_WRITE -> open(message, Access.REMOTE_WRITE);
            case OPEN_FOR_READ -> open(message, Access.REMOTE_READ);
            case COMPARE -> reply(opened().holds(message.seed()) ? DONE : WRONG_CONTENTS);
            case INVALIDATE -> {
                opened().region().invalidate();
                reply(opened().region().isValid() ? STILL_VALID : DONE);
            }
            case INVALIDATED -> invalidated(completion);
            case REPLY_INVALIDATING -> sendInvalidating(Message.reply(DONE), message.tag());
            case WRITE -> write(message);
            case READ -> read(message);
            case PING_PONG -> {
                if (message.length() < 1 || message.length() > SelfTestOptions.MAX_MESSAGE_SIZE) {
                    throw protocol("the other end has asked for messages of " + message.length() + " octets");
                }
                pingPong = message.length();
                reply(DONE);
            }
            case END -> {
                failedSteps = Math.max(0, message.length());
                reply(DONE);
            }
            default -> throw protocol("the other end has sent a " + message.kind() + " out of turn");
        }
    }

    private void reply(int status) throws RdmaException {
        send(Message.reply(status));
    }

    private OpenedMemory opened() throws RdmaException {
        if (opened == null) {
            throw protocol("the other end has asked for memory that is not open");
        }
        return opened;
    }

    private void open(Message message, Access access) throws RdmaException {
        if (opened != null) {
            opened.region().invalidate();
        }
        opened = OpenedMemory.open(connection(), message.transferLength(), access);
        if (access == Access.REMOTE_READ) {
            opened.fill(message.seed());
        }
        send(opened.message(Kind.REPLY, 0).withLength(DONE));
    }

    private void invalidated(Completion completion) throws RdmaException {
        boolean seen = completion.invalidated()
                && completion.invalidatedTag() == opened().region().steeringTag();
        reply(!seen ? NOT_INVALIDATED : opened().region().isValid() ? STILL_VALID : DONE);
    }

    private void write(Message message) throws RdmaException {
        OpenedMemory source = own(message).fill(message.seed());
        connection()
                .postWrite(
                        0,
                        source.region(),
                        GUARD,
                        source.length(),
                        message.tag(),
                        message.offset(),
                        RdmaConnection.UNSIGNALED | RdmaConnection.MORE);
        reply(DONE);
    }

    private void read(Message message) throws RdmaException {
        OpenedMemory target = own(message);
        readSeed = message.seed();
        connection().postRead(0, target.region(), GUARD, target.length(), message.tag(), message.offset(), 0);
    }

    private OpenedMemory own(Message message) throws RdmaException {
        if (own != null) {
            own.region().invalidate();
        }
        own = OpenedMemory.open(connection(), message.transferLength(), Access.LOCAL);
        return own;
    }

    @Override
    void onTransfer(Completion completion) throws RdmaException {
        if (completion.operation() == Completion.Operation.RDMA_READ
                && completion.status() == Completion.Status.SUCCESS) {
            reply(Objects.requireNonNull(own).holds(readSeed) ? DONE : WRONG_CONTENTS);
        }
    }

    @Override
    public void onDisconnected(RdmaException cause) {
        listener.ended(this, failure() != null ? failure() : cause);
    }
}
