package io.verbena.rpcrdma.dispatcher.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpcrdma.dispatcher.internal.MemoryConnection;
import io.verbena.rpcrdma.dispatcher.internal.MemoryFabric;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool.RegisteredBuffer;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** A lease of whose buffer some calls find no memory for what they make of it. */
    private static final class FailingLease implements BufferLease {
        private final BufferLease real;
        /** How many calls succeed. */
        private int good;

        FailingLease(BufferLease real, int good) {
            this.real = real;
            this.good = good;
        }

        @Override
        public ByteBuffer buffer() {
            if (good-- <= 0) {
                throw new OutOfMemoryError("as a test has it");
            }
            return real.buffer();
        }

        @Override
        public int heldBytes() {
            return real.heldBytes();
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private final DirectMemory budget = new DirectMemory(16 << 20);
    private final MemoryShare share = budget.share("peer");
    private final MemoryFabric fabric = new MemoryFabric();
    private MemoryConnection connection;

    @BeforeEach
    void open() throws Exception {
        connection = fabric.open(
                MemoryFabric.address(1), new ConnectionOptions(1, 1, 0, 0, Map.of()), new Deaf(), Duration.ZERO);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        connection.close();
        fabric.awaitAllEnded();
        assertThat(budget.leasedBytes()).isZero();
        budget.close();
    }

    @ParameterizedTest
    @CsvSource({
        "0,4096",
        "1,4096",
        "4096,4096",
        "4097,5120",
        "8193,10240",
        "65536,65536",
        "1048577,1310720",
        "1310721,1572864",
        "2097152,2097152",
        "16777216,16777216",
        "16777217,16777217"
    })
    void shouldRoundUpToSizeClass(int bytes, int capacity) {
        assertThat(SizeClass.roundUp(bytes)).isEqualTo(capacity);
        assertThat(SizeClass.of(bytes)).isEqualTo(SizeClass.of(capacity));
    }

    @Test
    void shouldCountSizeClassesWithoutGaps() {
        int last = 0;
        for (int bytes = 1; bytes <= 1 << 24; bytes = SizeClass.roundUp(bytes) + 1) {
            assertThat(SizeClass.of(bytes)).isBetween(last, last + 1);
            last = SizeClass.of(bytes);
        }
        assertThat(last).isEqualTo(SizeClass.COUNT - 1);
        assertThat(SizeClass.of((1 << 24) + 1)).isNegative();
    }

    @Test
    void shouldRegisterOnceAndDeregisterWhenTrimmed() throws Exception {
        RegisteredPool pool = new RegisteredPool(share, connection, 1 << 20);
        RegisteredBuffer piece = pool.take(100);
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
        assertThat(share.leasedBytes()).isZero();
        RegisteredBuffer late = pool.take(100);
        pool.close();
        pool.give(late);
        assertThat(late.region().isValid()).isFalse();
    }

    @Test
    void shouldKeepNoMoreThanItsBound() throws Exception {
        RegisteredPool pool = new RegisteredPool(share, connection, 10_000);
        List<RegisteredBuffer> pieces = List.of(pool.take(4096), pool.take(4096), pool.take(4096));
        pieces.forEach(pool::give);
        assertThat(share.leasedBytes()).isEqualTo(8192);
        pool.close();
    }

    @Test
    void shouldGiveBackWhatIsIdleWhenMemoryIsShort() throws Exception {
        RegisteredPool pool = new RegisteredPool(share, connection, 32 << 20);
        List<RegisteredBuffer> pieces = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            // One more would be refused, and a refusal alone takes back what is idle, on another thread.
            pieces.add(pool.take(1 << 20));
        }
        pieces.forEach(pool::give);
        assertThat(share.leasedBytes()).isEqualTo(8 << 20);
        share.await(4 << 20, Duration.ofSeconds(30)).close();
        assertThat(share.leasedBytes()).isZero();
        pool.close();
    }

    @Test
    void shouldRefuseWhatTheBudgetHasNot() throws Exception {
        RegisteredPool pool = new RegisteredPool(share, connection, 1 << 20);
        assertThat(pool.tryTake(17 << 20)).isNull();
        assertThatThrownBy(() -> pool.take(17 << 20))
                .isInstanceOf(MemoryRefusedException.class)
                .hasMessageContaining("peer");
        pool.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldKeepNothingOfABufferThatThereIsNoMemoryFor(int good) throws Exception {
        RegisteredPool pool = new RegisteredPool(share, connection, 1 << 20);
        FailingLease lease = new FailingLease(share.lease(4096), good);
        try {
            RegisteredBuffer piece = pool.register(lease, 100); // for which fewer calls may do
            lease.good = Integer.MAX_VALUE;
            pool.give(piece);
            pool.close();
        } catch (OutOfMemoryError e) {
            assertThat(e).hasMessage("as a test has it");
        }
        assertThat(share.leasedBytes()).isZero();
    }

    @Test
    void shouldStillHaveAnIdleBufferThatThereWasNoMemoryToTake() throws Exception {
        RegisteredPool pool = new RegisteredPool(share, connection, 1 << 20);
        RegisteredBuffer piece = pool.take(100);
        pool.give(piece);
        assertThatThrownBy(() -> pool.take(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(pool.take(200)).isSameAs(piece);
        pool.give(piece);
        pool.close();
        assertThat(share.leasedBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldKeepNothingOfASlabThatThereIsNoMemoryFor(int good) throws Exception {
        BufferLease lease = new FailingLease(share.lease(8192), good);
        assertThatThrownBy(() -> new MessageSlab(connection, lease, 0, 2, 4096)).isInstanceOf(OutOfMemoryError.class);
        assertThat(share.leasedBytes()).isZero();
    }
}
