package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.server.internal.ops.Squash;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExportOptionsTest {
    /** A configuration with these values, and else the defaults. */
    private static ExportConfiguration configuration(Map<String, Object> values) {
        return (ExportConfiguration) Proxy.newProxyInstance(
                ExportConfiguration.class.getClassLoader(),
                new Class<?>[] {ExportConfiguration.class},
                (proxy, method, arguments) -> {
                    Object value = values.getOrDefault(method.getName(), method.getDefaultValue());
                    if (method.getReturnType() == int.class && value instanceof String) {
                        throw new IllegalArgumentException("as Declarative Services does: " + value);
                    }
                    return value;
                });
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

    private static ExportOptions syncing(String value) {
        return ExportOptions.of(configuration(Map.of("verbena_export_name", "docs", "directory", "/", "sync", value)));
    }

    @Test
    void shouldBeSyncUnlessThatIsTurnedOff() {
        assertThat(options("localhost", "").settings().sync()).isTrue();
        assertThat(syncing("on").settings().sync()).isTrue();
        assertThat(syncing("off").settings().sync()).isFalse();
        assertThat(syncing("off").complaint()).isNull();
        assertThat(syncing("async").complaint()).isEqualTo("'sync' is on or off, not 'async'");
    }

    @ParameterizedTest
    @CsvSource({
        "port, 70000, 'is a number from 0 to 65535, not 70000'",
        "leaseTime, 4, 'is a number from 5 to 3600, not 4'",
        "graceTime, -1, 'is a number from 0 to 3600, not -1'",
        "maxConnections, 0, 'is a number from 1, not 0'",
        "credits, 0, 'is a number from 1 to 1024, not 0'",
    })
    void shouldSayWhichNumberMakesNoSense(String key, int number, String complaint) {
        ExportOptions options =
                ExportOptions.of(configuration(Map.of("verbena_export_name", "docs", "directory", "/", key, number)));
        assertThat(options.complaint()).isEqualTo("'" + key + "' " + complaint);
    }

    @Test
    void shouldSayWhichNumberIsNone() {
        ExportOptions options = ExportOptions.of(
                configuration(Map.of("verbena_export_name", "docs", "directory", "/", "anonuid", "nobody")));
        assertThat(options.complaint()).isEqualTo("'anonuid' is a number");
        assertThat(options("localhost", "").complaint()).isNull();
    }
}
