package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work requests are executed and completed in order, within the limits of their queues. */
public abstract class WorkQueueContract extends RdmaProviderContract {
    @Test
    void shouldCompleteInOrder() throws Exception {
        Pair pair = connect();
        RdmaConnection client = pair.client().connection();
        byte[] data = random(300_000);
        MemoryRegion remote = pair.server().connection().register(filled(data), Access.REMOTE_READ);
        MemoryRegion memory = local(pair.client(), buffer(data.length));
        MemoryRegion received = local(pair.server(), buffer(1000));
        for (int i = 0; i < 20; i++) {
            pair.server().connection().postReceive(i, received, 10L * i, 10);
        }
        for (int i = 0; i < 20; i++) {
            client.postRead(2L * i, memory, 0, data.length, remote.steeringTag(), remote.remoteOffset(), 0);
            client.postSend(2L * i + 1, memory, 0, 10, 0);
        }
        for (int i = 0; i < 40; i++) {
            assertThat(pair.client().nextSuccess().id()).isEqualTo(i);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(pair.server().nextSuccess().id()).isEqualTo(i);
        }
    }

    @Test
    void shouldKeepTheOrderOfWritesAndSends() throws Exception {
        Pair pair = connect();
        ByteBuffer target = buffer(200_000);
        MemoryRegion remote = pair.server().connection().register(target, Access.REMOTE_WRITE);
        MemoryRegion received = local(pair.server(), buffer(8));
        ByteBuffer source = buffer(200_000);
        MemoryRegion memory = local(pair.client(), source);
        for (int round = 1; round <= 50; round++) {
            int value = round;
            for (int i = 0; i < source.limit(); i++) {
                source.put(i, (byte) value);
            }
            CompletableFuture<Integer> last = new CompletableFuture<>();
            pair.server().onEach(d -> last.complete((int) target.get(199_999)));
            pair.server().connection().postReceive(round, received, 0, 8);
            pair.client()
                    .connection()
                    .postWrite(
                            1,
                            memory,
                            0,
                            200_000,
                            remote.steeringTag(),
                            remote.remoteOffset(),
                            RdmaConnection.UNSIGNALED | RdmaConnection.MORE);
            pair.client().connection().postSend(round, memory, 0, 8, 0);
            assertThat(RdmaPeer.await(last)).isEqualTo(value);
            assertThat(pair.client().nextSuccess().id()).isEqualTo(round);
            assertThat(pair.server().nextSuccess().id()).isEqualTo(round);
        }
    }

    @Test
    void shouldNotTellOfUnsignaledSuccess() throws Exception {
        Pair pair = connect();
        MemoryRegion received = local(pair.server(), buffer(1000));
        MemoryRegion memory = local(pair.client(), buffer(10));
        for (int i = 0; i < 60; i++) {
            pair.server().connection().postReceive(i, received, 10L * i, 10);
        }
        for (int i = 0; i < 60; i++) {
            int flags = i % 10 == 9 ? 0 : RdmaConnection.UNSIGNALED | RdmaConnection.MORE;
            pair.client().connection().postSend(i, memory, 0, 10, flags);
        }
        for (int i = 9; i < 60; i += 10) {
            assertThat(pair.client().nextSuccess().id()).isEqualTo(i);
        }
        for (int i = 0; i < 60; i++) {
            assertThat(pair.server().nextSuccess().id()).isEqualTo(i);
        }
        assertThat(pair.client().hasNext()).isFalse();
    }

    @Test
    void shouldSendWhatWaitedForAPostThatIsRefused() throws Exception {
        Pair pair = connect();
        MemoryRegion received = local(pair.server(), buffer(10));
        MemoryRegion memory = local(pair.client(), buffer(10));
        RdmaConnection client = pair.client().connection();
        pair.server().connection().postReceive(1, received, 0, 10);
        client.postSend(2, memory, 0, 10, RdmaConnection.MORE);
        assertRefused(RdmaException.Kind.LOCAL_PROTECTION, () -> client.postSend(3, memory, 5, 10, 0));
        assertThat(pair.server().nextSuccess().id()).isEqualTo(1);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(2);
    }

    @Test
    void shouldRefuseMoreThanAQueueHolds() throws Exception {
        ConnectionOptions small = new ConnectionOptions(2, 3, 1, 1, Map.of());
        Pair pair = connect(small, small);
        RdmaConnection server = pair.server().connection();
        MemoryRegion memory = local(pair.server(), buffer(40));
        RdmaConnection client = pair.client().connection();
        MemoryRegion data = local(pair.client(), buffer(10));
        // an accepted end may have to wait for the first message of the other end (RFC 5044 section 7.1.2)
        server.postReceive(0, memory, 0, 10);
        client.postSend(0, data, 0, 10, 0);
        assertThat(pair.server().nextSuccess().id()).isZero();
        assertThat(pair.client().nextSuccess().id()).isZero();
        for (int i = 0; i < 3; i++) {
            server.postReceive(i, memory, 10L * i, 10);
        }
        assertRefused(RdmaException.Kind.QUEUE_FULL, () -> server.postReceive(4, memory, 30, 10));
        // a handler that does not return delays the completions of this end's sends
        Semaphore inside = new Semaphore(0);
        Semaphore leave = new Semaphore(0);
        pair.client().onEach(d -> {
            inside.release();
            leave.acquireUninterruptibly();
        });
        try {
            client.postReceive(1, data, 0, 10);
            server.postSend(9, memory, 30, 10, 0);
            assertThat(inside.tryAcquire(RdmaPeer.BOUND_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            client.postSend(10, data, 0, 10, 0);
            client.postSend(11, data, 0, 10, 0);
            assertRefused(RdmaException.Kind.QUEUE_FULL, () -> client.postSend(12, data, 0, 10, 0));
        } finally {
            leave.release(10);
        }
        assertThat(pair.client().nextSuccess().operation()).isEqualTo(Completion.Operation.RECEIVE);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(10);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(11);
        client.postSend(13, data, 0, 10, 0);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(13);
    }

    @Test
    void shouldQueueReadsBeyondTheLimit() throws Exception {
        ConnectionOptions two = new ConnectionOptions(40, 4, 2, 2, Map.of());
        Pair pair = connect(two, two);
        byte[] data = random(50_000);
        MemoryRegion remote = pair.server().connection().register(filled(data), Access.REMOTE_READ);
        ByteBuffer target = buffer(40 * 50_000);
        MemoryRegion memory = local(pair.client(), target);
        for (int i = 0; i < 40; i++) {
            pair.client()
                    .connection()
                    .postRead(i, memory, 50_000L * i, 50_000, remote.steeringTag(), remote.remoteOffset(), 0);
        }
        for (int i = 0; i < 40; i++) {
            assertThat(pair.client().nextSuccess().id()).isEqualTo(i);
            assertThat(bytes(target, 50_000 * i, 50_000)).isEqualTo(data);
        }
    }

    @Test
    void shouldHandEachEndTheSmallerReadLimit() throws Exception {
        Pair pair = connect(new ConnectionOptions(8, 8, 3, 5, Map.of()), new ConnectionOptions(8, 8, 7, 2, Map.of()));
        assertThat(pair.client().connection().settings())
                .containsEntry("ord", listeningLacks(Shortcoming.RAISES_READS) ? "3" : "2");
        assertThat(pair.server().connection().settings()).containsEntry("ord", "5");
    }

    @Test
    void shouldTellFromOneThread() throws Exception {
        Pair pair = connect();
        DataTransferContract.sendEmpty(pair);
        Thread first = pair.server().thread();
        DataTransferContract.sendEmpty(pair);
        assertThat(pair.server().thread()).isSameAs(first).isNotSameAs(Thread.currentThread());
    }

    @Test
    void shouldAnswerFromWithinTheHandler() throws Exception {
        Pair pair = connect();
        MemoryRegion server = local(pair.server(), buffer(100));
        MemoryRegion client = local(pair.client(), buffer(100));
        RdmaConnection serverEnd = pair.server().connection();
        pair.server().onEach(d -> {
            if (d.operation() == Completion.Operation.RECEIVE && d.status() == Completion.Status.SUCCESS) {
                try {
                    serverEnd.postReceive(d.id(), server, 0, 100);
                    serverEnd.postSend(d.id(), server, 0, 100, RdmaConnection.UNSIGNALED);
                } catch (RdmaException e) {
                    throw new AssertionError(e);
                }
            }
        });
        for (int i = 0; i < 16; i++) {
            serverEnd.postReceive(i, server, 0, 100);
        }
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 16; i++) {
                pair.client().connection().postReceive(i, client, 0, 100);
                pair.client().connection().postSend(i, client, 0, 100, RdmaConnection.UNSIGNALED);
            }
            for (int i = 0; i < 16; i++) {
                assertThat(pair.client().nextSuccess().length()).isEqualTo(100);
            }
        }
    }

    @Test
    @Timeout(120)
    void shouldMoveBulkBothWaysAtOnce() throws Exception {
        Pair pair = connect();
        int size = 4 << 20;
        int count = 2 * BULK;
        CompletableFuture<Void> there =
                CompletableFuture.runAsync(() -> bulk(pair.client(), pair.server(), size, count));
        CompletableFuture<Void> back =
                CompletableFuture.runAsync(() -> bulk(pair.server(), pair.client(), size, count));
        RdmaPeer.await(CompletableFuture.allOf(there, back));
    }

    private static void bulk(RdmaPeer from, RdmaPeer to, int size, int count) {
        try {
            ByteBuffer target = buffer(size);
            byte[] data = random(size);
            MemoryRegion remote = to.connection().register(target, Access.REMOTE_WRITE);
            MemoryRegion memory = local(from, filled(data));
            tellOfMemory(to, from);
            int posted = 0;
            for (int done = 0; done < count; done++) {
                while (posted < count && posted < done + 8) {
                    from.connection()
                            .postWrite(posted++, memory, 0, size, remote.steeringTag(), remote.remoteOffset(), 0);
                }
                assertThat(from.nextSuccess().id()).isEqualTo(done);
            }
            // a read after the writes shows that all of them are in place
            MemoryRegion check = to.connection().register(target, Access.REMOTE_READ);
            tellOfMemory(to, from);
            ByteBuffer copy = buffer(size);
            from.connection().postRead(count, local(from, copy), 0, size, check.steeringTag(), check.remoteOffset(), 0);
            assertThat(from.nextSuccess().length()).isEqualTo(size);
            assertThat(bytes(copy, 0, size)).isEqualTo(data);
        } catch (RdmaException e) {
            throw new AssertionError(e);
        }
    }

    /** Sends a message. After it, the receiver can reach memory that the sender has registered. */
    private static void tellOfMemory(RdmaPeer owner, RdmaPeer other) throws RdmaException {
        other.connection().postReceive(99, local(other, buffer(0)), 0, 0);
        owner.connection().postSend(98, local(owner, buffer(0)), 0, 0, RdmaConnection.UNSIGNALED);
        assertThat(other.nextSuccess().id()).isEqualTo(99);
    }

    @Test
    @Timeout(120)
    void shouldReadBulkBothWaysAtOnce() throws Exception {
        Pair pair = connect();
        CompletableFuture<Void> there = CompletableFuture.runAsync(() -> bulkRead(pair.client(), pair.server()));
        CompletableFuture<Void> back = CompletableFuture.runAsync(() -> bulkRead(pair.server(), pair.client()));
        RdmaPeer.await(CompletableFuture.allOf(there, back));
    }

    private static void bulkRead(RdmaPeer reader, RdmaPeer owner) {
        int size = 4 << 20;
        try {
            byte[] data = random(size);
            ByteBuffer target = buffer(size);
            MemoryRegion remote = owner.connection().register(filled(data), Access.REMOTE_READ);
            MemoryRegion memory = local(reader, target);
            tellOfMemory(owner, reader);
            for (int i = 0; i < BULK; i++) {
                reader.connection().postRead(i, memory, 0, size, remote.steeringTag(), remote.remoteOffset(), 0);
            }
            for (int i = 0; i < BULK; i++) {
                assertThat(reader.nextSuccess().id()).isEqualTo(i);
            }
            assertThat(bytes(target, 0, size)).isEqualTo(data);
        } catch (RdmaException e) {
            throw new AssertionError(e);
        }
    }
}
