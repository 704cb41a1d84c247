package io.verbena.openmetrics.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.runtime.SystemRuntime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Version;

class OpenMetricsComponentTest {
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final PrintStream err = System.err;
    private Optional<OpenMetricsComponent> component = Optional.empty();

    @AfterEach
    void deactivate() {
        component.ifPresent(OpenMetricsComponent::deactivate);
        System.setErr(err);
    }

    private void activate(Map<String, Supplier<Object>> configured) {
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        OpenMetricsConfiguration configuration = proxy(OpenMetricsConfiguration.class, configured);
        Bundle bundle = proxy(Bundle.class, Map.of("getVersion", () -> new Version(1, 2, 3)));
        BundleContext context = proxy(BundleContext.class, Map.of("getBundle", () -> bundle));
        component = Optional.of(new OpenMetricsComponent(configuration, new SystemRuntime(), context));
    }

    private static <T> T proxy(Class<T> type, Map<String, Supplier<Object>> values) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> values.containsKey(method.getName())
                        ? values.get(method.getName()).get()
                        : method.getDefaultValue()));
    }

    private String log() {
        return log.toString(StandardCharsets.UTF_8);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldListenOnLoopbackUntilItEnds() throws IOException {
        int port = freePort();
        activate(Map.of("port", () -> port));

        new Socket(InetAddress.getLoopbackAddress(), port).close();
        assertThat(log())
                .contains("metrics are at http://127.0.0.1:" + port + "/metrics")
                .doesNotContain("WARN");

        component.orElseThrow().deactivate();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void shouldListenNowhereWhereItIsSwitchedOff() throws IOException {
        int port = freePort();
        activate(Map.of("enabled", () -> false, "port", () -> port));

        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);
        assertThat(log()).isEmpty();
    }

    @Test
    void shouldWarnWhereOthersCanReadTheMetrics() {
        activate(Map.of("host", () -> "0.0.0.0", "port", () -> 0));

        assertThat(log()).contains("WARN", "there is no authentication", "'host' of io.verbena.openmetrics");
    }

    @Test
    void shouldSayInALineThatThePortIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            activate(Map.of("port", taken::getLocalPort));
        }

        assertThat(log())
                .contains("no metrics: cannot listen at 127.0.0.1, port ")
                .hasLineCount(1);
    }

    @Test
    void shouldUseTheDefaultForWhatIsNoNumberOrTooLarge() {
        activate(Map.of(
                "enabled", () -> false,
                "series",
                        () -> {
                            throw new NumberFormatException("For input string: many");
                        }));
        assertThat(log()).contains("'series' of io.verbena.openmetrics: For input string: many; 20000 is used");

        activate(Map.of("enabled", () -> false, "series", () -> 5));
        assertThat(log()).contains("'series' of io.verbena.openmetrics is 5: 1000 to 1000000 will do; 20000 is used");
    }
}
