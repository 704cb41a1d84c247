package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RenewalPauseTest {
    private static final int LEASE_SECONDS = 90;
    private static final int MOUNTS = 1000;
    private static final int SECONDS = 300;

    @Test
    void shouldRenewAfterASixthToAThirdOfTheLease() {
        long lease = Duration.ofSeconds(LEASE_SECONDS).toNanos();
        assertThat(new RenewalPause(() -> 0).nanos(LEASE_SECONDS)).isBetween(lease / 6 - 1, lease / 6);
        assertThat(new RenewalPause(() -> 0.999_999).nanos(LEASE_SECONDS)).isBetween(lease * 3 / 10, lease / 3);
    }

    @Test
    void shouldSpreadRenewalsOfMountsThatBeganTogether() {
        SplittableRandom random = new SplittableRandom(1);
        int[] renewals = new int[SECONDS];
        for (int i = 0; i < MOUNTS; i++) {
            RenewalPause pause = new RenewalPause(random::nextDouble);
            long now = pause.nanos(LEASE_SECONDS);
            while (now < Duration.ofSeconds(SECONDS).toNanos()) {
                renewals[(int) Duration.ofNanos(now).toSeconds()]++;
                pause.next();
                now += pause.nanos(LEASE_SECONDS);
            }
        }
        int[] later = Arrays.copyOfRange(renewals, LEASE_SECONDS, SECONDS);
        double mean = Arrays.stream(later).average().orElseThrow();
        assertThat(Arrays.stream(later).max().orElseThrow()).isLessThan((int) (2 * mean));
    }
}
