package io.verbena.verbs.natives.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.natives.internal.CapturedLog;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.service.component.ComponentException;

/** Reads the configuration of users. */
final class NativeSettingsTest {
    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    /**
     * A configuration as the service component runtime passes it; a value that is an exception is thrown when it is
     * read.
     */
    private static NativeSettings settings(Object poll, Object pending, String... devices) {
        Map<String, Object> values = Map.of("poll_us", poll, "max_pending_requests", pending, "devices", devices);
        return NativeSettings.of((NativeConfiguration) Proxy.newProxyInstance(
                NativeConfiguration.class.getClassLoader(),
                new Class<?>[] {NativeConfiguration.class},
                (proxy, method, arguments) -> {
                    if (values.get(method.getName()) instanceof ComponentException failure) {
                        throw failure;
                    }
                    return values.get(method.getName());
                }));
    }

    private String logged() {
        return log.toString();
    }

    @Test
    void shouldReadNamesFromAListOrFromOneText() {
        assertThat(settings(0, 1, "rxe0", "siw0").devices()).containsExactly("rxe0", "siw0");
        assertThat(settings(0, 1, "rxe0,siw0").devices()).containsExactly("rxe0", "siw0");
        assertThat(settings(0, 1, " rxe0, siw0  mlx5_0,").devices()).containsExactly("rxe0", "siw0", "mlx5_0");
    }

    @Test
    void shouldTakeANameTwiceForOne() {
        assertThat(settings(0, 1, "rxe0", "rxe0").devices()).containsExactly("rxe0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ","})
    void shouldUseAllDevicesWhereNoneIsNamed(String none) {
        assertThat(settings(0, 1, none).mayUse("rxe0")).isTrue();
        assertThat(settings(0, 1).mayUse("rxe0")).isTrue();
    }

    @Test
    void shouldTakeWhatIsInRange() {
        assertThat(settings(30, 7)).isEqualTo(new NativeSettings(30, 7, Set.of()));
        assertThat(logged()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_000_000})
    void shouldTakeTheDefaultForRequestsOutOfRange(int pending) {
        assertThat(settings(0, pending).maxPendingRequests()).isEqualTo(64);
        assertThat(logged().lines())
                .singleElement()
                .asString()
                .contains("WARN", "io.verbena.verbs.native", "max.pending.requests is " + pending, "taken as 64");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1_000_001})
    void shouldTakeTheDefaultForAPollingPhaseOutOfRange(int poll) {
        assertThat(settings(poll, 1).pollMicros()).isZero();
        assertThat(logged()).contains("WARN", "poll.us is " + poll, "taken as 0");
    }

    @Test
    void shouldTakeTheDefaultForWhatIsNoNumber() {
        NativeSettings settings = settings(new ComponentException("soon"), 5);

        assertThat(settings.pollMicros()).isZero();
        assertThat(settings.maxPendingRequests()).isEqualTo(5);
        assertThat(logged().lines()).singleElement().asString().contains("WARN", "poll.us is no number");
    }
}
