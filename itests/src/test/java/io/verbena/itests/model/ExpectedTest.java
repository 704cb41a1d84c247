package io.verbena.itests.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Uncertain octets are not arbitrary: they have the old or the new value. */
class ExpectedTest {
    private final ModelFile file = new ModelFile(1);

    private static byte[] filled(int length, int value) {
        byte[] octets = new byte[length];
        Arrays.fill(octets, (byte) value);
        return octets;
    }

    private static ByteBuffer found(int length, int value, int first) {
        ByteBuffer found = ByteBuffer.wrap(filled(length, 1));
        Arrays.fill(found.array(), 0, first, (byte) value);
        return found.position(length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTakeOctetsOfTheOtherMountAsTheyWereOrAsTheyAre(int value) {
        file.writeSynced(0, 0, filled(100, 1));
        file.seen(1);
        file.writeSynced(0, 0, filled(50, 2));
        Expected.of(file, 1, 0, 100).check("read", 100, found(100, value, 50), false);
    }

    @Test
    void shouldNotTakeAnythingForWhatTheOtherMountHasWritten() {
        file.writeSynced(0, 0, filled(100, 1));
        file.seen(1);
        file.writeSynced(0, 0, filled(50, 2));
        Expected expected = Expected.of(file, 1, 0, 100);
        assertThatThrownBy(() -> expected.check("read", 100, found(100, 99, 50), false))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("never were so");
    }

    @Test
    void shouldTakeNoOctetsFromBeforeTheMountHasSeenThem() {
        file.writeSynced(0, 0, filled(100, 3));
        file.seen(1);
        file.writeSynced(0, 0, filled(100, 1));
        file.seen(1);
        file.writeSynced(0, 0, filled(50, 2));
        Expected expected = Expected.of(file, 1, 0, 100);
        assertThatThrownBy(() -> expected.check("read", 100, found(100, 3, 50), false))
                .isInstanceOf(AssertionError.class);
    }

    /** With a WRITE during the READ, and without one although the model allows for it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotTakeAnythingInAReadBesideAWrite(boolean writes) {
        file.writeSynced(0, 0, filled(100, 1));
        Expected expected = Expected.of(file, 0, 0, 100);
        expected.overlapped(0, 50, false);
        if (writes) {
            file.writeSynced(0, 0, filled(50, 2));
            expected.check("read", 100, found(100, 2, 50), false);
        }
        expected.check("read", 100, found(100, 1, 50), false);
        assertThatThrownBy(() -> expected.check("read", 100, found(100, 99, 50), false))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void shouldTakeLengthsThatTheFileHadAlone() {
        file.writeSynced(0, 0, filled(100, 1));
        file.seen(1);
        file.writeSynced(0, 100, filled(100, 1));
        Expected expected = Expected.of(file, 1, 0, 300);
        for (int length : new int[] {100, 200}) {
            expected.check("read", length, ByteBuffer.wrap(filled(300, 1)).position(length), false);
        }
        for (int length : new int[] {7, 99, 201, 300}) {
            assertThatThrownBy(() -> expected.check(
                            "read", length, ByteBuffer.wrap(filled(300, 1)).position(length), false))
                    .isInstanceOf(AssertionError.class);
        }
        assertThat(file.mayHaveSize(1, 7)).isFalse();
        assertThat(file.mayHaveSize(1, 100)).isTrue();
        assertThat(file.mayHaveSize(0, 100)).isFalse();
    }

    @Test
    void shouldTakeAReadThatEndsBetweenRequestsWhereTheFileIsTruncatedMeanwhile() {
        file.writeSynced(0, 0, filled(20_000, 1));
        file.seen(0);
        Expected expected = Expected.of(file, 0, 0, 20_000);
        ByteBuffer found = ByteBuffer.wrap(filled(20_000, 1));
        assertThatThrownBy(() -> expected.check("read", 8192, found.position(8192), false))
                .isInstanceOf(AssertionError.class);
        expected.overlapped(5_000, 20_000, true);
        file.truncate(0, 5_000);
        expected.check("read", 8192, found.position(8192), false);
        assertThatThrownBy(() -> expected.check("read", 8191, found.position(8191), false))
                .isInstanceOf(AssertionError.class);
    }
}
