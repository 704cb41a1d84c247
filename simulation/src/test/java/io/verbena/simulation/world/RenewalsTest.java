package io.verbena.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which messages may renew a lease. */
final class RenewalsTest {
    private static final int NULL = 0;
    private static final int COMPOUND = 1;
    private static final int SEQUENCE = 53;
    private static final int EXCHANGE_ID = 42;

    private static byte[] call(int version, int procedure, int operation) {
        ByteBuffer out = ByteBuffer.allocate(256);
        out.putInt(1).putInt(version).putInt(16).putInt(0);
        if (version == 2) {
            out.putInt(0);
        }
        out.putInt(0).putInt(0).putInt(0);
        out.putInt(1).putInt(0).putInt(2).putInt(100_003).putInt(4).putInt(procedure);
        out.putInt(0).putInt(0).putInt(0).putInt(0);
        out.putInt(3).putInt(0x61626300).putInt(1).putInt(1).putInt(operation);
        return out.array();
    }

    private static byte[] ofType(int type) {
        return ByteBuffer.allocate(64)
                .putInt(1)
                .putInt(2)
                .putInt(16)
                .putInt(type)
                .array();
    }

    @ParameterizedTest
    @ValueSource(ints = {41, 43, SEQUENCE})
    void shouldRenewByARequestInASessionAndByThoseThatMakeOne(int operation) {
        assertThat(Renewals.isPossible(call(1, COMPOUND, operation))).isTrue();
        assertThat(Renewals.isPossible(call(2, COMPOUND, operation))).isTrue();
    }

    @Test
    void shouldNotRenewByWhatTellsNothingOfASession() {
        assertThat(Renewals.isPossible(call(1, COMPOUND, EXCHANGE_ID))).isFalse();
        assertThat(Renewals.isPossible(call(1, NULL, SEQUENCE))).isFalse();
    }

    @Test
    void shouldNotRenewByAReply() {
        byte[] reply = call(1, COMPOUND, SEQUENCE);
        int direction = 8 * Integer.BYTES;
        reply[direction + 3] = 1;
        assertThat(Renewals.isPossible(reply)).isFalse();
    }

    @Test
    void shouldNotRenewByAMessageOfTheTransport() {
        assertThat(Renewals.isPossible(ofType(4))).isFalse();
    }

    @Test
    void shouldTakeWhatItCannotReadForARenewal() {
        assertThat(Renewals.isPossible(ofType(1))).isTrue();
        assertThat(Renewals.isPossible(Arrays.copyOf(call(1, COMPOUND, SEQUENCE), 40)))
                .isTrue();
    }
}
