package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.server.internal.ops.Squash;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExportOptionsTest {
    /** A configuration with these values, and else the defaults. */
    private static ExportConfiguration configuration(Map<String, Object> values) {
        return (ExportConfiguration) Proxy.newProxyInstance(
                ExportConfiguration.class.getClassLoader(),
                new Class<?>[] {ExportConfiguration.class},
                (proxy, method, arguments) -> values.getOrDefault(method.getName(), method.getDefaultValue()));
    }

    private static ExportOptions options(String address, String squash) {
        return ExportOptions.of(configuration(
                Map.of("verbena_export_name", "docs", "directory", "/", "address", address, "squash", squash)));
    }

    @Test
    @Proves("V1-7-1")
    void shouldLeaveTheNameToBeLookedUpWhenListening() throws Exception {
        ExportOptions options = options("localhost", "");
        assertThat(options.listenOptions().local().isUnresolved()).isTrue();
        assertThat(options.resolved().listenOptions().local().getAddress().isLoopbackAddress())
                .isTrue();
        assertThat(options.resolved().listenOptions().local().getPort()).isEqualTo(20049);
    }

    @Test
    void shouldSquashByTheAddressFoundWhereNothingElseIsConfigured() throws Exception {
        assertThat(squash("localhost", "")).isEqualTo(Squash.Mode.NONE);
        assertThat(squash("0.0.0.0", "")).isEqualTo(Squash.Mode.ROOT);
        assertThat(squash("localhost", "root")).isEqualTo(Squash.Mode.ROOT);
        assertThat(squash("0.0.0.0", "none")).isEqualTo(Squash.Mode.NONE);
    }

    private static Squash.Mode squash(String address, String configured) throws Exception {
        return options(address, configured).resolved().settings().squash().mode();
    }

    @Test
    void shouldHandTheProviderDown() {
        ExportOptions options = ExportOptions.of(
                configuration(Map.of("verbena_export_name", "docs", "directory", "/", "provider", "native")));
        assertThat(options.listenOptions().transport()).containsEntry("provider", "native");
        assertThat(options("localhost", "").listenOptions().transport()).containsEntry("provider", "auto");
    }

    private static ExportOptions delegating(String value) {
        return ExportOptions.of(
                configuration(Map.of("verbena_export_name", "docs", "directory", "/", "delegations", value)));
    }

    @Test
    void shouldDelegateUnlessThatIsTurnedOff() {
        assertThat(options("localhost", "").settings().delegations()).isTrue();
        assertThat(delegating("off").settings().delegations()).isFalse();
        assertThat(delegating("maybe").complaint()).isEqualTo("'delegations' is on or off, not 'maybe'");
    }
}
