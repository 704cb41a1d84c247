package io.verbena.verbs.natives.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.device.Devices;
import io.verbena.verbs.natives.internal.device.RegistrationMethod;
import io.verbena.verbs.natives.internal.library.CreatedQueuePair;
import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.Posix;
import io.verbena.verbs.natives.internal.library.QueueLimits;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import io.verbena.verbs.natives.internal.memory.RandomNumbers;
import io.verbena.verbs.natives.internal.settings.NativeOptions;
import io.verbena.verbs.natives.internal.settings.NativeSettings;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An end that cannot be created frees all resources of the device. */
final class NativeConnectionTest {
    private static final int EVENT_FD = 77;
    private static final Device DEVICE = new Device(
            1,
            "hca0",
            new DeviceAttributes(false, "1", 1L << 40, 0, 64, 1, 64, 1, 0, 1, 1, 1, 0),
            RegistrationMethod.REGION,
            "");

    private final FakeLibrary verbs = new FakeLibrary();
    private final FakeLibrary cm = new FakeLibrary();
    private final FakeLibrary posix = new FakeLibrary();
    private final NativeLibraries libraries =
            new NativeLibraries(verbs.as(Ibverbs.class), cm.as(Rdmacm.class), posix.as(Posix.class));
    private final RandomNumbers random = new RandomNumbers();
    private final WireTap tap = new WireTap((observer, failure) -> {});
    private EventLoop events;
    private int ended;

    /** A provider that was stopped while the connection was created. */
    private final class Stopped implements ProviderContext {
        @Override
        public NativeLibraries libraries() {
            return libraries;
        }

        @Override
        public EventLoop events() {
            return events;
        }

        @Override
        public Devices deviceTable() {
            throw new AssertionError("the device is known");
        }

        @Override
        public NativeSettings settings() {
            return NativeSettings.DEFAULT;
        }

        @Override
        public RandomNumbers random() {
            return random;
        }

        @Override
        public WireTap tap() {
            return tap;
        }

        @Override
        public void opened(NativeConnection connection) throws RdmaException {
            throw new RdmaException(Kind.RESOURCES, "stopped");
        }

        @Override
        public void ended(NativeConnection connection) {
            ended++;
        }
    }

    @BeforeEach
    void createEvents() throws Exception {
        verbs.on("allocPd", arguments -> 2)
                .on("createCompChannel", arguments -> 3)
                .on("createCq", arguments -> 4);
        cm.on("createId", arguments -> 7)
                .answering("createQp", arguments -> new CreatedQueuePair(8, (QueueLimits) arguments[4]));
        events = new EventLoop(libraries);
        posix.on("createEventFd", arguments -> EVENT_FD);
    }

    private NativeConnection create() throws Exception {
        return new NativeConnection(
                new Stopped(),
                DEVICE,
                CmId.create(libraries, events),
                null,
                new InetSocketAddress("192.0.2.1", 20049),
                new ConnectionOptions(4, 4, 1, 1, Map.of()),
                new NativeOptions(0),
                null);
    }

    private void assertQueuesAreGone() {
        assertThat(cm.calls("destroyQp")).isEqualTo(1);
        assertThat(verbs.calls("destroyCq")).isEqualTo(2);
        assertThat(verbs.calls("destroyCompChannel")).isEqualTo(1);
        assertThat(verbs.calls("deallocPd")).isEqualTo(1);
    }

    @Test
    void shouldLeaveNothingWhereItDoesNotStart() throws Exception {
        NativeConnection connection = create();

        assertThatThrownBy(connection::start).isInstanceOf(RdmaException.class).hasMessage("stopped");

        assertQueuesAreGone();
        assertThat(cm.calls("destroyId")).isEqualTo(1);
        assertThat(posix.calls("close")).isEqualTo(1);
        assertThat(ended).isEqualTo(1);
        connection.close();
        assertThat(posix.calls("signal"))
                .as("of a descriptor that may be another's")
                .isZero();
    }

    @Test
    void shouldLeaveNothingButItsIdWhereItIsNotMade() {
        posix.answering("createEventFd", arguments -> {
            throw new OutOfMemoryError("no memory for a test");
        });

        assertThatThrownBy(this::create).isInstanceOf(OutOfMemoryError.class);

        assertQueuesAreGone();
        assertThat(cm.calls("destroyId")).isZero();
    }
}
