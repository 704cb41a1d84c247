package io.verbena.itests.linuxpeer;

import io.verbena.itests.Extent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The provider contract on the guest's devices, and between a device and software iWARP; in a long run also between two
 * ends on soft iWARP, and from software iWARP to the device.
 */
@AgainstLinux(inside = true, judged = false)
@Timeout(400)
class NativeContractIT {
    /** The time limit; an idle machine takes three minutes. */
    private static final Duration LIMIT = Duration.ofMinutes(6);

    private static final String SOFTWARE = "iwarp";

    private final LinuxGuest guest;

    NativeContractIT(LinuxGuest guest) {
        this.guest = guest;
    }

    /** Runs all tests in one JVM, whose start takes as long as a quarter of the tests. */
    @TestFactory
    Stream<DynamicTest> shouldHoldOnEachDeviceAndBetweenProviders() throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(contract(GuestJvm.DEVICES, GuestJvm.DEVICES, LinuxGuest.ROCE, "rxe0"));
        arguments.addAll(contract(GuestJvm.DEVICES, SOFTWARE, LinuxGuest.IWARP, "siw0"));
        if (Extent.isLong()) {
            arguments.addAll(contract(GuestJvm.DEVICES, GuestJvm.DEVICES, LinuxGuest.IWARP, "siw0"));
            arguments.addAll(contract(SOFTWARE, GuestJvm.DEVICES, LinuxGuest.IWARP, "siw0"));
        }
        return new GuestJvm(guest).run(LIMIT, arguments);
    }

    private static List<String> contract(String connecting, String listening, String address, String device) {
        return List.of(
                "verbena.contract.run=" + device + "-" + connecting + "-to-" + listening,
                "verbena.contract.connecting=" + connecting,
                "verbena.contract.listening=" + listening,
                "verbena.contract.address=" + address,
                "verbena.contract.device=" + device,
                "io.verbena.itests.guest.ProviderContracts");
    }
}
