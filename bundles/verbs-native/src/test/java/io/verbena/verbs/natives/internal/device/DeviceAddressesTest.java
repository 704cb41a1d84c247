package io.verbena.verbs.natives.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.natives.internal.device.DeviceAddresses.Interface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders like those of the kernel for its devices. */
final class DeviceAddressesTest {
    private static final String MAC_GID = "5254:12:3456:0:0:0:0:0";
    private static final String MAC = "525400123456";

    @TempDir
    private Path folder;

    private List<String> of(boolean iwarp, String... gids) {
        return new DeviceAddresses(
                        folder,
                        () -> List.of(
                                new Interface("lo", "", List.of("127.0.0.1")),
                                new Interface("eth0", MAC, List.of("10.0.2.15", "fe80::1%eth0")),
                                new Interface("eth1", "525400123457", List.of("10.0.3.15")),
                                new Interface("eth2", "525400123457", List.of("10.0.4.15"))))
                .of("dev0", 1, iwarp, List.of(gids));
    }

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve("dev0").resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void shouldTakeTheInterfacesOfTheGids() throws IOException {
        write("ports/1/gid_attrs/ndevs/0", "eth1\n");
        write("ports/1/gid_attrs/ndevs/1", "eth1\n");
        write("ports/1/gid_attrs/ndevs/2", "\n");
        write("device/net/eth2/address", "");

        assertThat(of(false, "fe80:0:0:0:5054:ff:fe12:3457", "0:0:0:0:0:ffff:a00:30f"))
                .containsExactly("10.0.3.15");
    }

    @Test
    void shouldTakeTheInterfaceThatTheDriverNames() throws IOException {
        write("parent", "eth1\n");

        assertThat(of(false)).containsExactly("10.0.3.15");
    }

    @Test
    void shouldTakeTheInterfaceOfTheAdapter() throws IOException {
        write("device/net/eth2/address", "");

        assertThat(of(false)).containsExactly("10.0.4.15");
    }

    @Test
    void shouldKnowAnIwarpDeviceByItsHardwareAddress() {
        assertThat(of(true, MAC_GID)).containsExactly("10.0.2.15", "fe80::1%eth0");
        assertThat(of(true, "5254:12:3458:0:0:0:0:0")).isEmpty();
    }

    @Test
    void shouldTakeIpv4AddressesOfGidsWhereNoInterfaceIsKnown() {
        assertThat(of(false, "fe80:0:0:0:5054:ff:fe12:3457", "0:0:0:0:0:ffff:a00:30f"))
                .containsExactly("10.0.3.15");
        assertThat(of(true, "0:0:0:0:0:ffff:a00:30f")).isEmpty();
    }
}
