package io.verbena.verbs.natives.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import org.junit.jupiter.api.Test;

/** What follows from the attributes of a device. */
final class DeviceTest {
    private static final int RXE = 0xffffff;

    private static Device of(int vendor) {
        DeviceAttributes attributes = new DeviceAttributes(false, "1", 1L << 40, vendor, 1, 1, 1, 1, 0, 1, 1, 1, 0);
        return new Device(1, "hca0", attributes, RegistrationMethod.WINDOW, "");
    }

    @Test
    void shouldKnowInvalidationsByTheKernelsNumberToo() {
        assertThat(of(RXE).invalidationFlags())
                .isEqualTo(NativeConstants.IBV_WC_WITH_INV | NativeConstants.IBV_WC_IP_CSUM_OK);
    }

    @Test
    void shouldNotTakeAChecksumForAnInvalidation() {
        assertThat(of(0x15b3).invalidationFlags()).isEqualTo(NativeConstants.IBV_WC_WITH_INV);
    }
}
