package io.verbena.verbs.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.RdmaDevice;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The list of the devices, over libraries that know the devices that a test says. */
final class DevicesTest {
    /** The names of the devices by their contexts. */
    private final Map<Long, String> present = new LinkedHashMap<>();

    private final Devices devices = new Devices(
            new Natives(fake(Ibverbs.class), fake(Rdmacm.class), null),
            new DeviceAddresses(Path.of("/none"), () -> List.of()));

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "devices" ->
                        present.keySet().stream().mapToLong(Long::longValue).toArray();
                    case "deviceName" -> present.get((Long) arguments[0]);
                    case "queryDevice" ->
                        new DeviceAttributes(false, "1", 1L << 40, 0, 4096, 6, 4096, 10, 0, 16, 16, 1, 0);
                    case "queryPort" ->
                        new PortAttributes("ACTIVE", 3, true, List.of("fe80:0:0:0:0:0:0:1", "0:0:0:0:0:ffff:a00:30f"));
                    default -> throw new AssertionError(method);
                }));
    }

    @Test
    void shouldShowTheAddressesOfADevice() {
        present.put(1L, "rxe0");

        RdmaDevice device = devices.list(NativeSettings.DEFAULT).get(0);

        assertThat(device.transport()).isEqualTo("roce");
        assertThat(device.attributes())
                .containsEntry("addresses", "10.0.3.15")
                .containsEntry("gids", "fe80:0:0:0:0:0:0:1, 0:0:0:0:0:ffff:a00:30f");
    }
}
