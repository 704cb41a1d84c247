package io.verbena.verbs.selftest.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.SelfTestOptions;
import java.nio.ByteBuffer;
import java.util.Map;

/** The common part of both ends of a connection: slots for messages, and the end of the connection after a failure. */
abstract class Endpoint implements ConnectionHandler {
    /** Room for the outstanding transfers and the messages between them. */
    private static final int SEND_QUEUE = 64;

    private static final int SLOTS = 16;
    private static final int SLOT = SelfTestOptions.MAX_MESSAGE_SIZE + Message.LENGTH;
    private static final int READS = 16;

    /** The id of every send; the id of a receive is its slot. */
    private static final long SEND = -1;

    private final ByteBuffer sendMemory = ByteBuffer.allocateDirect(SLOTS * SLOT);
    private final ByteBuffer receiveMemory = ByteBuffer.allocateDirect(SLOTS * SLOT);

    @GuardedBy("this")
    private RdmaConnection connection;

    @GuardedBy("this")
    private MemoryRegion sends;

    @GuardedBy("this")
    private MemoryRegion receives;

    @GuardedBy("this")
    private int nextSend;

    private volatile RdmaException failure;

    static ConnectionOptions options(Map<String, String> provider) {
        return new ConnectionOptions(SEND_QUEUE, SLOTS, READS, READS, provider);
    }

    /** Sets the connection, which is not connected yet, and posts receives on it. */
    final synchronized void attach(RdmaConnection newConnection) throws RdmaException {
        connection = newConnection;
        sends = newConnection.register(sendMemory.duplicate(), Access.LOCAL);
        receives = newConnection.register(receiveMemory.duplicate(), Access.LOCAL);
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
    }

    final synchronized RdmaConnection connection() {
        return connection;
    }

    /** Why this end has closed the connection, or null. */
    final RdmaException failure() {
        return failure;
    }

    private synchronized void postReceive(int slot) throws RdmaException {
        connection.postReceive(slot, receives, (long) slot * SLOT, SLOT);
    }

    final void send(Message message) throws RdmaException {
        send(message, new byte[0]);
    }

    final synchronized void send(Message message, byte[] payload) throws RdmaException {
        int offset = encode(message, payload);
        int length = Message.LENGTH + payload.length;
        connection.postSend(SEND, sends, offset, length, RdmaConnection.UNSIGNALED);
    }

    final synchronized void sendInvalidating(Message message, int remoteTag) throws RdmaException {
        int offset = encode(message, new byte[0]);
        connection.postSendWithInvalidate(SEND, sends, offset, Message.LENGTH, remoteTag, RdmaConnection.UNSIGNALED);
    }

    /** Sends a message whose first octet is its only content. */
    final synchronized void sendRaw(byte first, int length) throws RdmaException {
        int offset = nextSlot();
        sendMemory.put(offset, first);
        connection.postSend(SEND, sends, offset, length, RdmaConnection.UNSIGNALED);
    }

    @GuardedBy("this")
    private int encode(Message message, byte[] payload) {
        int offset = nextSlot();
        ByteBuffer slot = sendMemory.slice(offset, SLOT);
        message.encode(slot);
        slot.put(payload);
        return offset;
    }

    // messages alternate between the ends, so that the last use of a slot is over when the slot is used again
    @GuardedBy("this")
    private int nextSlot() {
        int offset = nextSend * SLOT;
        nextSend = (nextSend + 1) % SLOTS;
        return offset;
    }

    @Override
    public final void onCompletions(Completion[] completions, int count) {
        try {
            for (int i = 0; i < count; i++) {
                onCompletion(completions[i]);
            }
        } catch (RdmaException e) {
            fail(e);
        }
    }

    private void onCompletion(Completion completion) throws RdmaException {
        boolean success = completion.status() == Completion.Status.SUCCESS;
        switch (completion.operation()) {
            case RECEIVE -> {
                if (success) {
                    int slot = (int) completion.id();
                    onMessage(receiveMemory, slot * SLOT, completion);
                    postReceive(slot);
                }
            }
            case RDMA_READ, RDMA_WRITE -> onTransfer(completion);
            case SEND -> {
                // a failed send is ignored: the end of the connection tells the reason
            }
        }
    }

    /** The received message without a copy; its octets are valid during the call only. */
    static ByteBuffer view(ByteBuffer memory, int offset, int length) {
        return memory.slice(offset, length);
    }

    /** A message was received; its octets are valid during the call only. */
    abstract void onMessage(ByteBuffer memory, int offset, Completion completion) throws RdmaException;

    /** A read or write of this end has completed, with any status. */
    abstract void onTransfer(Completion completion) throws RdmaException;

    /** Closes the connection after a failure, on the thread of the handler. */
    private void fail(RdmaException cause) {
        RdmaConnection ending = connection();
        if (ending.isConnected()) { // otherwise the end of the connection tells more
            failure = cause;
        }
        ending.close();
    }
}
