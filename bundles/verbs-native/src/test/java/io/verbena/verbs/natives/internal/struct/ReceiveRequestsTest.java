package io.verbena.verbs.natives.internal.struct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.verbs.natives.internal.struct.Layout.RecvWr;
import io.verbena.verbs.natives.internal.struct.Layout.Sge;
import org.junit.jupiter.api.Test;

final class ReceiveRequestsTest {
    private final ReceiveRequests requests = new ReceiveRequests(2, 0);

    @Test
    void shouldWriteAndLinkReceives() {
        requests.receive(5, 0x1000, 4096, 7);
        requests.receive(6, 0x2000, 8192, 8);

        assertReceive(0, 5, 0x1000, 4096, 7);
        assertReceive(1, 6, 0x2000, 8192, 8);
        assertThat(getLong(0, RecvWr.NEXT)).isEqualTo(requests.first() + RecvWr.SIZE);
        assertThat(getLong(1, RecvWr.NEXT)).isZero();
    }

    @Test
    void shouldStartAnewOnceCleared() {
        requests.receive(5, 0x1000, 4096, 7);
        requests.receive(6, 0x2000, 8192, 8);
        requests.clear();
        requests.receive(7, 0x3000, 1, 9);

        assertReceive(0, 7, 0x3000, 1, 9);
        assertThat(getLong(0, RecvWr.NEXT)).isZero();
    }

    @Test
    void shouldRefuseMoreThanItsCapacity() {
        requests.receive(1, 0x1000, 1, 1);
        requests.receive(2, 0x1000, 1, 1);

        assertThatIllegalStateException().isThrownBy(() -> requests.receive(3, 0x1000, 1, 1));
    }

    private void assertReceive(int index, long id, long address, int length, int lkey) {
        assertThat(getLong(index, RecvWr.WR_ID)).isEqualTo(id);
        assertThat(NativeMemory.getInt(requests.first() + (long) index * RecvWr.SIZE + RecvWr.NUM_SGE))
                .isEqualTo(1);
        long sge = getLong(index, RecvWr.SG_LIST);
        assertThat(NativeMemory.getLong(sge + Sge.ADDR)).isEqualTo(address);
        assertThat(NativeMemory.getInt(sge + Sge.LENGTH)).isEqualTo(length);
        assertThat(NativeMemory.getInt(sge + Sge.LKEY)).isEqualTo(lkey);
    }

    private long getLong(int index, int offset) {
        return NativeMemory.getLong(requests.first() + (long) index * RecvWr.SIZE + offset);
    }
}
