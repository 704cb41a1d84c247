package io.verbena.verbs.iwarp.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProviderSettingsTest {
    /** These values, and else the defaults; text for a number is an exception, as of Declarative Services. */
    private static ProviderSettings settings(Map<String, Object> values) {
        return ProviderSettings.of((IwarpConfiguration) Proxy.newProxyInstance(
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
        assertThat(settings(Map.of())).isEqualTo(ProviderSettings.DEFAULT);
        assertThat(settings(Map.of("crc", false, "settle_ms", 7, "handshake_timeout_s", 3, "send_buffer", 65536)))
                .isEqualTo(new ProviderSettings(
                        new ProviderOptions(false, ReadyMode.READ, 7), Duration.ofSeconds(3), 64, 0, 65536, 0));
    }

    @Test
    void shouldTakeTheDefaultForWhatIsNoNumberOrOutOfRange() {
        assertThat(settings(Map.of(
                        "settle_ms", "soon",
                        "handshake_timeout_s", 0,
                        "max_pending_handshakes", -1,
                        "max_segment", 65536,
                        "receive_buffer", -5)))
                .isEqualTo(ProviderSettings.DEFAULT);
    }
}
