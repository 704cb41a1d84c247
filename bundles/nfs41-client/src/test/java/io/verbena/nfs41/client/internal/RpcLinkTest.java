package io.verbena.nfs41.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountOptions;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RpcLinkTest {
    private RpcLink link;
    private RpcConnection made;

    /** Unmounts while it connects. */
    private final class Transport implements RpcTransport {
        private final FakeServer server;

        Transport(FakeServer server) {
            this.server = server;
        }

        @Override
        public RpcConnection connect(ConnectOptions options) {
            link.close();
            made = server.connect(options);
            return made;
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            return server.listen(options, program);
        }
    }

    @Test
    void shouldCloseAConnectionThatComesAfterTheUnmount() {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        try (FakeServer server = new FakeServer()) {
            TransportSource source = new TransportSource(new Transport(server));
            link = new RpcLink(settings, source, ConnectionObserver.NONE, Runnable::run, new Swaps("m"));
            assertThatThrownBy(link::connect)
                    .isInstanceOf(TransportLostException.class)
                    .hasMessageContaining("unmounted");
            assertThat(made.isOpen()).isFalse();
            assertThat(link.current()).isNull();
        }
    }

    @Test
    void shouldStayWithTheProviderOfItsFirstConnection() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse("provider=auto,nocrc"));
        try (FakeServer server = new FakeServer()) {
            link = new RpcLink(
                    settings, new TransportSource(server), ConnectionObserver.NONE, Runnable::run, new Swaps("m"));
            assertThat(link.provider()).isEmpty();
            link.connect();
            assertThat(server.connectedWith.transport())
                    .containsExactlyInAnyOrderEntriesOf(Map.of("label", "m", "provider", "auto", "crc", "off"));
            link.leave(server, 1); // as where the transport is replaced
            link.connect();
            assertThat(server.connectedWith.transport())
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("label", "m", "provider", "fake", "chosen", "fake0", "crc", "off"));
            assertThat(link.provider())
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("provider", "fake", "providerChoice", "auto: fake0 has a route"));
            link.close();
        }
    }

    @Test
    void shouldCloseWhatItAbandonedWhereTheWorkerDoesNotComeToIt() throws IOException {
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(""));
        try (FakeServer server = new FakeServer()) {
            link = new RpcLink(
                    settings, new TransportSource(server), ConnectionObserver.NONE, task -> {}, new Swaps("m"));
            Line silent = link.connect();
            link.failed(silent, new CallTimedOutException("no answer", true));
            assertThat(silent.isOpen()).isTrue();
            link.close();
            assertThat(silent.isOpen()).isFalse();
        }
    }

    @Test
    void shouldTellThatAClassIsMissing() {
        RpcTransport incomplete = new RpcTransport() {
            @Override
            public RpcConnection connect(ConnectOptions options) {
                throw new NoClassDefFoundError("org/example/Missing");
            }

            @Override
            public RpcListener listen(ListenOptions options, RpcProgram program) {
                throw new AssertionError("nobody listens");
            }
        };
        try (NfsMount mount = new NfsMount("m", "127.0.0.1", "/", "", incomplete)) {
            assertThatThrownBy(() -> mount.connect(Duration.ofMinutes(1)))
                    .hasStackTraceContaining("NoClassDefFoundError: org/example/Missing");
        }
    }
}
