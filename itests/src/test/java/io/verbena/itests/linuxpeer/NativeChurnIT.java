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

/** 500 connections on soft RoCE, and in a long run as many on soft iWARP, leave no resources behind. */
@AgainstLinux(inside = true, judged = false)
@Timeout(320)
class NativeChurnIT {
    private static final Duration LIMIT = Duration.ofSeconds(290);

    private final LinuxGuest guest;

    NativeChurnIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @TestFactory
    Stream<DynamicTest> shouldLeaveNothingOnADevice() throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(churn("rxe0", LinuxGuest.ROCE));
        if (Extent.isLong()) {
            arguments.addAll(churn("siw0", LinuxGuest.IWARP));
        }
        return new GuestJvm(guest).run(LIMIT, arguments);
    }

    private static List<String> churn(String device, String address) {
        return List.of(
                "verbena.contract.run=" + device,
                "verbena.contract.address=" + address,
                "io.verbena.itests.guest.ConnectionChurn");
    }
}
