package io.verbena.verbs.iwarp.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IwarpSettingsTest {
    /** These values, and else the defaults; text for a number is an exception, as of Declarative Services. */
    private static IwarpSettings settings(Map<String, Object> values) {
        return IwarpSettings.of((IwarpConfiguration) Proxy.newProxyInstance(
                IwarpConfiguration.class.getClassLoader(),
                new Class<?>[] {IwarpConfiguration.class},
                (proxy, method, arguments) -> {
                    Object value = values.getOrDefault(method.getName(), method.getDefaultValue());
                    if (value instanceof String) {
                        throw new IllegalStateException("cannot convert " + value);
                    }
                    return value;
                }));
    }

    @Test
    void shouldTakeWhatIsConfigured() {
        assertThat(settings(Map.of())).isEqualTo(IwarpSettings.DEFAULT);
        assertThat(settings(Map.of(
                        "crc",
                        false,
                        "settle_ms",
                        7,
                        "poll_us",
                        50,
                        "handshake_timeout_s",
                        3,
                        "send_timeout_s",
                        4,
                        "keepalive_s",
                        5,
                        "send_buffer",
                        65536)))
                .isEqualTo(new IwarpSettings(
                        new IwarpOptions(false, ReadyMode.READ, 7, 50),
                        Duration.ofSeconds(3),
                        64,
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(5),
                        0,
                        65536,
                        0));
    }

    @Test
    void shouldTakeTheDefaultForWhatIsNoNumberOrOutOfRange() {
        assertThat(settings(Map.of(
                        "settle_ms", "soon",
                        "poll_us", 1_000_001,
                        "handshake_timeout_s", 0,
                        "max_pending_handshakes", -1,
                        "send_timeout_s", 0,
                        "keepalive_s", -1,
                        "max_segment", 65536,
                        "receive_buffer", -5)))
                .isEqualTo(IwarpSettings.DEFAULT);
    }
}
