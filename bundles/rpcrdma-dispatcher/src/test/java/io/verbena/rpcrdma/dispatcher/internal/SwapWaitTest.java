package io.verbena.rpcrdma.dispatcher.internal;

import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.assertDone;
import static io.verbena.rpcrdma.dispatcher.internal.HeldProgram.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.HeldProgram.Task;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapSettings;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What waits for a service that is missing, how long, and what it is told. */
final class SwapWaitTest extends SwapFixture {
    @Test
    @DisplayName("calls wait for a missing framing as long as was said, then name it; it comes, and all is well")
    void shouldNameTheMissingFramingAndHeal() throws Exception {
        client.unbindFraming(two);
        RpcConnection connection = connect(LONG, Duration.ofMillis(60));
        TransportPair.callNull(connection);
        client.unbindFraming(one);
        for (int i = 0; i < 2; i++) {
            CompletableFuture<String> call = connection.call(
                    HeldProgram.message(1).timeout(Duration.ofMillis(5)), in -> "done"); // time that does not run
            assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(MissingServiceException.class)
                    .hasMessageContaining("start the bundle io.verbena.rpcrdma.v1");
        }
        assertThat(connection.isOpen()).isTrue();
        assertThatThrownBy(() -> connection.reconnect(Duration.ofMillis(5)))
                .isInstanceOf(MissingServiceException.class)
                .hasMessageContaining("io.verbena.rpcrdma.v1");
        client.bindFraming(new VersionOneFraming());
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
        assertThat(held.isQuiet()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"framings", "provider"})
    @Timeout(60) // each would wait for 2 s if it did so anew
    @DisplayName("the time that a service is waited for begins when it goes, not with each call")
    void shouldNotWaitAnewForWhatHasBeenMissingForLong(String what) throws Exception {
        RpcConnection connection = connect(LONG, Duration.ofSeconds(2));
        TransportPair.callNull(connection);
        Runnable leave = what.equals("provider")
                ? () -> client.unbindProvider(fabric)
                : () -> {
                    client.unbindFraming(two);
                    client.unbindFraming(one);
                };
        Runnable come = what.equals("provider")
                ? () -> client.bindProvider(fabric)
                : () -> client.bindFraming(new VersionTwoFraming());
        leave.run();
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> call(connection, 1).get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(MissingServiceException.class);
            assertThatThrownBy(() -> connect(LONG, Duration.ofSeconds(2))).isInstanceOf(MissingServiceException.class);
        }
        come.run();
        assertThat(TransportPair.callNull(connection)).isEqualTo("done");
    }

    @Test
    @DisplayName("who is told that a service is missing, or the transport gone, is told whether the call went out")
    void shouldTellWhetherACallWentOut() throws Exception {
        client.configure(new SwapSettings(Duration.ofMillis(20), false));
        client.unbindFraming(two);
        RpcConnection connection = connect(LONG, Duration.ofMillis(200));
        CompletableFuture<String> sent = underWay(connection, 1);
        Runnable tooLate = held.next();
        client.unbindFraming(one);
        CompletableFuture<String> waiting = call(connection, 2);
        assertThatThrownBy(() -> sent.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(MissingServiceException.class, e -> assertThat(e.wasSent())
                        .isTrue());
        assertThatThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(MissingServiceException.class, e -> assertThat(e.wasSent())
                        .isFalse());
        tooLate.run(); // to nobody
        client.bindFraming(new VersionOneFraming());
        CompletableFuture<String> last = underWay(connection, 3);
        held.next();
        connection.close();
        assertThatThrownBy(() -> last.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(TransportLostException.class, e -> assertThat(e.wasSent())
                        .isTrue());
        assertThatThrownBy(() -> call(connection, 4).get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(TransportLostException.class, e -> assertThat(e.wasSent())
                        .isFalse());
    }

    @Test
    @DisplayName("the time that a service is waited for is not the peer's")
    void shouldNotCountTheWaitForServicesAsTheRecoverys() throws Exception {
        RpcConnection connection = connect(Duration.ofNanos(1), LONG);
        TransportPair.callNull(connection);
        client.unbindProvider(fabric);
        CompletableFuture<String> call = connection.call(TransportPair.call(EchoProgram.NULL), in -> "done");
        client.bindProvider(fabric);
        assertDone(call);
    }

    @Test
    @DisplayName("a first connection waits for services, too")
    void shouldWaitForServicesAtFirst() throws Exception {
        client.unbindProvider(fabric);
        assertThatThrownBy(() -> connect(LONG, Duration.ofMillis(20))).isInstanceOf(MissingServiceException.class);
        Task connecting = Task.waiting(() -> connect(LONG, LONG));
        client.bindProvider(fabric);
        connecting.assertDone();
    }
}
