package io.verbena.verbs.iwarp.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Registered memory at the end of a connection. */
class RegionTableTest {
    private final RegionTable table =
            new RegionTable(new SystemRuntime(), new RandomNumbers(new SystemRuntime().random()));

    @ParameterizedTest
    @EnumSource(Access.class)
    @Proves("V1-5.5-6")
    @DisplayName("to open memory at the end of a connection tells a loss, so that the call is sent again")
    void shouldTellDisconnectionWhenClosed(Access access) {
        table.close();
        assertThatThrownBy(() -> table.add(List.of(ByteBuffer.allocate(1)), access))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.kind()).isEqualTo(RdmaException.Kind.DISCONNECTED));
    }

    @Test
    void shouldInvalidateAllWhenClosed() throws Exception {
        Region region = table.add(List.of(ByteBuffer.allocate(1)), Access.REMOTE_READ);
        table.close();
        assertThat(region.isValid()).isFalse();
        assertThat(table.find(region.steeringTag())).isNull();
        assertThat(table.size()).isZero();
    }

    @Test
    void shouldWaitForPiecesThatAreMoved() throws Exception {
        Region region = table.add(List.of(ByteBuffer.allocate(1)), Access.REMOTE_WRITE);
        assertThat(region.enter()).isTrue();
        CompletableFuture<Void> invalidating = CompletableFuture.runAsync(region::invalidate);
        while (region.isValid()) {
            Thread.onSpinWait();
        }
        assertThat(region.enter()).isFalse();
        assertThat(invalidating).isNotDone();
        region.leave();
        assertThat(invalidating).succeedsWithin(10, TimeUnit.SECONDS);
    }

    @Test
    void shouldWaitOnWhenInterruptedAndTellOfIt() throws Exception {
        Region region = table.add(List.of(ByteBuffer.allocate(1)), Access.REMOTE_WRITE);
        assertThat(region.enter()).isTrue();
        AtomicBoolean left = new AtomicBoolean();
        CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS).execute(() -> {
            left.set(true);
            region.leave();
        });
        Thread.currentThread().interrupt();
        region.invalidate();
        assertThat(left).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }
}
