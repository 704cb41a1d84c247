package io.verbena.verbs.natives.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.device.RegistrationMethod;
import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.PortAttributes;
import io.verbena.verbs.natives.internal.library.Posix;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An end that is connected and ended at the same time. */
final class ConnectionStateTest {
    private static final Device DEVICE = new Device(
            1,
            "hca0",
            new DeviceAttributes(false, "1", 1L << 40, 0, 64, 1, 64, 1, 0, 1, 1, 1, 0),
            RegistrationMethod.REGION,
            "");

    private final FakeLibrary cm = new FakeLibrary();
    private final FakeLibrary verbs = new FakeLibrary();
    private ConnectionState steps;

    @BeforeEach
    void createSteps() throws Exception {
        cm.on("createId", arguments -> 7);
        NativeLibraries libraries =
                new NativeLibraries(verbs.as(Ibverbs.class), cm.as(Rdmacm.class), new FakeLibrary().as(Posix.class));
        CmId id = CmId.create(libraries, new EventLoop(libraries));
        steps = new ConnectionState(
                libraries, id, new CmHandshake(DEVICE, new ConnectionOptions(4, 4, 1, 1, Map.of()), null));
    }

    private void establish() throws RdmaException {
        steps.establish(new byte[0], System.nanoTime() + TimeUnit.MINUTES.toNanos(1), event -> {});
    }

    @Test
    void shouldNotUseAnIdOnceItsEndHasCome() throws Exception {
        steps.begin();
        steps.end();

        assertDisconnected(this::establish);
        assertThat(cm.calls("connect")).isZero();
    }

    @Test
    void shouldTellAnEndThatHasEndedFromOneThatIsMisused() throws Exception {
        steps.end();
        assertDisconnected(steps::begin);
    }

    @Test
    void shouldBeginOnce() throws Exception {
        steps.begin();
        assertThatIllegalStateException().isThrownBy(steps::begin);
        steps.end();
        assertThatIllegalStateException().isThrownBy(steps::begin);
    }

    @Test
    void shouldSayThatThePortIsDownWhereNobodyAnswers() throws Exception {
        cm.on("verbs", arguments -> 1).on("portNumber", arguments -> 1);
        verbs.answering("deviceName", arguments -> "rxe0")
                .answering("queryPort", arguments -> new PortAttributes("DOWN", 3, true, List.of()));
        steps.begin();

        assertThatThrownBy(() -> steps.establish(new byte[0], System.nanoTime(), event -> {}))
                .isInstanceOf(RdmaException.class)
                .hasMessageStartingWith("port 1 of rxe0 is DOWN; set its network interface up");
    }

    @Test
    void shouldLetTheEndComeWhateverFailsInConnecting() throws Exception {
        cm.answering("connect", arguments -> {
            throw new IllegalArgumentException("no such parameters");
        });
        steps.begin();
        assertThatThrownBy(this::establish).isInstanceOf(IllegalArgumentException.class);

        assertThat(CompletableFuture.runAsync(steps::reject)).succeedsWithin(10, TimeUnit.SECONDS);
    }

    private static void assertDisconnected(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.kind())
                .isEqualTo(Kind.DISCONNECTED));
    }
}
