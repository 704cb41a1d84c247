package io.verbena.nfs41.client.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.MountOptions;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs41.client.internal.testing.ManualClock;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.MissingServiceException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** On a clock of its own: a soft mount's patience is 90 s here, its probes last 5 s. */
class ServerSilenceTest {
    private final ManualClock clock = new ManualClock(Long.MAX_VALUE - 1_000_000_000L);
    private final ServerSilence silence = of("soft,timeo=300,retrans=2");

    private ServerSilence of(String options) {
        return new ServerSilence(MountSettings.of("m", "srv", "/", MountOptions.parse(options)), clock);
    }

    private static CallTimedOutException late() {
        return new CallTimedOutException("late", true);
    }

    private void pass(long seconds) {
        clock.pass(Duration.ofSeconds(seconds));
    }

    private long left(ServerSilence.Bound bound) {
        return Duration.ofNanos(bound.endNanos() - clock.nanoTime()).toSeconds();
    }

    @Test
    void shouldGiveARequestTheWholePatienceWhereTheServerAnswers() {
        assertThat(left(silence.bound())).isEqualTo(90);
        silence.asked();
        pass(10);
        silence.answered();
        assertThat(left(silence.bound())).isEqualTo(90);
        assertThat(silence.shown()).isEmpty();
    }

    @Test
    void shouldGiveThoseThatComeLaterWhatIsLeft() {
        silence.asked();
        pass(40);
        assertThat(left(silence.bound())).isEqualTo(50);
    }

    @Test
    void shouldAddUpToOnePatienceAndOneProbe() {
        silence.asked();
        pass(90);
        silence.unanswered(late()); // the write
        ServerSilence.Bound flush = silence.bound();
        assertThat(left(flush)).isEqualTo(5);
        silence.asked();
        pass(5);
        silence.unanswered(late());
        assertThat(left(silence.bound())).as("CLOSE").isZero();
        pass(3);
        assertThat(left(silence.bound())).as("the removal").isNegative();
        assertThat(silence.isStill(flush)).isTrue();
    }

    @Test
    void shouldProbeAgainAfterAWhile() {
        silence.asked();
        pass(90);
        silence.unanswered(late());
        assertThat(left(silence.bound())).isEqualTo(5);
        pass(11);
        assertThat(left(silence.bound())).isEqualTo(5);
    }

    @Test
    void shouldBeEndedByAnyReply() {
        silence.asked();
        silence.asked();
        ServerSilence.Bound bound = silence.bound();
        pass(60);
        silence.answered(); // while the other one waits
        assertThat(silence.isStill(bound)).isFalse();
        pass(7);
        assertThat(Duration.ofNanos(silence.nanos())).hasSeconds(7);
        silence.answered();
        assertThat(silence.nanos()).isZero();
    }

    @Test
    void shouldLastBeyondTheRequestsThatWereGivenUp() {
        silence.asked();
        pass(90);
        silence.unanswered(late());
        pass(600);
        assertThat(Duration.ofNanos(silence.nanos())).hasMinutes(11);
        silence.asked();
        silence.answered();
        assertThat(silence.nanos()).isZero();
    }

    @Test
    void shouldNotTakeAMissingServiceForASilentServer() {
        silence.asked();
        pass(30);
        silence.unanswered(new MissingServiceException("no transport"));
        assertThat(silence.shown()).isEmpty();
    }

    @Test
    void shouldTellSinceWhenAndUntilWhen() {
        silence.asked();
        pass(12);
        UnresponsiveServer shown = silence.shown().orElseThrow();
        assertThat(shown.server()).isEqualTo("srv");
        assertThat(shown.givesUp()).contains(shown.since().plusSeconds(90));
        assertThat(shown.length(shown.since().plusSeconds(12))).hasSeconds(12);
        assertThat(shown.since()).isBefore(Instant.now().minusSeconds(11));
        ServerSilence hard = of("hard");
        hard.asked();
        assertThat(hard.shown().orElseThrow().givesUp()).isEmpty();
    }

    @Test
    void shouldNotTakeOwnLackOfMemoryForASilentServer() {
        silence.asked();
        silence.unanswered(new LocalResourceException("no direct memory for peer srv now", null, false));
        pass(12);
        assertThat(silence.shown()).isEmpty();
    }
}
