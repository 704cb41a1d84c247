package io.verbena.verbs.selftest.internal;

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

/** What both ends of a connection have in common: slots for messages, and an end for whatever goes wrong. */
abstract class Endpoint implements ConnectionHandler {
    /** Transfers outstanding at once, and room for the messages between them. */
    private static final int SEND_QUEUE = 64;

    private static final int SLOTS = 16;
    private static final int SLOT = SelfTestOptions.MAX_MESSAGE_SIZE + Message.LENGTH;
    private static final int READS = 16;

    /** The number of every send; receives are numbered by their slot. */
    private static final long SEND = -1;

    private final ByteBuffer sendMemory = ByteBuffer.allocateDirect(SLOTS * SLOT);
    private final ByteBuffer receiveMemory = ByteBuffer.allocateDirect(SLOTS * SLOT);
    private RdmaConnection connection;
    private MemoryRegion sends;
    private MemoryRegion receives;
    private int nextSend;
    private volatile RdmaException failure;

    static ConnectionOptions options(Map<String, String> provider) {
        return new ConnectionOptions(SEND_QUEUE, SLOTS, READS, READS, provider);
    }

    /** Takes its connection, which is not connected yet, and posts receives on it. */
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

    /** Why this end has given the connection up, or null. */
    final RdmaException failure() {
        return failure;
    }

    private void postReceive(int slot) throws RdmaException {
        connection().postReceive(slot, receives, (long) slot * SLOT, SLOT);
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

    /** Sends a message of which the first octet alone means something. */
    final synchronized void sendRaw(byte first, int length) throws RdmaException {
        int offset = nextSlot();
        sendMemory.put(offset, first);
        connection.postSend(SEND, sends, offset, length, RdmaConnection.UNSIGNALED);
    }

    private int encode(Message message, byte[] payload) {
        int offset = nextSlot();
        ByteBuffer slot = sendMemory.slice(offset, SLOT);
        message.encode(slot);
        slot.put(payload);
        return offset;
    }

    // messages go back and forth, so that of a slot's last use nothing is under way when its turn comes again
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
                // a failed one says no more than the end of the connection will
            }
        }
    }

    /** The message that was received, without copying: its octets are valid during the call only. */
    static ByteBuffer view(ByteBuffer memory, int offset, int length) {
        return memory.slice(offset, length);
    }

    /** A message has come; its octets are valid during the call only. */
    abstract void onMessage(ByteBuffer memory, int offset, Completion completion) throws RdmaException;

    /** A read or write of ours is complete, whatever its status. */
    abstract void onTransfer(Completion completion) throws RdmaException;

    /** Gives the connection up, on the thread of the handler. */
    private void fail(RdmaException cause) {
        RdmaConnection ending = connection();
        if (ending.isConnected()) { // else its end tells more
            failure = cause;
        }
        ending.close();
    }
}
