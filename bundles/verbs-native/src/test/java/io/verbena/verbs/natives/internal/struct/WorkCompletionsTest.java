package io.verbena.verbs.natives.internal.struct;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.natives.internal.struct.Layout.Wc;
import org.junit.jupiter.api.Test;

final class WorkCompletionsTest {
    private final WorkCompletions completions = new WorkCompletions(16);

    @Test
    void shouldReadEachMemberOfTheIndexedCompletion() {
        long second = completions.address() + Wc.SIZE;
        NativeMemory.putLong(second + Wc.WR_ID, 0x8000_0000_0000_0001L);
        NativeMemory.putInt(second + Wc.STATUS, NativeConstants.IBV_WC_REM_ACCESS_ERR);
        NativeMemory.putInt(second + Wc.VENDOR_ERR, 3);
        NativeMemory.putInt(second + Wc.BYTE_LEN, 1024);
        NativeMemory.putInt(second + Wc.INVALIDATED_RKEY, 0xdead_beef);
        NativeMemory.putInt(second + Wc.WC_FLAGS, NativeConstants.IBV_WC_WITH_INV);

        assertThat(completions.id(1)).isEqualTo(0x8000_0000_0000_0001L);
        assertThat(completions.status(1)).isEqualTo(NativeConstants.IBV_WC_REM_ACCESS_ERR);
        assertThat(completions.vendorError(1)).isEqualTo(3);
        assertThat(completions.length(1)).isEqualTo(1024);
        assertThat((completions.flags(1) & NativeConstants.IBV_WC_WITH_INV) != 0)
                .isTrue();
        assertThat(completions.invalidatedRkey(1)).isEqualTo(0xdead_beef);
        assertThat(completions.id(0)).isZero();
        assertThat((completions.flags(0) & NativeConstants.IBV_WC_WITH_INV) != 0)
                .isFalse();
    }
}
