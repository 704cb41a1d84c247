package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each verb moves octets and completes as the contract says. */
public abstract class DataTransferContract extends RdmaProviderContract {
    @ParameterizedTest
    @ValueSource(
            ints = {0, 1, 3, 4, 5, 1427, 1428, 1429, 4096, 4097, 65_455, 65_456, 65_457, 65_536, 1 << 20, 16 << 20})
    void shouldSendMessages(int size) throws Exception {
        Pair pair = connect();
        ByteBuffer target = buffer(size + 1);
        byte[] data = random(size);
        pair.server().connection().postReceive(7, local(pair.server(), target), 0, size + 1);
        pair.client().connection().postSend(8, local(pair.client(), filled(data)), 0, size, 0);
        assertThat(pair.server().nextSuccess())
                .isEqualTo(
                        new RdmaPeer.Done(7, Completion.Operation.RECEIVE, Completion.Status.SUCCESS, size, false, 0));
        assertThat(pair.client().nextSuccess())
                .isEqualTo(new RdmaPeer.Done(8, Completion.Operation.SEND, Completion.Status.SUCCESS, 0, false, 0));
        assertThat(bytes(target, 0, size)).isEqualTo(data);
        assertThat(target.get(size)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {0, 1, 3, 4, 5, 1427, 1428, 1429, 4096, 4097, 65_459, 65_460, 65_461, 65_536, 1 << 20, 16 << 20})
    void shouldWriteToPeerMemory(int size) throws Exception {
        Pair pair = connect();
        ByteBuffer target = buffer(size + 2);
        byte[] data = random(size);
        MemoryRegion region = pair.server().connection().register(target, Access.REMOTE_WRITE);
        RdmaConnection client = pair.client().connection();
        client.postWrite(
                1, local(pair.client(), filled(data)), 0, size, region.steeringTag(), region.remoteOffset() + 1, 0);
        sendEmpty(pair);
        assertThat(pair.client().nextSuccess())
                .isEqualTo(
                        new RdmaPeer.Done(1, Completion.Operation.RDMA_WRITE, Completion.Status.SUCCESS, 0, false, 0));
        assertThat(bytes(target, 1, size)).isEqualTo(data);
        assertThat(target.get(0)).isZero();
        assertThat(target.get(size + 1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {0, 1, 3, 4, 5, 1427, 1428, 1429, 4096, 4097, 65_459, 65_460, 65_461, 65_536, 1 << 20, 16 << 20})
    void shouldReadPeerMemory(int size) throws Exception {
        Pair pair = connect();
        byte[] data = random(size + 1);
        ByteBuffer target = buffer(size + 1);
        MemoryRegion source = pair.server().connection().register(filled(data), Access.REMOTE_READ);
        pair.client()
                .connection()
                .postRead(2, local(pair.client(), target), 0, size, source.steeringTag(), source.remoteOffset() + 1, 0);
        assertThat(pair.client().nextSuccess())
                .isEqualTo(new RdmaPeer.Done(
                        2, Completion.Operation.RDMA_READ, Completion.Status.SUCCESS, size, false, 0));
        assertThat(bytes(target, 0, size)).isEqualTo(Arrays.copyOfRange(data, 1, size + 1));
        assertThat(target.get(size)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, RdmaConnection.SOLICITED})
    void shouldInvalidatePeerMemoryBySend(int flags) throws Exception {
        Pair pair = connect();
        assumeTrue(pair.server().connection().remoteInvalidation());
        MemoryRegion region = pair.server().connection().register(buffer(100), Access.REMOTE_WRITE);
        assertThat(pair.server().connection().remoteRegions()).isEqualTo(1);
        pair.server().connection().postReceive(3, local(pair.server(), buffer(10)), 0, 10);
        pair.client()
                .connection()
                .postSendWithInvalidate(
                        4, local(pair.client(), filled(random(10))), 0, 10, region.steeringTag(), flags);
        assertThat(pair.server().nextSuccess())
                .isEqualTo(new RdmaPeer.Done(
                        3, Completion.Operation.RECEIVE, Completion.Status.SUCCESS, 10, true, region.steeringTag()));
        assertThat(region.isValid()).isFalse();
        assertThat(pair.server().connection().remoteRegions()).isZero();
        region.invalidate();
    }

    @Test
    void shouldOpenMemoryBehindASendWithInvalidate() throws Exception {
        Pair pair = connect();
        assumeTrue(pair.client().connection().remoteInvalidation());
        assumeTrue(pair.server().connection().remoteInvalidation());
        MemoryRegion theirs = pair.server().connection().register(buffer(100), Access.REMOTE_WRITE);
        pair.server().connection().postReceive(3, local(pair.server(), buffer(10)), 0, 10);
        pair.client()
                .connection()
                .postSendWithInvalidate(4, local(pair.client(), buffer(10)), 0, 10, theirs.steeringTag(), 0);
        assertThat(pair.server().nextSuccess().invalidated()).isTrue();
        assertThat(pair.client().nextSuccess().id()).isEqualTo(4);
        ByteBuffer target = buffer(100);
        MemoryRegion ours = pair.client().connection().register(target, Access.REMOTE_WRITE);
        sendEmpty(pair);
        byte[] data = random(100);
        pair.client().connection().postReceive(5, local(pair.client(), buffer(0)), 0, 0);
        RdmaConnection server = pair.server().connection();
        server.postWrite(6, local(pair.server(), filled(data)), 0, 100, ours.steeringTag(), ours.remoteOffset(), 0);
        server.postSend(7, local(pair.server(), buffer(0)), 0, 0, 0);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(5);
        assertThat(bytes(target, 0, 100)).isEqualTo(data);
    }

    @ParameterizedTest
    @CsvSource({"REMOTE_READ, 10", "REMOTE_READ, 5000", "REMOTE_WRITE, 10", "REMOTE_WRITE, 5000"})
    void shouldSendFromMemoryThatIsOpenToThePeer(Access access, int size) throws Exception {
        Pair pair = connect();
        RdmaConnection client = pair.client().connection();
        ByteBuffer target = buffer(size);
        byte[] data = random(size + 1);
        MemoryRegion source = client.register(filled(data), access);
        pair.server().connection().postReceive(1, local(pair.server(), target), 0, size);
        client.postSend(2, source, 1, size, 0);
        assertThat(pair.server().nextSuccess().length()).isEqualTo(size);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(2);
        assertThat(bytes(target, 0, size)).isEqualTo(Arrays.copyOfRange(data, 1, size + 1));
    }

    @ParameterizedTest
    @CsvSource({"REMOTE_READ, 10", "REMOTE_READ, 5000", "REMOTE_WRITE, 10", "REMOTE_WRITE, 5000"})
    void shouldWriteToMemoryThatIsOpenToThePeer(Access access, int size) throws Exception {
        Pair pair = connect();
        RdmaConnection client = pair.client().connection();
        ByteBuffer target = buffer(2 * size);
        MemoryRegion open = client.register(target, access);
        byte[] read = random(size);
        MemoryRegion remote = pair.server().connection().register(filled(read), Access.REMOTE_READ);
        byte[] sent = random(size);
        client.postReceive(1, open, 0, size);
        client.postRead(2, open, size, size, remote.steeringTag(), remote.remoteOffset(), 0);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(2);
        pair.server().connection().postSend(3, local(pair.server(), filled(sent)), 0, size, 0);
        assertThat(pair.client().nextSuccess().id()).isEqualTo(1);
        assertThat(bytes(target, 0, size)).isEqualTo(sent);
        assertThat(bytes(target, size, size)).isEqualTo(read);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5000, 200_000})
    void shouldUseMemoryThatIsNotDirectWhereItMay(int size) throws Exception {
        Pair pair = connect();
        assumeFalse(pair.client().connection().requiresDirectMemory()
                || pair.server().connection().requiresDirectMemory());
        ByteBuffer target = ByteBuffer.allocate(size);
        byte[] data = random(size);
        MemoryRegion region = pair.server().connection().register(target, Access.REMOTE_WRITE);
        MemoryRegion source = local(pair.client(), ByteBuffer.wrap(data).asReadOnlyBuffer());
        pair.client().connection().postWrite(1, source, 0, size, region.steeringTag(), region.remoteOffset(), 0);
        sendEmpty(pair);
        assertThat(target.array()).isEqualTo(data);
        assertRefused(
                RdmaException.Kind.LOCAL_PROTECTION,
                () -> pair.client().connection().postReceive(1, source, 0, size));
    }

    @Test
    void shouldTransferAcrossTheSeamsOfARegion() throws Exception {
        Pair pair = connect();
        List<ByteBuffer> parts = new ArrayList<>();
        for (int size : new int[] {10, 0, 70_000, 1, 3, 100_000}) {
            parts.add(buffer(size));
        }
        assumeTrue(pair.server().connection().maxBuffers() >= parts.size());
        MemoryRegion region = pair.server().connection().register(parts, Access.REMOTE_WRITE);
        byte[] data = random(170_000);
        pair.client()
                .connection()
                .postWrite(
                        1,
                        local(pair.client(), filled(data)),
                        0,
                        data.length,
                        region.steeringTag(),
                        region.remoteOffset() + 7,
                        0);
        sendEmpty(pair);
        assertThat(region.length()).isEqualTo(170_014);
        ByteBuffer whole = ByteBuffer.allocate(170_014);
        parts.forEach(p -> whole.put(p.duplicate().rewind()));
        assertThat(bytes(whole, 7, data.length)).isEqualTo(data);
        assertThat(bytes(whole, 0, 7)).containsOnly(0);
        assertThat(bytes(whole, 170_007, 7)).containsOnly(0);
    }

    /** Sends an empty message. Data written before is in place when this method returns. */
    protected static void sendEmpty(Pair pair) throws RdmaException {
        pair.server().connection().postReceive(99, local(pair.server(), buffer(0)), 0, 0);
        pair.client().connection().postSend(98, local(pair.client(), buffer(0)), 0, 0, RdmaConnection.UNSIGNALED);
        assertThat(pair.server().nextSuccess().id()).isEqualTo(99);
    }
}
