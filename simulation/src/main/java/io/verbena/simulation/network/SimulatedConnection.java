package io.verbena.simulation.network;

import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** One end of a simulated connection. Every rule of the verbs is checked. */
final class SimulatedConnection implements RdmaConnection {
    private static final int PRIVATE_DATA = 64;
    private static final int MOST_BUFFERS = 16;
    private static final long NEWS_NANOS = 40_000_000;

    private final SimulatedProvider provider;
    private final SimulatedNetwork network;
    private final Scheduler scheduler;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final ConnectionOptions options;
    private final boolean initiator;
    private final Delivery delivery;
    private final Map<Integer, SimulatedRegion> tags = new LinkedHashMap<>();
    private final ArrayDeque<Posted> receives = new ArrayDeque<>();
    private final ArrayDeque<Pending> sends = new ArrayDeque<>();

    private long number;
    private State state = State.NEW;
    /** Whether the process has read a message: its version is that of the connection. */
    private boolean hasRead;

    private SimulatedConnection peer;
    private Wire out;
    private CompletableFuture<byte[]> answer;
    private ConnectingRequest request;

    /** The states, in their order. */
    private enum State {
        NEW,
        CONNECTING,
        CONNECTED,
        ENDED
    }

    private record Posted(long id, SimulatedRegion region, long offset, int length) {}

    /** A request of the send queue that is not complete. */
    private static final class Pending {
        private final long id;
        private final Operation operation;
        private final boolean signaled;
        private boolean done;
        private int length;

        Pending(long id, Operation operation, int flags) {
            this.id = id;
            this.operation = operation;
            this.signaled = (flags & UNSIGNALED) == 0;
        }
    }

    SimulatedConnection(
            SimulatedProvider provider,
            InetSocketAddress local,
            InetSocketAddress remote,
            ConnectionOptions options,
            ConnectionHandler handler,
            boolean initiator) {
        this.provider = provider;
        this.network = provider.network();
        this.scheduler = network.scheduler();
        this.local = local;
        this.remote = remote;
        this.options = options;
        this.initiator = initiator;
        delivery = new Delivery(scheduler, provider.process(), handler, "receive-" + local.getPort(), this::goneFor);
        network.add(this);
    }

    private void goneFor() {
        network.remove(this);
    }

    InetAddress host() {
        return local.getAddress();
    }

    SimulatedProcess process() {
        return provider.process();
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    // ---- connecting ----

    @Override
    public byte[] connect(byte[] privateData, Duration timeout) throws RdmaException {
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "ended");
        }
        if (state != State.NEW) {
            throw new IllegalStateException("connected already");
        }
        state = State.CONNECTING;
        answer = new CompletableFuture<>();
        out = new Wire(network, network.path(host(), remote.getAddress()));
        Path path = network.path(host(), remote.getAddress());
        boolean refused = path.refuses();
        byte[] data = privateData.clone();
        out.send(data.length, new Arrival(() -> arrived(data, refused)));
        return await(answer, timeout);
    }

    private <T> T await(CompletableFuture<T> future, Duration timeout) throws RdmaException {
        try {
            return process().runtime().await(future, timeout.toNanos());
        } catch (TimeoutException e) {
            RdmaException late = new RdmaException(Kind.TIMED_OUT, "no answer from " + remote);
            end(late);
            throw late;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            RdmaException late = new RdmaException(Kind.DISCONNECTED, "interrupted");
            end(late);
            throw late;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RdmaException known) {
                throw new RdmaException(known.kind(), known.getMessage(), known, known.privateData());
            }
            throw new IllegalStateException(e);
        }
    }

    /** The request has arrived at the other host. */
    private void arrived(byte[] privateData, boolean refused) {
        if (network.isDown(remote.getAddress())) {
            return;
        }
        Listening listening = network.listening(remote);
        if (listening == null || refused) {
            back(() -> refused(new RdmaException(Kind.REFUSED, "nobody listens at " + remote)));
            return;
        }
        SimulatedProvider server = listening.provider();
        ConnectingRequest made = new ConnectingRequest(server, this, privateData);
        scheduler.start(server.process(), "accept-" + local.getPort(), () -> listening.decide(made));
    }

    /** Has something happen at this end after the time that an answer takes. */
    private void back(Runnable event) {
        new Wire(network, network.path(remote.getAddress(), host())).send(0, new Arrival(event));
    }

    void refused(RdmaException why) {
        if (state == State.CONNECTING) {
            end(why);
            answer.completeExceptionally(why);
        }
    }

    /** The peer has answered; this end is the initiator. */
    private void answered(SimulatedConnection server, byte[] privateData) {
        if (state != State.CONNECTING) { // this end has given up
            server.lost(new RdmaException(Kind.DISCONNECTED, "the peer has given up"));
            return;
        }
        peer = server;
        number = server.number;
        state = State.CONNECTED;
        answer.complete(privateData);
    }

    void request(ConnectingRequest asked) {
        request = asked;
    }

    @Override
    public void accept(byte[] privateData, Duration timeout) throws RdmaException {
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "ended");
        }
        if (state != State.NEW || request == null) {
            throw new IllegalStateException("accepted already");
        }
        number = network.random().nextLong();
        peer = request.client();
        out = new Wire(network, network.path(host(), remote.getAddress()));
        state = State.CONNECTED;
        request.accepted();
        SimulatedConnection client = peer;
        network.watchers()
                .forEach(watcher -> watcher.onConnect(number, client.process().name()));
        byte[] data = privateData.clone();
        out.send(data.length, new Arrival(() -> client.answered(this, data)));
        pauseBriefly();
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "ended meanwhile");
        }
    }

    private void pauseBriefly() throws RdmaException {
        try {
            process().runtime().sleep(1 + network.random().nextLong(100_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Kind.DISCONNECTED, "interrupted");
        }
    }

    // ---- what it is ----

    @Override
    public int maxPrivateData() {
        return PRIVATE_DATA;
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("device", "sim0", "crc", "on");
    }

    @Override
    public boolean requiresDirectMemory() {
        return provider.directMemory();
    }

    @Override
    public int maxBuffers() {
        return MOST_BUFFERS;
    }

    @Override
    public boolean remoteInvalidation() {
        return provider.remoteInvalidation();
    }

    @Override
    public int remoteRegions() {
        return tags.size();
    }

    @Override
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    // ---- memory ----

    @Override
    public MemoryRegion register(List<ByteBuffer> memory, Access access) throws RdmaException {
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "ended");
        }
        if (memory.isEmpty() || memory.size() > MOST_BUFFERS) {
            throw new IllegalArgumentException(memory.size() + " buffers");
        }
        if (requiresDirectMemory() && !memory.stream().allMatch(ByteBuffer::isDirect)) {
            throw new IllegalArgumentException("a buffer that is not direct");
        }
        int tag = 0;
        while (access != Access.LOCAL && (tag == 0 || tags.containsKey(tag))) {
            tag = network.random().nextInt();
        }
        long base = access == Access.LOCAL ? 0 : network.random().nextLong(1L << 40);
        SimulatedRegion region = new SimulatedRegion(this, tag, base, access, memory);
        if (tag != 0) {
            tags.put(tag, region);
        }
        return region;
    }

    void forget(SimulatedRegion region) {
        tags.remove(region.steeringTag(), region);
    }

    // ---- posting ----

    @Override
    public void postReceive(long id, MemoryRegion region, long offset, int length) throws RdmaException {
        SimulatedRegion memory = check(region, offset, length);
        if (receives.size() == options.receiveQueueDepth()) {
            throw new RdmaException(Kind.QUEUE_FULL, "receive queue");
        }
        receives.add(new Posted(id, memory, offset, length));
    }

    @Override
    public void postSend(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        send(id, region, offset, length, flags, 0, false);
    }

    @Override
    public void postSendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException {
        if (!remoteInvalidation()) {
            throw new RdmaException(Kind.RESOURCES, "remote invalidation does not work here");
        }
        send(id, region, offset, length, flags, remoteTag, true);
    }

    private void send(long id, MemoryRegion region, long offset, int length, int flags, int tag, boolean invalidates)
            throws RdmaException {
        SimulatedRegion memory = check(region, offset, length);
        Pending pending = post(id, Operation.SEND, flags);
        byte[] data = memory.get(offset, length);
        network.watchers().forEach(watcher -> watcher.onSend(number, initiator, data));
        travel(length, new Arrival(() -> {
            if (peer.receive(data, tag, invalidates)) {
                complete(pending, 0);
            }
        }));
    }

    @Override
    public void postWrite(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        SimulatedRegion memory = check(region, offset, length);
        Pending pending = post(id, Operation.RDMA_WRITE, flags);
        network.watchers().forEach(watcher -> watcher.onAccess(number, initiator, remoteTag));
        byte[] data = memory.get(offset, length);
        travel(length, new Wire.Item() {
            @Override
            public void arrive() {
                if (place(length)) {
                    complete(pending, 0);
                } else {
                    denied(pending, remoteTag);
                }
            }

            @Override
            public void arriveInPart() {
                boolean unused = length > 0 && place(network.random().nextInt(length));
            }

            private boolean place(int count) {
                SimulatedRegion target = peer.tags.get(remoteTag);
                if (target == null || !target.allows(Access.REMOTE_WRITE, remoteOffset, length)) {
                    return false;
                }
                scheduler.hash().add(count == length ? data : Arrays.copyOf(data, count));
                target.put(remoteOffset - target.remoteOffset(), data, count);
                return true;
            }
        });
    }

    @Override
    public void postRead(
            long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        SimulatedRegion memory = check(region, offset, length);
        if (options.outboundReads() == 0 || (peer != null && peer.options.inboundReads() == 0)) {
            throw new RdmaException(Kind.RESOURCES, "the peer allows no reads");
        }
        Pending pending = post(id, Operation.RDMA_READ, flags);
        network.watchers().forEach(watcher -> watcher.onAccess(number, initiator, remoteTag));
        travel(0, new Arrival(() -> {
            SimulatedRegion source = peer.tags.get(remoteTag);
            if (source == null || !source.allows(Access.REMOTE_READ, remoteOffset, length)) {
                denied(pending, remoteTag);
                return;
            }
            byte[] data = source.get(remoteOffset - source.remoteOffset(), length);
            peer.travel(length, new Arrival(() -> {
                if (state == State.CONNECTED) {
                    scheduler.hash().add(data);
                    memory.put(offset, data, length);
                    complete(pending, length);
                }
            }));
        }));
    }

    private SimulatedRegion check(MemoryRegion region, long offset, int length) throws RdmaException {
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "ended");
        }
        SimulatedRegion memory = (SimulatedRegion) region;
        if (!memory.isLocal(this, offset, length)) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "not local memory of this connection");
        }
        return memory;
    }

    private Pending post(long id, Operation operation, int flags) throws RdmaException {
        if (state != State.CONNECTED) {
            throw new RdmaException(Kind.DISCONNECTED, "not connected");
        }
        if (sends.size() == options.sendQueueDepth()) {
            throw new RdmaException(Kind.QUEUE_FULL, "send queue");
        }
        Pending pending = new Pending(id, operation, flags);
        sends.add(pending);
        return pending;
    }

    private void travel(long octets, Wire.Item item) {
        if (!out.carries(octets)) {
            network.faults().countConsequence("too large");
            scheduler.after(1, this::cut);
        }
        out.send(octets, item);
    }

    // ---- arrivals ----

    /** A message has arrived here. Returns false where the peer has to be told that it was not received. */
    private boolean receive(byte[] data, int tag, boolean invalidates) {
        scheduler.hash().add(data);
        if (state != State.CONNECTED) {
            if (!network.isDown(host())) {
                peer.lost(new RdmaException(Kind.DISCONNECTED, "the peer has ended"));
            }
            return false;
        }
        Posted receive = receives.poll();
        if (receive == null || receive.length < data.length) {
            scheduler.fail("a message of " + data.length + " octets without a receive for it at " + this);
            fail(new RdmaException(Kind.PROTOCOL, "a message for which no receive is posted, or too short a one"));
            return false;
        }
        Completion completion = new Completion().set(receive.id, Operation.RECEIVE, Status.SUCCESS, data.length);
        if (invalidates) {
            SimulatedRegion target = tags.remove(tag);
            if (target == null) {
                fail(new RdmaException(Kind.ACCESS, "an invalidation of a tag that there is not"));
                return false;
            }
            target.end();
            completion.setInvalidated(tag);
        }
        receive.region.put(receive.offset, data, data.length);
        delivery.add(completion, () -> taken(data));
        return true;
    }

    /** The process takes a message. */
    private void taken(byte[] message) {
        hasRead |= provider.canRead(message);
        if (hasRead && provider.mayRenew(message)) {
            network.heard(remote.getAddress(), host());
        }
    }

    /** The requests of the send queue complete in the order in which they were posted. */
    private void complete(Pending pending, int length) {
        pending.done = true;
        pending.length = length;
        while (!sends.isEmpty() && sends.peek().done) {
            Pending first = sends.poll();
            if (first.signaled) {
                delivery.add(new Completion().set(first.id, first.operation, Status.SUCCESS, first.length));
            }
        }
    }

    /** The peer has refused an access: both ends end. */
    private void denied(Pending pending, int tag) {
        if (state != State.CONNECTED) {
            return;
        }
        network.faults().countConsequence("access denied");
        scheduler.happened("an access of " + this + " is refused");
        SimulatedConnection other = peer;
        if (other.state == State.CONNECTED) {
            network.watchers().forEach(watcher -> watcher.onRefused(number, initiator, tag));
        }
        other.end(new RdmaException(Kind.ACCESS, "the peer has accessed memory that was not granted"));
        if (sends.remove(pending)) {
            delivery.add(new Completion().set(pending.id, pending.operation, Status.REMOTE_ACCESS_ERROR, 0));
        }
        end(new RdmaException(Kind.ACCESS, "the peer has refused an access"));
    }

    // ---- the end ----

    private void fail(RdmaException why) {
        SimulatedConnection other = peer;
        end(why);
        other.lost(new RdmaException(Kind.DISCONNECTED, "ended by the peer"));
    }

    /** This end learns soon that the connection is no more. */
    void lost(RdmaException why) {
        scheduler.after(1 + network.random().nextLong(NEWS_NANOS), () -> {
            if (!process().isDead()) {
                end(why);
            }
        });
    }

    /** The network breaks the connection somewhere in what is under way. Each end learns of it at a time of its own. */
    void cut() {
        if (state != State.CONNECTED) {
            return;
        }
        RdmaException why = new RdmaException(Kind.DISCONNECTED, "the connection was cut");
        SimulatedConnection other = peer;
        out.cut();
        if (other.out != null) {
            other.out.cut();
        }
        lost(why);
        other.lost(why);
    }

    void processDied(boolean silent) {
        network.remove(this);
        if (state != State.CONNECTED) {
            state = State.ENDED;
            return;
        }
        state = State.ENDED;
        out.cut();
        if (!silent) {
            peer.lost(new RdmaException(Kind.DISCONNECTED, "the peer's process has ended"));
        }
    }

    /** Ends this end. What it had posted is flushed, and its memory is the peer's no more. */
    private void end(RdmaException cause) {
        if (state == State.ENDED) {
            return;
        }
        boolean wasConnecting = state == State.CONNECTING;
        state = State.ENDED;
        network.watchers().forEach(watcher -> watcher.onEnd(number));
        tags.values().forEach(SimulatedRegion::end);
        tags.clear();
        sends.forEach(each -> delivery.add(new Completion().set(each.id, each.operation, Status.FLUSHED, 0)));
        sends.clear();
        receives.forEach(each -> delivery.add(new Completion().set(each.id, Operation.RECEIVE, Status.FLUSHED, 0)));
        receives.clear();
        delivery.end(cause);
        if (wasConnecting) {
            answer.completeExceptionally(
                    cause == null ? new RdmaException(Kind.DISCONNECTED, "closed meanwhile") : cause);
        }
    }

    @Override
    public void close() {
        if (state == State.CONNECTED) {
            SimulatedConnection other = peer;
            travel(0, new Arrival(() -> other.end(null)));
        }
        end(null);
        delivery.awaitEnd();
    }

    /** Identity hash codes are all the same here: sets of ends would be lists. */
    @Override
    public int hashCode() {
        return 31 * local.hashCode() + remote.hashCode();
    }

    @Override
    public String toString() {
        return process().name() + " " + local.getPort() + (initiator ? " to " : " from ") + remote;
    }

    /** Something whole: where it arrives in part, it does not arrive. */
    private record Arrival(Runnable event) implements Wire.Item {
        @Override
        public void arrive() {
            event.run();
        }

        @Override
        public void arriveInPart() {
            // lost
        }
    }
}
