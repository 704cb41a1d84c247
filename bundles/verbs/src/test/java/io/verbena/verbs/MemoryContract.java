package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.conformance.Proves;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A peer reaches memory as far as access is granted, and no further. */
public abstract class MemoryContract extends RdmaProviderContract {
    @Test
    @Proves("V1-10.1-3")
    void shouldGiveTagsThatCannotBeGuessed() throws Exception {
        Pair pair = connect();
        Set<Integer> tags = new HashSet<>();
        Set<Long> offsets = new HashSet<>();
        int steps = 0;
        int previous = 0;
        for (int i = 0; i < 200; i++) {
            MemoryRegion region = pair.client().connection().register(buffer(8), Access.REMOTE_READ);
            assertThat(region.steeringTag()).isNotZero();
            assertThat(tags.add(region.steeringTag())).isTrue();
            offsets.add(region.remoteOffset());
            steps += Math.abs((long) region.steeringTag() - previous) < 1 << 16 ? 1 : 0;
            previous = region.steeringTag();
        }
        if (!connectingLacks(Shortcoming.DRAWS_TAGS_ITSELF)) {
            assertThat(steps).isLessThan(20);
        }
        assertThat(offsets).hasSizeGreaterThan(1);
        assertThat(pair.client().connection().remoteRegions()).isEqualTo(200);
    }

    @Test
    void shouldNotCountLocalMemory() throws Exception {
        Pair pair = connect();
        MemoryRegion region = local(pair.client(), buffer(8));
        assertThat(region.steeringTag()).isZero();
        assertThat(pair.client().connection().remoteRegions()).isZero();
    }

    @Test
    void shouldReachBeyondTwoGigabytes() throws Exception {
        Pair pair = connect();
        assumeTrue(pair.server().connection().maxBuffers() > 2100);
        int part = 1 << 20;
        ByteBuffer shared = buffer(part);
        List<ByteBuffer> parts = new ArrayList<>();
        for (int i = 0; i < 2100; i++) {
            parts.add(shared.duplicate());
        }
        ByteBuffer tail = buffer(100);
        parts.add(tail);
        MemoryRegion region = pair.server().connection().register(parts, Access.REMOTE_WRITE);
        assertThat(region.length()).isEqualTo(2100L * part + 100);
        byte[] data = random(110);
        pair.client()
                .connection()
                .postWrite(
                        1,
                        local(pair.client(), filled(data)),
                        0,
                        110,
                        region.steeringTag(),
                        region.remoteOffset() + 2100L * part - 10,
                        0);
        DataTransferContract.sendEmpty(pair);
        assertThat(bytes(shared, part - 10, 10)).isEqualTo(Arrays.copyOfRange(data, 0, 10));
        assertThat(bytes(tail, 0, 100)).isEqualTo(Arrays.copyOfRange(data, 10, 110));
    }

    @ParameterizedTest
    @CsvSource({
        "REMOTE_READ, 0, 10", // wrong rights
        "LOCAL, 0, 10",
        "REMOTE_WRITE, -1, 10", // below
        "REMOTE_WRITE, 91, 10", // beyond
        "REMOTE_WRITE, 9223372036854775807, 10",
        "REMOTE_WRITE, -9223372036854775808, 10"
    })
    @Proves("V1-10.1-1")
    void shouldRefuseWritesThatAreNotGranted(Access access, long offset, int length) throws Exception {
        Pair pair = connect();
        ByteBuffer memory = buffer(100);
        MemoryRegion region = pair.server().connection().register(memory, access);
        pair.client()
                .connection()
                .postWrite(
                        1,
                        local(pair.client(), filled(random(length))),
                        0,
                        length,
                        region.steeringTag(),
                        region.remoteOffset() + offset,
                        0);
        assertEndsByAccess(pair);
        assertThat(bytes(memory, 0, 100)).containsOnly(0);
    }

    private void assertEndsByAccess(Pair pair) {
        pair.client().awaitDisconnected();
        pair.server().awaitDisconnected();
        if (!listeningLacks(Shortcoming.TELLS_NO_REASONS)) {
            assertThat(pair.server().awaitDisconnected()).isNotNull();
        }
        if (!connectingLacks(Shortcoming.TELLS_NO_REASONS)) {
            assertThat(pair.client().awaitDisconnected()).isNotNull();
            assertThat(pair.client().awaitDisconnected().kind()).isEqualTo(RdmaException.Kind.ACCESS);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "REMOTE_WRITE, 0, 10",
        "LOCAL, 0, 10",
        "REMOTE_READ, -1, 10",
        "REMOTE_READ, 91, 10",
        "REMOTE_READ, 9223372036854775807, 10",
        "REMOTE_READ, -9223372036854775808, 10"
    })
    @Proves("V1-10.1-1")
    void shouldRefuseReadsThatAreNotGranted(Access access, long offset, int length) throws Exception {
        assumeFalse(access == Access.REMOTE_WRITE && listeningLacks(Shortcoming.TAKES_WRITES_FOR_READS));
        Pair pair = connect();
        ByteBuffer target = buffer(length);
        MemoryRegion region = pair.server().connection().register(filled(random(100)), access);
        RdmaConnection client = pair.client().connection();
        client.postRead(
                1, local(pair.client(), target), 0, length, region.steeringTag(), region.remoteOffset() + offset, 0);
        Completion.Status status = pair.client().next().status();
        assertThat(status).isNotEqualTo(Completion.Status.SUCCESS);
        if (!connectingLacks(Shortcoming.TELLS_NO_REASONS)) {
            assertThat(status).isEqualTo(Completion.Status.REMOTE_ACCESS_ERROR);
        }
        assertEndsByAccess(pair);
        assertThat(bytes(target, 0, length)).containsOnly(0);
    }

    @Test
    @Proves("V1-10.1-2")
    void shouldRefuseTheTagOfAnotherConnection() throws Exception {
        Pair other = connect();
        Pair pair = connect();
        ByteBuffer memory = buffer(100);
        MemoryRegion region = other.server().connection().register(memory, Access.REMOTE_WRITE);
        pair.client()
                .connection()
                .postWrite(
                        1,
                        local(pair.client(), filled(random(10))),
                        0,
                        10,
                        region.steeringTag(),
                        region.remoteOffset(),
                        0);
        assertEndsByAccess(pair);
        assertThat(bytes(memory, 0, 100)).containsOnly(0);
        assertThat(other.server().isDisconnected()).isFalse();
        assertThat(region.isValid()).isTrue();
    }

    @Test
    @Proves("V1-5.4.1-2")
    void shouldRefuseMemoryThatWasInvalidated() throws Exception {
        Pair pair = connect();
        ByteBuffer memory = buffer(100);
        MemoryRegion region = pair.server().connection().register(memory, Access.REMOTE_WRITE);
        region.invalidate();
        assertThat(region.isValid()).isFalse();
        assertThat(pair.server().connection().remoteRegions()).isZero();
        pair.client()
                .connection()
                .postWrite(
                        1,
                        local(pair.client(), filled(random(10))),
                        0,
                        10,
                        region.steeringTag(),
                        region.remoteOffset(),
                        0);
        assertEndsByAccess(pair);
        assertThat(bytes(memory, 0, 100)).containsOnly(0);
    }

    @Test
    @Proves("V1-5.4.1-2")
    void shouldNotTouchMemoryOnceInvalidateReturned() throws Exception {
        for (int round = 0; round < 10; round++) {
            Pair pair = connect();
            int size = 4 << 20;
            ByteBuffer memory = buffer(size);
            MemoryRegion region = pair.server().connection().register(memory, Access.REMOTE_WRITE);
            MemoryRegion source = local(pair.client(), filled(random(size)));
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> writeUntilTheEnd(pair, source, region));
            while (memory.get(round * 100_000) == 0 && !pair.server().isDisconnected()) {
                Thread.onSpinWait();
            }
            region.invalidate();
            // octets written so far are overwritten; nothing may be written after that
            for (int i = 0; i < size; i += Long.BYTES) {
                memory.putLong(i, 0);
            }
            RdmaPeer.await(writing);
            pair.server().awaitDisconnected();
            if (!listeningLacks(Shortcoming.COPIES_BEHIND_INVALIDATION)) {
                assertThat(bytes(memory, 0, size)).isEqualTo(new byte[size]);
            }
        }
    }

    private static void writeUntilTheEnd(Pair pair, MemoryRegion source, MemoryRegion target) {
        RdmaConnection client = pair.client().connection();
        long id = 0;
        while (!pair.client().isDisconnected()) {
            try {
                client.postWrite(
                        id++,
                        source,
                        0,
                        (int) source.length(),
                        target.steeringTag(),
                        target.remoteOffset(),
                        RdmaConnection.UNSIGNALED);
            } catch (RdmaException e) {
                if (e.kind() != RdmaException.Kind.QUEUE_FULL) {
                    return;
                }
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldInvalidateFromWithinTheHandler() throws Exception {
        Pair pair = connect();
        MemoryRegion region = pair.server().connection().register(buffer(100), Access.REMOTE_WRITE);
        AtomicBoolean valid = new AtomicBoolean(true);
        pair.server().onEach(d -> {
            region.invalidate();
            valid.set(region.isValid());
        });
        DataTransferContract.sendEmpty(pair);
        assertThat(valid).isFalse();
    }

    @Test
    void shouldGoOnWhereMemoryIsInvalidatedAtOnce() throws Exception {
        Pair pair = connect();
        int size = 1 << 20;
        RdmaConnection client = pair.client().connection();
        MemoryRegion target = pair.server().connection().register(buffer(size), Access.REMOTE_WRITE);
        MemoryRegion source = local(pair.client(), buffer(size));
        for (int i = 0; i < 4; i++) {
            client.postWrite(
                    i, source, 0, size, target.steeringTag(), target.remoteOffset(), RdmaConnection.UNSIGNALED);
            // the request that opens this region may be queued behind the write
            client.register(buffer(8), Access.REMOTE_READ).invalidate();
        }
        DataTransferContract.sendEmpty(pair);
        assertThat(client.remoteRegions()).isZero();
        assertThat(client.isConnected()).isTrue();
    }

    @Test
    void shouldInvalidateAllAtTheEnd() throws Exception {
        Pair pair = connect();
        MemoryRegion region = pair.server().connection().register(buffer(100), Access.REMOTE_WRITE);
        pair.client().connection().close();
        pair.server().awaitDisconnected();
        assertThat(region.isValid()).isFalse();
        assertThat(pair.server().connection().remoteRegions()).isZero();
        region.invalidate();
    }

    @Test
    void shouldEndWhenAnInvalidTagIsInvalidated() throws Exception {
        Pair pair = connect();
        pair.server().connection().postReceive(1, local(pair.server(), buffer(10)), 0, 10);
        pair.client().connection().postSendWithInvalidate(2, local(pair.client(), buffer(10)), 0, 10, 0x1234567, 0);
        assertThat(pair.server().awaitDisconnected()).isNotNull();
        assertThat(pair.server().next().status()).isNotEqualTo(Completion.Status.SUCCESS);
    }

    @Test
    void shouldRefuseLocalMemoryThatIsNotThere() throws Exception {
        Pair pair = connect();
        Pair other = connect();
        RdmaConnection client = pair.client().connection();
        MemoryRegion memory = local(pair.client(), buffer(100));
        MemoryRegion foreign = local(other.client(), buffer(100));
        MemoryRegion gone = local(pair.client(), buffer(100));
        gone.invalidate();
        RdmaException.Kind kind = RdmaException.Kind.LOCAL_PROTECTION;
        assertRefused(kind, () -> client.postSend(1, memory, 91, 10, 0));
        assertRefused(kind, () -> client.postSend(1, memory, -1, 10, 0));
        assertRefused(kind, () -> client.postSend(1, memory, 0, -1, 0));
        assertRefused(kind, () -> client.postSend(1, memory, Long.MAX_VALUE, 10, 0));
        assertRefused(kind, () -> client.postReceive(1, memory, 91, 10));
        assertRefused(kind, () -> client.postWrite(1, memory, 91, 10, 1, 1, 0));
        assertRefused(kind, () -> client.postRead(1, memory, 91, 10, 1, 1, 0));
        assertRefused(kind, () -> client.postSend(1, foreign, 0, 10, 0));
        assertRefused(kind, () -> client.postReceive(1, gone, 0, 10));
        assertThat(pair.client().hasNext()).isFalse();
    }

    @Test
    void shouldEndWhenAMessageIsLongerThanItsReceive() throws Exception {
        Pair pair = connect();
        ByteBuffer memory = buffer(20);
        MemoryRegion region = local(pair.server(), memory);
        pair.server().connection().postReceive(1, region, 0, 10);
        pair.server().connection().postReceive(2, region, 10, 10);
        pair.client().connection().postSend(3, local(pair.client(), filled(random(11))), 0, 11, 0);
        RdmaPeer.Done done = pair.server().next();
        Completion.Status status =
                listeningLacks(Shortcoming.TELLS_NOTHING_OF_LENGTHS) ? done.status() : Completion.Status.LENGTH_ERROR;
        assertThat(done).isEqualTo(new RdmaPeer.Done(1, Completion.Operation.RECEIVE, status, 0, false, 0));
        assertThat(status).isNotEqualTo(Completion.Status.SUCCESS);
        assertThat(pair.server().next().status()).isEqualTo(Completion.Status.FLUSHED);
        assertThat(pair.server().awaitDisconnected()).isNotNull();
        assertThat(bytes(memory, 10, 10)).containsOnly(0);
    }

    @Test
    void shouldEndWhenNoReceiveIsPosted() throws Exception {
        Pair pair = connect();
        pair.client().connection().postSend(3, local(pair.client(), buffer(10)), 0, 10, 0);
        RdmaException serverCause = pair.server().awaitDisconnected();
        RdmaException clientCause = pair.client().awaitDisconnected();
        if (!listeningLacks(Shortcoming.MISSES_UNEXPECTED_MESSAGES)) {
            assertThat(serverCause).isNotNull();
        }
        if (!connectingLacks(Shortcoming.TELLS_NO_REASONS)) {
            assertThat(clientCause).isNotNull();
        }
    }
}
