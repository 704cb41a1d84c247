package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.dispatcher.internal.MemoryDelivery.Event;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * One end of a connection of the {@link MemoryFabric}. Work happens when it is posted, on the poster's thread; the
 * completions go to the handler from a thread of this end's. The fabric is the lock of all ends.
 */
public final class MemoryConnection implements RdmaConnection {
    private final MemoryFabric fabric;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final ConnectionOptions options;
    private final ConnectionHandler handler;
    private final MemoryDelivery delivery;
    private final Map<Integer, RegisteredMemory> tags = new HashMap<>();
    private final ArrayDeque<Posted> receives = new ArrayDeque<>();

    private MemoryConnection peer;
    private Consumer<byte[]> acceptor = data -> {};
    private boolean connected;
    /** Whether connect or accept has returned: memory is opened to the peer after that only. */
    private boolean standing;

    private boolean ended;
    private boolean breaksOffAtReceive;
    private RdmaException cause;
    private int receivesAtLastSend;
    private int rdmaPosts;
    private final List<Event> withheld = new ArrayList<>();

    private record Posted(long id, RegisteredMemory region, int offset, int length) {}

    MemoryConnection(
            MemoryFabric fabric,
            InetSocketAddress local,
            InetSocketAddress remote,
            ConnectionOptions options,
            ConnectionHandler handler) {
        this.fabric = fabric;
        this.local = local;
        this.remote = remote;
        this.options = options;
        this.handler = handler;
        delivery = new MemoryDelivery(
                fabric, handler, "memory-rdma-" + local.getPort() + "-" + remote.getPort(), this::tellOfEnd);
        delivery.start();
    }

    void onAccept(Consumer<byte[]> action) {
        acceptor = action;
    }

    /** Makes two ends a connection. */
    static void join(MemoryConnection client, MemoryConnection server) {
        synchronized (client.fabric) {
            server.peer = client;
            client.peer = server;
            server.connected = true;
            client.connected = true;
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] connect(byte[] privateData, Duration timeout) throws RdmaException {
        byte[] answer = fabric.connect(this, privateData, timeout);
        stand();
        return answer;
    }

    @Override
    public void accept(byte[] privateData, Duration timeout) {
        acceptor.accept(privateData);
        fabric.accepting();
        stand();
    }

    private void stand() {
        synchronized (fabric) {
            standing = true;
        }
    }

    @Override
    public int maxPrivateData() {
        return fabric.isDevice() ? MemoryFabric.REQUEST_FIELD : 64;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("device", "mem0", "crc", options.provider().getOrDefault("crc", "on"));
    }

    @Override
    public int maxBuffers() {
        return 1;
    }

    @Override
    public boolean remoteInvalidation() {
        return fabric.remoteInvalidation();
    }

    @Override
    public boolean requiresDirectMemory() {
        return fabric.directOnly();
    }

    @Override
    public MemoryRegion register(List<ByteBuffer> memory, Access access) throws RdmaException {
        synchronized (fabric) {
            if (ended) {
                throw new RdmaException(Kind.DISCONNECTED, "ended");
            }
            ByteBuffer buffer = memory.get(0);
            if (memory.size() != 1 || (fabric.directOnly() && !buffer.isDirect())) {
                throw new RdmaException(Kind.LOCAL_PROTECTION, "not memory that can be registered");
            }
            if (access != Access.LOCAL && !standing) {
                throw new RdmaException(Kind.RESOURCES, "memory is opened to the peer before the connection stands");
            }
            if (access != Access.LOCAL && fabric.refusesMemory()) {
                throw new RdmaException(Kind.RESOURCES, "no more memory can be opened");
            }
            int tag = 0;
            while (access != Access.LOCAL && (tag == 0 || tags.containsKey(tag))) {
                tag = ThreadLocalRandom.current().nextInt();
            }
            RegisteredMemory region = new RegisteredMemory(fabric, this, tag, buffer.slice(), access);
            if (tag != 0) {
                tags.put(tag, region);
            }
            return region;
        }
    }

    @Override
    public int remoteRegions() {
        synchronized (fabric) {
            return tags.size();
        }
    }

    /** Whether the peer can reach memory by that tag. */
    boolean isOpen(int tag) {
        return tags.containsKey(tag);
    }

    /** The peer reaches nothing by that tag any more. */
    void forget(int tag) {
        tags.remove(tag);
    }

    @Override
    public void postReceive(long id, MemoryRegion region, long offset, int length) throws RdmaException {
        synchronized (fabric) {
            if (breaksOffAtReceive) {
                breakOff(new RdmaException(Kind.DISCONNECTED, "broken off"));
            }
            check(region, offset, length);
            if (receives.size() == options.receiveQueueDepth()) {
                throw new RdmaException(Kind.QUEUE_FULL, "receive queue");
            }
            receives.add(new Posted(id, (RegisteredMemory) region, (int) offset, length));
        }
    }

    /** Both ends end as the next receive is posted here. */
    void breakOffAtReceive() {
        synchronized (fabric) {
            breaksOffAtReceive = true;
        }
    }

    /** The receives that are posted and not used. */
    int postedReceives() {
        synchronized (fabric) {
            return receives.size();
        }
    }

    /** The receives that were posted at this end, and not used, at the moment of its last Send. */
    int receivesAtLastSend() {
        synchronized (fabric) {
            return receivesAtLastSend;
        }
    }

    @Override
    public void postSend(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        send(id, region, offset, length, flags, false, 0);
    }

    @Override
    public void postSendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException {
        send(id, region, offset, length, flags, true, remoteTag);
    }

    private void send(
            long id, MemoryRegion region, long offset, int length, int flags, boolean invalidate, int remoteTag)
            throws RdmaException {
        synchronized (fabric) {
            check(region, offset, length);
            requireConnected();
            if (invalidate && !fabric.remoteInvalidation()) {
                throw new RdmaException(Kind.RESOURCES, "remote invalidation does not work here");
            }
            requirePlace();
            receivesAtLastSend = receives.size();
            Posted receive = peer.receives.poll();
            if (receive == null || receive.length < length) {
                fail(Kind.PROTOCOL, "a message for which no receive is posted, or too short a one");
                return;
            }
            RegisteredMemory target = invalidate ? peer.tags.remove(remoteTag) : null;
            if (invalidate && target == null) {
                fail(Kind.ACCESS, "an invalidation of a tag that there is not");
                return;
            }
            receive.region.memory().put(receive.offset, ((RegisteredMemory) region).memory(), (int) offset, length);
            peer.delivery.add(new Event(receive.id, Operation.RECEIVE, length, invalidate, remoteTag));
            if (fabric.completesSends()) {
                complete(id, Operation.SEND, 0, flags);
            } else if ((flags & UNSIGNALED) == 0) {
                withheld.add(new Event(id, Operation.SEND, 0, false, 0));
            }
        }
    }

    /** Completes the Sends that were held back. */
    void completeSends() {
        synchronized (fabric) {
            withheld.forEach(delivery::add);
            withheld.clear();
        }
    }

    /** The RDMA Reads and Writes that this end has posted, whatever became of them. */
    int rdmaPosts() {
        synchronized (fabric) {
            return rdmaPosts;
        }
    }

    @Override
    public void postWrite(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        synchronized (fabric) {
            check(region, offset, length);
            requireConnected();
            requirePlace();
            rdmaPosts++;
            RegisteredMemory target = peer.tags.get(remoteTag);
            if (target == null || !target.allows(Access.REMOTE_WRITE, remoteOffset, length)) {
                fail(Kind.ACCESS, "an RDMA Write to memory that was not granted");
                return;
            }
            ByteBuffer data = ((RegisteredMemory) region).memory();
            target.memory().put(target.at(remoteOffset), data, (int) offset, length);
            complete(id, Operation.RDMA_WRITE, 0, flags);
        }
    }

    @Override
    public void postRead(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        synchronized (fabric) {
            check(region, offset, length);
            requireConnected();
            requirePlace();
            rdmaPosts++;
            if (!fabric.answersReads()) {
                return;
            }
            RegisteredMemory source = peer.tags.get(remoteTag);
            if (source == null || !source.allows(Access.REMOTE_READ, remoteOffset, length)) {
                fail(Kind.ACCESS, "an RDMA Read of memory that was not granted");
                return;
            }
            ByteBuffer data = ((RegisteredMemory) region).memory();
            data.put((int) offset, source.memory(), source.at(remoteOffset), length);
            complete(id, Operation.RDMA_READ, length, flags);
        }
    }

    private void check(MemoryRegion region, long offset, int length) throws RdmaException {
        if (ended) {
            throw new RdmaException(Kind.DISCONNECTED, "ended");
        }
        if (!((RegisteredMemory) region).isOf(this, offset, length)) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "not local memory");
        }
    }

    private void requireConnected() throws RdmaException {
        if (!connected) {
            throw new RdmaException(Kind.DISCONNECTED, "not connected");
        }
    }

    private void requirePlace() throws RdmaException {
        if (delivery.sends() == options.sendQueueDepth()) {
            throw new RdmaException(Kind.QUEUE_FULL, "send queue");
        }
    }

    private void complete(long id, Operation operation, int length, int flags) {
        if ((flags & UNSIGNALED) == 0) {
            delivery.add(new Event(id, operation, length, false, 0));
        }
    }

    private void fail(Kind kind, String message) {
        breakOff(new RdmaException(kind, message));
    }

    /** Ends both ends, as a broken network or a protocol error does. */
    void breakOff(RdmaException why) {
        synchronized (fabric) {
            endWith(why);
            if (peer != null) {
                peer.endWith(why);
            }
        }
    }

    private void endWith(RdmaException why) {
        if (ended) {
            return;
        }
        ended = true;
        connected = false;
        cause = why;
        tags.values().forEach(RegisteredMemory::end);
        tags.clear();
        delivery.end();
    }

    /** Holds back what arrives at this end, or lets it through again. */
    void hold(boolean on) {
        synchronized (fabric) {
            delivery.hold(on);
        }
    }

    @Override
    public boolean isConnected() {
        synchronized (fabric) {
            return connected;
        }
    }

    @Override
    public void close() {
        breakOff(null);
        delivery.awaitEnd();
    }

    /** The last that the thread does that tells the handler. */
    private void tellOfEnd() {
        flushReceives();
        handler.onDisconnected(cause);
        fabric.ended(this);
    }

    private void flushReceives() {
        List<Completion> flushed = new ArrayList<>();
        synchronized (fabric) {
            receives.forEach(
                    posted -> flushed.add(new Completion().set(posted.id, Operation.RECEIVE, Status.FLUSHED, 0)));
            receives.clear();
        }
        if (!flushed.isEmpty()) {
            handler.onCompletions(flushed.toArray(Completion[]::new), flushed.size());
        }
    }
}
