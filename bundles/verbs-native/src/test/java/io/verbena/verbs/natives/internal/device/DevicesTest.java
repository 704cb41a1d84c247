package io.verbena.verbs.natives.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.CapturedLog;
import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.NativeUnavailableException;
import io.verbena.verbs.natives.internal.library.PortAttributes;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.settings.NativeSettings;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The list of the devices, over libraries with the devices that a test sets. */
final class DevicesTest {
    /** The names of the devices by their contexts. */
    private final Map<Long, String> present = new LinkedHashMap<>();

    private final Devices devices = new Devices(
            new NativeLibraries(fake(Ibverbs.class), fake(Rdmacm.class), null),
            new DeviceAddresses(Path.of("/none"), () -> List.of()),
            this::check);

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    /** Contexts of devices that the check refuses. */
    private final Set<Long> broken = new HashSet<>();

    private long going;
    private final List<Long> checked = new ArrayList<>();

    private void check(long context) throws NativeUnavailableException {
        checked.add(context);
        if (broken.contains(context)) {
            throw new NativeUnavailableException("broken");
        }
    }

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "devices" ->
                        present.keySet().stream().mapToLong(Long::longValue).toArray();
                    case "deviceName" -> present.get((Long) arguments[0]);
                    case "queryDevice" ->
                        new DeviceAttributes(false, "1", 1L << 40, 0, 4096, 6, 4096, 10, 0, 16, 16, 1, 0);
                    case "queryPort" -> {
                        if ((Long) arguments[0] == going) {
                            throw new NativeException("ibv_query_port", NativeConstants.EIO, "Input/output error");
                        }
                        yield new PortAttributes(
                                "ACTIVE", 3, true, List.of("fe80:0:0:0:0:0:0:1", "0:0:0:0:0:ffff:a00:30f"));
                    }
                    default -> throw new AssertionError(method);
                }));
    }

    @Test
    void shouldCheckEachDeviceWhenItIsFirstSeenAndLeaveOutWhatFails() throws Exception {
        present.put(1L, "rxe0");
        assertThat(names()).containsExactly("rxe0");

        present.put(2L, "bad0");
        present.put(3L, "siw0");
        broken.add(2L);
        assertThat(names()).containsExactly("rxe0", "siw0");
        assertThat(names()).containsExactly("rxe0", "siw0");

        assertThat(checked).containsExactly(1L, 2L, 3L);
        assertThat(devices.of(3).name()).isEqualTo("siw0");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> devices.of(2))
                .withMessage("broken");
    }

    @Test
    void shouldCheckADeviceThatAConnectionIsTheFirstToSee() throws Exception {
        present.put(1L, "rxe0");
        assertThat(devices.of(1).name()).isEqualTo("rxe0");
        assertThat(checked).containsExactly(1L);

        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> devices.of(9));
        assertThat(checked).containsExactly(1L);
    }

    @Test
    void shouldRefuseADeviceThatIsNotToBeUsed() throws Exception {
        present.put(1L, "rxe0");
        NativeSettings other = new NativeSettings(0, 1, Set.of("siw0"));

        assertThat(devices.usable(1, NativeSettings.DEFAULT).name()).isEqualTo("rxe0");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> devices.usable(1, other))
                .withMessage("the route there uses device rxe0, which the configuration io.verbena.verbs.native leaves"
                        + " out: add it to the key devices, or use another route")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(RdmaException.Kind.UNREACHABLE));
    }

    @Test
    void shouldNameTheConfiguredDevicesThatThereAreNot() {
        present.put(1L, "rxe0");
        present.put(2L, "siw0");
        devices.warnOfUnknown(NativeSettings.DEFAULT);
        devices.warnOfUnknown(new NativeSettings(0, 1, Set.of("siw0")));
        devices.warnOfUnknown(new NativeSettings(0, 1, Set.of("siw0", "mlx5_0")));

        assertThat(log.toString().lines())
                .singleElement()
                .asString()
                .contains("WARN", "there is no mlx5_0; there is rxe0, siw0");
    }

    @Test
    void shouldListWhatIsThereNow() {
        present.put(1L, "rxe0");
        present.put(2L, "siw0");
        assertThat(names()).containsExactly("rxe0", "siw0");

        present.remove(1L);
        assertThat(names()).containsExactly("siw0");
    }

    /** For a device that is being removed, and is still in the list, the kernel returns an error. */
    @Test
    void shouldListTheOthersWhereOneGoesMeanwhile() {
        present.put(1L, "rxe0");
        present.put(2L, "siw0");
        going = 1;
        assertThat(names()).containsExactly("siw0");
    }

    private List<String> names() {
        return devices.list(NativeSettings.DEFAULT).stream()
                .map(RdmaDevice::name)
                .toList();
    }

    @Test
    void shouldKnowWhichAddressesAreThoseOfDevices() throws Exception {
        present.put(1L, "rxe0");

        assertThat(devices.have(InetAddress.getByName("10.0.3.15"), NativeSettings.DEFAULT))
                .isTrue();
        assertThat(devices.have(InetAddress.getLoopbackAddress(), NativeSettings.DEFAULT))
                .isFalse();
        assertThat(devices.have(InetAddress.getByName("10.0.3.15"), new NativeSettings(0, 1, Set.of("siw0"))))
                .isFalse();
    }

    @Test
    void shouldShowTheAddressesOfADevice() {
        present.put(1L, "rxe0");

        RdmaDevice device = devices.list(NativeSettings.DEFAULT).get(0);

        assertThat(device.transport()).isEqualTo("roce");
        assertThat(device.attributes())
                .containsEntry("addresses", "10.0.3.15")
                .containsEntry("port_gids", "fe80:0:0:0:0:0:0:1, 0:0:0:0:0:ffff:a00:30f");
    }
}
