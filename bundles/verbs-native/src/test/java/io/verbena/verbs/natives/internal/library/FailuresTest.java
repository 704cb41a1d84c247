package io.verbena.verbs.natives.internal.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.settings.NativeOptions;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors of the libraries, translated into those of the contract. */
class FailuresTest {
    private static final byte[] NONE = {};
    /** {@code IBV_EVENT_PORT_ACTIVE}: it ends no connection. */
    private static final int PORT_ACTIVE = 9;

    private static RdmaException rejected(int status, boolean iwarp, byte[] data) {
        return Failures.step(new CmEvent(CmEvent.Type.REJECTED, 1, 1, 0, status, ByteBuffer.wrap(data), 0, 0), iwarp);
    }

    @Test
    void shouldTellRejectionsFromNobodyListening() {
        assertThat(rejected(28, false, new byte[] {5}).kind()).isEqualTo(Kind.REJECTED);
        assertThat(rejected(28, false, new byte[] {5}).privateData()).containsExactly(5);
        assertThat(rejected(8, false, new byte[148]).kind()).isEqualTo(Kind.REFUSED);
        assertThat(rejected(-NativeConstants.ECONNREFUSED, true, NONE).kind()).isEqualTo(Kind.REFUSED);
        assertThat(rejected(-NativeConstants.ECONNRESET, true, NONE).kind()).isEqualTo(Kind.REJECTED);
    }

    @Test
    void shouldCarryTheCallAndItsErrorNumber() {
        NativeException e = new NativeException("rdma_connect", NativeConstants.ECONNREFUSED, "Connection refused");
        assertThat(Failures.connecting(e).kind()).isEqualTo(Kind.REFUSED);
        assertThat(Failures.connecting(e)).hasMessageContaining("rdma_connect").hasMessageContaining("111");
        assertThat(Failures.resources(e).kind()).isEqualTo(Kind.RESOURCES);
    }

    @Test
    void shouldSayWhatToDoWhereNobodyListens() {
        NativeException siw = new NativeException("rdma_connect", NativeConstants.ECONNREFUSED, "Connection refused");
        assertThat(Failures.connecting(siw)).hasMessageStartingWith("nobody listens there; check the port");
        assertThat(rejected(8, false, NONE)).hasMessageStartingWith("nobody listens there; check the port");
    }

    @Test
    void shouldSayWhereItCannotListen() {
        InetSocketAddress address = new InetSocketAddress("192.0.2.1", 20049);
        NativeException taken =
                new NativeException("rdma_bind_addr", NativeConstants.EADDRINUSE, "Address already in use");
        assertThat(Failures.listening(taken, address))
                .hasMessage("cannot listen at 192.0.2.1:20049: somebody listens there already; take another port"
                        + " (rdma_bind_addr failed: Address already in use (errno " + NativeConstants.EADDRINUSE
                        + "))");
        NativeException foreign = new NativeException("rdma_bind_addr", NativeConstants.ENODEV, "No such device");
        assertThat(Failures.listening(foreign, address))
                .hasMessageContaining("no RDMA device of this host has that address");
    }

    @ParameterizedTest
    @CsvSource({
        "ADDR_RESOLVED, no host answers at that address in time",
        "ROUTE_RESOLVED, no route to that address is found in time",
        "ESTABLISHED, the peer does not answer the connection request in time"
    })
    void shouldSayWhatWasWaitedFor(CmEvent.Type step, String line) {
        assertThat(Failures.late(step).kind()).isEqualTo(Kind.TIMED_OUT);
        assertThat(Failures.late(step)).hasMessageStartingWith(line + "; check ");
    }

    @Test
    void shouldTellWhatAFailedWorkRequestMeans() {
        assertThat(Failures.statusOf(NativeConstants.IBV_WC_REM_ACCESS_ERR, false))
                .isEqualTo(Status.REMOTE_ACCESS_ERROR);
        assertThat(Failures.statusOf(NativeConstants.IBV_WC_LOC_LEN_ERR, true)).isEqualTo(Status.LENGTH_ERROR);
        assertThat(Failures.statusOf(NativeConstants.IBV_WC_LOC_LEN_ERR, false)).isEqualTo(Status.FLUSHED);
        assertThat(Failures.statusOf(NativeConstants.IBV_WC_WR_FLUSH_ERR, true)).isEqualTo(Status.FLUSHED);
        assertThat(Failures.failed("x", NativeConstants.IBV_WC_REM_ACCESS_ERR, 0)
                        .kind())
                .isEqualTo(Kind.ACCESS);
        assertThat(Failures.failed("x", NativeConstants.IBV_WC_RNR_RETRY_EXC_ERR, 0)
                        .kind())
                .isEqualTo(Kind.PROTOCOL);
        assertThat(Failures.failed("x", NativeConstants.IBV_WC_RETRY_EXC_ERR, 0).kind())
                .isEqualTo(Kind.DISCONNECTED);
    }

    @Test
    void shouldEndConnectionsForDeviceEventsThatBreakThem() {
        assertThat(Failures.async(new AsyncEvent(NativeConstants.IBV_EVENT_QP_ACCESS_ERR, "x", 0))
                        .kind())
                .isEqualTo(Kind.ACCESS);
        assertThat(Failures.async(new AsyncEvent(NativeConstants.IBV_EVENT_PORT_ERR, "x", 1))
                        .kind())
                .isEqualTo(Kind.DISCONNECTED);
        assertThat(Failures.async(new AsyncEvent(PORT_ACTIVE, "x", 1))).isNull();
    }

    @Test
    void shouldKnowItsOptions() {
        NativeOptions options = new NativeOptions(0);
        assertThat(options.with(Map.of("poll", "30")).pollMicros()).isEqualTo(30);
        assertThatThrownBy(() -> options.with(Map.of("crc", "on")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("crc and nocrc are options of provider iwarp only")
                .hasMessageEndingWith("leave them out, or say provider=iwarp");
        assertThatThrownBy(() -> options.with(Map.of("speed", "9")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown option 'speed' of provider native; known is poll");
        assertThatThrownBy(() -> options.with(Map.of("poll", "-1"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.with(Map.of("poll", "soon"))).isInstanceOf(IllegalArgumentException.class);
    }
}
