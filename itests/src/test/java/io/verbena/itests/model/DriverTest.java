package io.verbena.itests.model;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the model and its driver on files of this host: the rules hold there, and the driver finds an injected fault.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "its file systems have other rules")
class DriverTest {
    private static final int STEPS = 1500;

    /**
     * Kinds that apply to local files: the JDK's locks belong to the process instead of a mount, and its asynchronous
     * channels keep no order.
     */
    private static final Set<Kind> KINDS = EnumSet.complementOf(EnumSet.of(
            Kind.CUT,
            Kind.SWAP,
            Kind.RECONNECT,
            Kind.LOCK,
            Kind.LOCK_OVERLAP,
            Kind.LOCK_WAIT,
            Kind.UNLOCK,
            Kind.TEST_LOCK));

    @TempDir
    private Path folder;

    private void drive(Plan plan, int lostWrites) {
        new Driver(plan, new LocalMountPair(folder, lostWrites)).drive();
    }

    private static Plan files(long seed) {
        return new Plan(seed, STEPS, KINDS, EnumSet.of(DoorKind.FILE, DoorKind.NIO), 4, 2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldAgreeWithFilesOfThisHost(long seed) {
        drive(files(seed), 0);
    }

    @Test
    void shouldAgreeWithLocksOfTwoMounts() {
        Set<Kind> kinds = EnumSet.copyOf(KINDS);
        kinds.addAll(EnumSet.of(Kind.LOCK, Kind.LOCK_OVERLAP, Kind.UNLOCK, Kind.TEST_LOCK));
        drive(new Plan(1, STEPS, kinds, EnumSet.of(DoorKind.FILE), 4, 2), 0);
    }

    @Test
    void shouldFindWritesThatAreLost() {
        assertThatThrownBy(() -> drive(files(1), 30))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("-Dverbena.model.seed=1 ")
                .hasMessageContaining("The last steps were:");
    }
}
