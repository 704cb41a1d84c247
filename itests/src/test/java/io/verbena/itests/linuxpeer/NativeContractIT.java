package io.verbena.itests.linuxpeer;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The provider contract on the guest's devices, and between a device and software iWARP. */
@AgainstLinux(inside = true, judged = false)
@Timeout(300)
class NativeContractIT {
    private static final Duration LIMIT = Duration.ofSeconds(200);

    private final LinuxGuest guest;

    NativeContractIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @TestFactory
    Stream<DynamicTest> shouldHoldOnSoftRoce() throws IOException {
        return contracts(GuestJvm.DEVICES, GuestJvm.DEVICES, LinuxGuest.ROCE);
    }

    @TestFactory
    Stream<DynamicTest> shouldHoldOnSoftIwarp() throws IOException {
        return contracts(GuestJvm.DEVICES, GuestJvm.DEVICES, LinuxGuest.IWARP);
    }

    @TestFactory
    Stream<DynamicTest> shouldHoldWhereSoftwareListens() throws IOException {
        return contracts(GuestJvm.DEVICES, "iwarp", LinuxGuest.IWARP);
    }

    @TestFactory
    Stream<DynamicTest> shouldHoldWhereSoftwareConnects() throws IOException {
        return contracts("iwarp", GuestJvm.DEVICES, LinuxGuest.IWARP);
    }

    private Stream<DynamicTest> contracts(String connecting, String listening, String address) throws IOException {
        return new GuestJvm(guest)
                .with("verbena.contract.connecting", connecting)
                .with("verbena.contract.listening", listening)
                .with("verbena.contract.address", address)
                .with("verbena.contract.device", address.equals(LinuxGuest.ROCE) ? "rxe0" : "siw0")
                .run(LIMIT, "io.verbena.itests.guest.ProviderContracts");
    }
}
