package io.verbena.itests.linuxpeer;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Connections on the guest's devices, 500 on each and 1,000 in total, leave no resources behind. */
@AgainstLinux(inside = true, judged = false)
@Timeout(320)
class NativeChurnIT {
    private static final Duration LIMIT = Duration.ofSeconds(290);

    private final LinuxGuest guest;

    NativeChurnIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @TestFactory
    Stream<DynamicTest> shouldLeaveNothingOnEitherDevice() throws IOException {
        return new GuestJvm(guest)
                .run(
                        LIMIT,
                        List.of(
                                "verbena.contract.run=rxe0",
                                "verbena.contract.address=" + LinuxGuest.ROCE,
                                "io.verbena.itests.guest.ConnectionChurn",
                                "verbena.contract.run=siw0",
                                "verbena.contract.address=" + LinuxGuest.IWARP,
                                "io.verbena.itests.guest.ConnectionChurn"));
    }
}
