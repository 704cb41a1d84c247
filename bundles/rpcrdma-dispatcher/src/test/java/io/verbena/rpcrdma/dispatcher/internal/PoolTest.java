package io.verbena.rpcrdma.dispatcher.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpcrdma.dispatcher.internal.RegisteredPool.Piece;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory that is kept for later, bounded, and given up when nobody needs it. */
final class PoolTest {
    private static final class Deaf implements ConnectionHandler {
        @Override
        public void onCompletions(Completion[] completions, int count) {
            throw new AssertionError("nothing was posted");
        }

        @Override
        public void onDisconnected(RdmaException cause) {
            assertThat(cause).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0,4096",
        "1,4096",
        "4096,4096",
        "4097,8192",
        "1048577,2097152",
        "16777216,16777216",
        "16777217,16777217"
    })
    void shouldRoundUpToSizeClass(int bytes, int capacity) {
        assertThat(new DirectPool(0).take(bytes).capacity()).isEqualTo(capacity);
    }

    @Test
    void shouldGiveSameMemoryAgain() {
        DirectPool pool = new DirectPool(1 << 20);
        ByteBuffer first = pool.take(5000).limit(7);
        pool.give(first);
        assertThat(pool.idleBytes()).isEqualTo(8192);
        assertThat(pool.take(8192)).isSameAs(first);
        assertThat(first.limit()).isEqualTo(8192);
        assertThat(pool.take(8192)).isNotSameAs(first);
    }

    @Test
    void shouldKeepWithinBoundAndTrimWhenIdle() {
        DirectPool pool = new DirectPool(10_000);
        ByteBuffer one = pool.take(4096);
        ByteBuffer two = pool.take(4096);
        ByteBuffer three = pool.take(4096);
        pool.give(one);
        pool.give(two);
        pool.give(three);
        assertThat(pool.idleBytes()).isEqualTo(8192);
        pool.trim(); // something was taken since the last time
        assertThat(pool.idleBytes()).isEqualTo(8192);
        pool.trim();
        assertThat(pool.idleBytes()).isZero();
    }

    @Test
    void shouldRegisterOnceAndDeregisterWhenTrimmed() throws Exception {
        MemoryFabric fabric = new MemoryFabric();
        MemoryConnection connection = fabric.open(
                MemoryFabric.address(1), new ConnectionOptions(1, 1, 0, 0, Map.of()), new Deaf(), Duration.ZERO);
        DirectPool memory = new DirectPool(1 << 20);
        RegisteredPool pool = new RegisteredPool(memory, connection, 1 << 20);
        Piece piece = pool.take(100);
        assertThat(piece.view().capacity()).isEqualTo(100);
        assertThat(piece.region().steeringTag()).isZero();
        pool.give(piece);
        assertThat(pool.take(200)).isSameAs(piece);
        assertThat(piece.view().capacity()).isEqualTo(200);
        pool.give(piece);
        pool.trim();
        assertThat(piece.region().isValid()).isTrue();
        pool.trim();
        assertThat(piece.region().isValid()).isFalse();
        assertThat(memory.idleBytes()).isEqualTo(4096);
        Piece late = pool.take(100);
        pool.close();
        pool.give(late);
        assertThat(late.region().isValid()).isFalse();
        connection.close();
        fabric.awaitAllEnded();
    }
}
