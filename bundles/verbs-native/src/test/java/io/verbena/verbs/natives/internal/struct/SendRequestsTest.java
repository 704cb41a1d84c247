package io.verbena.verbs.natives.internal.struct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.verbs.natives.internal.struct.Layout.SendWr;
import io.verbena.verbs.natives.internal.struct.Layout.Sge;
import org.junit.jupiter.api.Test;

/** Read back through addresses, as the library does. */
final class SendRequestsTest {
    private final SendRequests requests = new SendRequests(4, 0);

    @Test
    void shouldWriteSend() {
        requests.send(0x1122_3344_5566_7788L, NativeConstants.IBV_SEND_SIGNALED, 0x7fff_0000_1000L, 1500, 0xcafe);

        assertRequest(0, 0x1122_3344_5566_7788L, NativeConstants.IBV_WR_SEND, NativeConstants.IBV_SEND_SIGNALED);
        assertData(0, 0x7fff_0000_1000L, 1500, 0xcafe);
    }

    @Test
    void shouldWriteSendWithInvalidate() {
        requests.sendWithInvalidate(7, 0, 0x1000, 64, 5, 0xdead_beef);

        assertRequest(0, 7, NativeConstants.IBV_WR_SEND_WITH_INV, 0);
        assertThat(getInt(0, SendWr.INVALIDATE_RKEY)).isEqualTo(0xdead_beef);
        assertThat(getInt(0, SendWr.RDMA_RKEY)).isEqualTo(0xdead_beef); // where libsiw looks for it
        assertData(0, 0x1000, 64, 5);
    }

    @Test
    void shouldWriteRdmaWrite() {
        requests.write(8, NativeConstants.IBV_SEND_SOLICITED, 0x1000, 65536, 5, 0xffff_0000_0000_0001L, 0x8000_0001);

        assertRequest(0, 8, NativeConstants.IBV_WR_RDMA_WRITE, NativeConstants.IBV_SEND_SOLICITED);
        assertRemote(0xffff_0000_0000_0001L, 0x8000_0001);
        assertData(0, 0x1000, 65536, 5);
    }

    @Test
    void shouldWriteRdmaRead() {
        requests.read(9, NativeConstants.IBV_SEND_SIGNALED, 0x2000, 4096, 6, 0x3000, 77);

        assertRequest(0, 9, NativeConstants.IBV_WR_RDMA_READ, NativeConstants.IBV_SEND_SIGNALED);
        assertRemote(0x3000, 77);
        assertData(0, 0x2000, 4096, 6);
    }

    @Test
    void shouldWriteBind() {
        requests.bind(11, 0, 0xaaaa, 0x1234_56ff, 0xbbbb, 0x4000, 1L << 33, NativeConstants.IBV_ACCESS_REMOTE_READ);

        assertRequest(0, 11, NativeConstants.IBV_WR_BIND_MW, 0);
        assertThat(getLong(0, SendWr.BIND_MW)).isEqualTo(0xaaaa);
        assertThat(getInt(0, SendWr.BIND_RKEY)).isEqualTo(0x1234_56ff);
        assertThat(getLong(0, SendWr.BIND_MR)).isEqualTo(0xbbbb);
        assertThat(getLong(0, SendWr.BIND_ADDR)).isEqualTo(0x4000);
        assertThat(getLong(0, SendWr.BIND_LENGTH)).isEqualTo(1L << 33);
        assertThat(getInt(0, SendWr.BIND_ACCESS)).isEqualTo(NativeConstants.IBV_ACCESS_REMOTE_READ);
        assertNoData(0);
    }

    @Test
    void shouldNotLeaveTheTagOfAnEarlierRequestInABind() {
        requests.sendWithInvalidate(1, 0, 0x1000, 8, 1, 0x1234);
        requests.clear();
        requests.bind(2, 0, 0xaaaa, 0x1234_56ff, 0xbbbb, 0x4000, 8, NativeConstants.IBV_ACCESS_REMOTE_READ);

        assertThat(getInt(0, SendWr.INVALIDATE_RKEY)).isZero();
    }

    @Test
    void shouldSendNothing() {
        requests.send(1, 0, 0, 0, 0);

        assertThat(getInt(0, SendWr.NUM_SGE)).isZero();
    }

    @Test
    void shouldLinkRequestsInTheOrderOfPosting() {
        requests.send(1, 0, 0x1000, 8, 1);
        requests.bind(2, 0, 9, 9, 9, 9, 9, 0);
        requests.send(3, 0, 0x3000, 24, 3);

        assertThat(requests.size()).isEqualTo(3);
        assertThat(getLong(0, SendWr.NEXT)).isEqualTo(requests.first() + SendWr.SIZE);
        assertThat(getLong(1, SendWr.NEXT)).isEqualTo(requests.first() + 2 * SendWr.SIZE);
        assertThat(getLong(2, SendWr.NEXT)).isZero();
        assertData(0, 0x1000, 8, 1);
        assertData(2, 0x3000, 24, 3);
    }

    @Test
    void shouldStartAnewOnceCleared() {
        requests.send(1, 0, 0x1000, 8, 1);
        requests.send(2, 0, 0x2000, 8, 1);
        requests.clear();
        requests.bind(3, 0, 9, 9, 9, 9, 9, 0);

        assertRequest(0, 3, NativeConstants.IBV_WR_BIND_MW, 0);
        assertNoData(0);
        assertThat(getLong(0, SendWr.NEXT)).isZero();
    }

    @Test
    void shouldRefuseMoreThanItsCapacity() {
        for (int i = 0; i < requests.capacity(); i++) {
            requests.send(i, 0, 0x1000, 8, 1);
        }

        assertThatIllegalStateException().isThrownBy(() -> requests.send(9, 0, 0x1000, 8, 1));
    }

    private void assertRequest(int index, long id, int opcode, int flags) {
        assertThat(getLong(index, SendWr.WR_ID)).isEqualTo(id);
        assertThat(getInt(index, SendWr.OPCODE)).isEqualTo(opcode);
        assertThat(getInt(index, SendWr.SEND_FLAGS)).isEqualTo(flags);
    }

    private void assertRemote(long address, int rkey) {
        assertThat(getLong(0, SendWr.RDMA_REMOTE_ADDR)).isEqualTo(address);
        assertThat(getInt(0, SendWr.RDMA_RKEY)).isEqualTo(rkey);
    }

    private void assertData(int index, long address, int length, int lkey) {
        assertThat(getInt(index, SendWr.NUM_SGE)).isEqualTo(1);
        long sge = getLong(index, SendWr.SG_LIST);
        assertThat(NativeMemory.getLong(sge + Sge.ADDR)).isEqualTo(address);
        assertThat(NativeMemory.getInt(sge + Sge.LENGTH)).isEqualTo(length);
        assertThat(NativeMemory.getInt(sge + Sge.LKEY)).isEqualTo(lkey);
    }

    private void assertNoData(int index) {
        assertThat(getInt(index, SendWr.NUM_SGE)).isZero();
        assertThat(getLong(index, SendWr.SG_LIST)).isZero();
    }

    private long getLong(int index, int offset) {
        return NativeMemory.getLong(requests.first() + (long) index * SendWr.SIZE + offset);
    }

    private int getInt(int index, int offset) {
        return NativeMemory.getInt(requests.first() + (long) index * SendWr.SIZE + offset);
    }
}
