package io.verbena.dirfd.internal.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.FileStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Anybody may give a file any time, and a listing has to show the others all the same. */
final class StatxResultTest {
    private static final Instant BEFORE_1970 = Instant.parse("1901-02-03T04:05:06.000000007Z");

    @Test
    void shouldHoldTheNearestTimeToOneThatIsBeyond() {
        ByteBuffer memory = ByteBuffer.allocate(StatxResult.SIZE).order(ByteOrder.nativeOrder());
        memory.putLong(StatxResult.MODIFIED_AT, Long.MAX_VALUE);
        memory.putLong(StatxResult.ACCESSED_AT, Long.MIN_VALUE);
        memory.putLong(StatxResult.CHANGED_AT, BEFORE_1970.getEpochSecond());
        memory.putInt(StatxResult.CHANGED_AT + Long.BYTES, BEFORE_1970.getNano());
        FileStatus status = new StatxResult(memory, 0).toStatus();
        assertThat(status.modified()).isEqualTo(FileTime.from(Instant.MAX));
        assertThat(status.accessed()).isEqualTo(FileTime.from(Instant.MIN));
        assertThat(status.changed()).isEqualTo(FileTime.from(BEFORE_1970));
    }
}
