package io.verbena.itests.linuxpeer;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Connections on the guest's devices come and go, a thousand in all, and nothing is left of them. */
@AgainstLinux(inside = true, judged = false)
@Timeout(300)
class NativeChurnIT {
    private static final Duration LIMIT = Duration.ofSeconds(250);

    private final LinuxGuest guest;

    NativeChurnIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @TestFactory
    Stream<DynamicTest> shouldLeaveNothingOnSoftRoce() throws IOException {
        return churn(LinuxGuest.ROCE);
    }

    @TestFactory
    Stream<DynamicTest> shouldLeaveNothingOnSoftIwarp() throws IOException {
        return churn(LinuxGuest.IWARP);
    }

    private Stream<DynamicTest> churn(String address) throws IOException {
        return new GuestJvm(guest)
                .with("verbena.contract.connecting", GuestJvm.DEVICES)
                .with("verbena.contract.address", address)
                .run(LIMIT, "io.verbena.itests.guest.ConnectionChurn");
    }
}
