package io.verbena.cli.rdma.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransportLostException;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the way to a server ends, by the failure of the transport. */
final class ServerProbeTest {
    private final List<Finding> found = new ArrayList<>();

    /** A transport that cannot connect. */
    private record Failing(Kind kind) implements RpcTransport {
        @Override
        public RpcConnection connect(ConnectOptions options) throws IOException {
            throw new TransportLostException("cannot connect: " + kind, new RdmaException(kind, "as " + kind));
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            throw new AssertionError();
        }
    }

    private void probe(String host, Optional<RpcTransport> transport) throws InterruptedException {
        new ServerProbe(InetSocketAddress.createUnresolved(host, 20049), transport).look(found::add);
    }

    @ParameterizedTest
    @CsvSource({
        "REFUSED, port, /proc/fs/nfsd/portlist",
        "TIMED_OUT, port, firewalls",
        "UNREACHABLE, port, routes",
        "PROTOCOL, handshake, 2049",
        "REJECTED, handshake, 2049",
        "RESOURCES, port, ''"
    })
    void shouldTellThePortFromTheHandshake(Kind kind, String what, String remedy) throws Exception {
        probe("127.0.0.1", Optional.of(new Failing(kind)));

        assertThat(found.get(0).line()).isEqualTo("ok       name       127.0.0.1 is 127.0.0.1");
        Finding last = found.get(found.size() - 1);
        assertThat(last.level()).isEqualTo(Finding.Level.PROBLEM);
        assertThat(last.what()).isEqualTo(what);
        assertThat(last.found()).isEqualTo("cannot connect: " + kind);
        assertThat(last.remedy()).contains(remedy);
        assertThat(found).hasSize(what.equals("handshake") ? 3 : 2);
    }

    @Test
    void shouldEndWhereThereIsNoTransport() throws Exception {
        probe("127.0.0.1", Optional.empty());

        assertThat(found.get(1).line()).startsWith("problem  port").contains("io.verbena.rpcrdma.dispatcher");
    }

    @Test
    void shouldEndAtANameWithoutAnAddress() throws Exception {
        probe("no such host.invalid", Optional.empty());

        assertThat(found).singleElement().satisfies(finding -> assertThat(finding.line())
                .startsWith("problem  name")
                .contains("has no address"));
    }
}
