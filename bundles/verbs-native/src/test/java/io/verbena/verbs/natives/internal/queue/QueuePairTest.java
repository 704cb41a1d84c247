package io.verbena.verbs.natives.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.device.RegistrationMethod;
import io.verbena.verbs.natives.internal.library.CreatedQueuePair;
import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.QueueLimits;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The limits with which a queue pair is created, on a device with a given inline length. */
final class QueuePairTest {
    private final FakeLibrary cm = new FakeLibrary();
    private final FakeLibrary verbs = new FakeLibrary();
    private final List<Integer> asked = new ArrayList<>();
    private int most;

    @BeforeEach
    void setUp() {
        cm.answering("createQp", arguments -> {
            QueueLimits limits = (QueueLimits) arguments[4];
            asked.add(limits.inlineBytes());
            if (limits.inlineBytes() > most) {
                throw new NativeException("rdma_create_qp", NativeConstants.EINVAL, "Invalid argument");
            }
            return new CreatedQueuePair(7, new QueueLimits(limits.sends(), limits.receives(), most));
        });
    }

    private QueuePair create() throws RdmaException {
        DeviceAttributes attributes = new DeviceAttributes(false, "1", 1L << 40, 0, 64, 1, 64, 1, 0, 1, 1, 1, 0);
        Device device = new Device(1, "hca0", attributes, RegistrationMethod.REGION, "");
        NativeLibraries libraries = new NativeLibraries(verbs.as(Ibverbs.class), cm.as(Rdmacm.class), null);
        return new QueuePair(libraries, device, 1, new ConnectionOptions(4, 4, 1, 1, Map.of()));
    }

    @Test
    void shouldKeepTheInlineOctetsThatAreGranted() throws Exception {
        most = 400;
        assertThat(create().inlineOctets()).isEqualTo(400);
        assertThat(asked).containsExactly(256);
    }

    @Test
    void shouldAskForFewerWhereADeviceRefuses() throws Exception {
        most = 96;
        assertThat(create().inlineOctets()).isEqualTo(96);
        assertThat(asked).containsExactly(256, 64);

        asked.clear();
        most = 0;
        assertThat(create().inlineOctets()).isZero();
        assertThat(asked).containsExactly(256, 64, 0);
    }

    @Test
    void shouldLeaveNothingWhereThereIsNoMemory() {
        verbs.on("allocPd", arguments -> 2)
                .on("createCompChannel", arguments -> 3)
                .answering("createCq", arguments -> {
                    throw new OutOfMemoryError("no memory for a test");
                });
        assertThatThrownBy(this::create).isInstanceOf(OutOfMemoryError.class);
        assertThat(verbs.calls("destroyCompChannel")).isEqualTo(1);
        assertThat(verbs.calls("deallocPd")).isEqualTo(1);
    }

    @Test
    void shouldTellWhyThereIsNoneAtAll() {
        most = -1;
        assertThatExceptionOfType(RdmaException.class).isThrownBy(this::create).withMessageContaining("rdma_create_qp");
    }
}
