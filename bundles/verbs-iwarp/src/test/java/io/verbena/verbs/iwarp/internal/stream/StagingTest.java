package io.verbena.verbs.iwarp.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StagingTest {
    private static final int SHORT = 4096;
    private static final int LONG = 1 << 20;

    private final DirectMemory memory = new DirectMemory();
    private final MemoryShare share = memory.share("peer");
    private long now;
    private final Staging staging = new Staging(share, ByteBuffer.allocateDirect(SHORT), LONG, () -> now);

    @Test
    void shouldHoldALongBufferWhileItIsGrown() {
        assertThat(staging.buffer().capacity()).isEqualTo(SHORT);
        assertThat(staging.grow()).isTrue();
        assertThat(staging.grow()).as("again").isFalse();
        assertThat(staging.buffer().capacity()).isEqualTo(LONG);
        assertThat(memory.leasedBytes()).isEqualTo(LONG);
        staging.shrink();
        staging.shrink();
        assertThat(staging.buffer().capacity()).isEqualTo(SHORT);
        assertThat(memory.leasedBytes()).isZero();
    }

    @Test
    void shouldAskAgainForMemoryAfterAWhile() {
        memory.limit(SHORT);
        assertThat(staging.grow()).isFalse();
        memory.limit(4 << 20);
        now += TimeUnit.MILLISECONDS.toNanos(999);
        assertThat(staging.grow()).isFalse();
        now += TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(staging.grow()).isTrue();
        staging.shrink();
    }

    @Test
    void shouldNotGrowWhatIsFixed() {
        Staging fixed = Staging.of(ByteBuffer.allocateDirect(SHORT));
        assertThat(fixed.mayGrow()).isFalse();
        assertThat(fixed.grow()).isFalse();
    }
}
