package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A peer at the level of verbs: sends what a test writes octet by octet, and shows what comes back. */
final class RawPeer implements ConnectionHandler {
    static final byte[] NO_PRIVATE_DATA = {};

    private static final int RECEIVES = 64;
    private static final int SIZE = 8192;
    private static final ConnectionOptions LIMITS = new ConnectionOptions(64, RECEIVES, 8, 8, Map.of());
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final BlockingQueue<Message> received = new LinkedBlockingQueue<>();
    private final BlockingQueue<Completion.Status> sent = new LinkedBlockingQueue<>();
    private final CountDownLatch gone = new CountDownLatch(1);
    private RdmaConnection rdma;
    private MemoryRegion receiveRegion;
    private ByteBuffer receiveMemory;
    private RdmaException cause;

    /** What came in one Send. */
    record Message(ByteBuffer octets, boolean invalidated, int tag) {
        int word(int index) {
            return octets.getInt(4 * index);
        }

        int xid() {
            return word(0);
        }

        int procedure() {
            return word(3);
        }

        /** The chunk lists, wherever they begin in the message's version. */
        Chunks chunks() {
            int lists = word(1) == Version.TWO.number() ? 5 : 4;
            return Chunks.of(octets.duplicate().position(4 * lists));
        }

        int words() {
            return octets.capacity() / 4;
        }
    }

    /** Listens for connections of the tested side, and hands each over as it comes. */
    static final class Listener implements AutoCloseable {
        private final BlockingQueue<RawPeer> accepted = new LinkedBlockingQueue<>();
        private final RdmaListener listener;

        Listener(MemoryFabric fabric, byte[] privateData) throws RdmaException {
            listener = fabric.listen(MemoryFabric.address(0), Map.of(), request -> {
                RawPeer peer = new RawPeer();
                try {
                    peer.open(request.open(LIMITS, peer));
                    peer.rdma.accept(privateData, TIMEOUT);
                    accepted.add(peer);
                } catch (RdmaException e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        InetSocketAddress address() {
            return listener.localAddress();
        }

        RawPeer next() throws InterruptedException {
            RawPeer peer = accepted.poll(10, TimeUnit.SECONDS);
            if (peer == null) {
                throw new AssertionError("nobody connected");
            }
            return peer;
        }

        boolean isIdle() {
            return accepted.isEmpty();
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    /** Connects to the tested side. */
    static RawPeer connect(MemoryFabric fabric, InetSocketAddress remote, byte[] privateData) throws RdmaException {
        RawPeer peer = connecting(fabric, remote);
        peer.connect(privateData);
        return peer;
    }

    /** One that is ready to {@link #connect} to the tested side. */
    static RawPeer connecting(MemoryFabric fabric, InetSocketAddress remote) throws RdmaException {
        RawPeer peer = new RawPeer();
        peer.open(fabric.open(remote, LIMITS, peer, TIMEOUT));
        return peer;
    }

    void connect(byte[] privateData) throws RdmaException {
        rdma.connect(privateData, TIMEOUT);
    }

    private void open(RdmaConnection connection) throws RdmaException {
        rdma = connection;
        receiveMemory = ByteBuffer.allocateDirect(RECEIVES * SIZE);
        receiveRegion = rdma.register(receiveMemory, Access.LOCAL);
        for (int i = 0; i < RECEIVES; i++) {
            rdma.postReceive(i, receiveRegion, (long) i * SIZE, SIZE);
        }
    }

    RdmaConnection rdma() {
        return rdma;
    }

    /** The next message, which there has to be. */
    Message next() throws InterruptedException {
        Message message = received.poll(10, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("nothing was received");
        }
        return message;
    }

    /** Whether nothing has come that was not taken. Of use when what could have come came before something taken. */
    boolean isQuiet() {
        return received.isEmpty();
    }

    void send(ByteBuffer message) throws RdmaException {
        rdma.postSend(1, register(message), 0, message.remaining(), RdmaConnection.UNSIGNALED);
    }

    void sendInvalidating(ByteBuffer message, int tag) throws RdmaException {
        rdma.postSendWithInvalidate(1, register(message), 0, message.remaining(), tag, RdmaConnection.UNSIGNALED);
    }

    /** Writes to memory of the tested side. */
    void write(int tag, long offset, byte[] data) throws RdmaException {
        rdma.postWrite(2, register(ByteBuffer.wrap(data)), 0, data.length, tag, offset, RdmaConnection.UNSIGNALED);
    }

    void write(Chunks.Segment segment, byte[] data) throws RdmaException {
        write(segment.handle(), segment.offset(), data);
    }

    /** Reads memory of the tested side: a whole segment. */
    byte[] read(Chunks.Segment segment) throws Exception {
        return read(segment.handle(), segment.offset(), segment.length());
    }

    /** Reads memory of the tested side. */
    byte[] read(int tag, long offset, int length) throws Exception {
        ByteBuffer into = ByteBuffer.allocateDirect(length);
        rdma.postRead(3, rdma.register(into, Access.LOCAL), 0, length, tag, offset, 0);
        Completion.Status status = sent.poll(10, TimeUnit.SECONDS);
        if (status != Completion.Status.SUCCESS) {
            throw new AssertionError("the RDMA Read came to " + status);
        }
        byte[] data = new byte[length];
        into.get(0, data);
        return data;
    }

    private MemoryRegion register(ByteBuffer message) throws RdmaException {
        return rdma.register(direct(message), Access.LOCAL);
    }

    /** The same octets in memory that a device would take. */
    static ByteBuffer direct(ByteBuffer octets) {
        return ByteBuffer.allocateDirect(octets.remaining())
                .put(octets.duplicate())
                .flip();
    }

    /** Waits until the connection has ended. */
    RdmaException awaitEnd() throws InterruptedException {
        if (!gone.await(10, TimeUnit.SECONDS)) {
            throw new AssertionError("the connection goes on");
        }
        return cause;
    }

    boolean isConnected() {
        return rdma.isConnected();
    }

    @Override
    public void onCompletions(Completion[] completions, int count) {
        for (int i = 0; i < count; i++) {
            Completion completion = completions[i];
            if (completion.operation() != Completion.Operation.RECEIVE) {
                sent.add(completion.status());
            } else if (completion.status() == Completion.Status.SUCCESS) {
                take(completion);
            }
        }
    }

    private void take(Completion completion) {
        byte[] copy = new byte[completion.length()];
        receiveMemory.get((int) completion.id() * SIZE, copy);
        received.add(new Message(ByteBuffer.wrap(copy), completion.invalidated(), completion.invalidatedTag()));
        try {
            rdma.postReceive(completion.id(), receiveRegion, completion.id() * SIZE, SIZE);
        } catch (RdmaException e) {
            gone.countDown(); // ended meanwhile
        }
    }

    @Override
    public void onDisconnected(RdmaException why) {
        cause = why;
        gone.countDown();
    }
}
