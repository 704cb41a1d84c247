package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.PutRootFh;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.access.AccessRules;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An export over RPC-over-RDMA and software iWARP on the loopback address. */
class ExportServiceTest {
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final Credential ROOT = new Credential.Sys(0, "test", 0, 0, List.of());

    @TempDir
    Path temporary;

    private Path directory;
    private IwarpProvider provider;
    private RdmaRpcTransport transport;
    private ExportService export;

    @BeforeEach
    void start() throws Exception {
        directory = Files.createDirectory(temporary.resolve("export"));
        provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
        transport = new RdmaRpcTransport(
                new SystemRuntime(),
                new DirectMemory(),
                provider,
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator());
        export = export(directory, 0);
    }

    @AfterEach
    void stop() throws Exception {
        export.close();
        transport.close();
    }

    private ExportService export(Path of, int port) {
        return export(ExportSettings.of("docs", of), port);
    }

    private ExportService export(ExportSettings settings, int port) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return new ExportService(
                new ExportOptions(settings, ListenOptions.on(address)),
                temporary.resolve("state"),
                ServerMemory.ofHeap(),
                new SystemRuntime());
    }

    private static <T> T call(RpcConnection connection, ReplyDecoder<T> decoder, ByteBuffer sink, Op... operations)
            throws Exception {
        RpcCall call = new RpcCall(Compound.PROGRAM, Compound.VERSION, Compound.PROC_COMPOUND, ROOT);
        Compound.encodeArgs(call.arguments(), new Compound.Args("", 1, operations.length));
        for (Op operation : operations) {
            operation.write(call.arguments());
        }
        call.maxReplySize(2048);
        if (sink != null) {
            call.expectData(sink);
        }
        return connection
                .call(call, in -> {
                    assertThat(Compound.decodeResult(in).status()).isEqualTo(Status.NFS4_OK);
                    return decoder.decode(in);
                })
                .get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }

    private static ConnectOptions inline(InetSocketAddress address, int octets) {
        ConnectOptions to = ConnectOptions.to(address);
        return new ConnectOptions(
                to.remote(),
                to.connectTimeout(),
                to.recoveryTimeout(),
                to.serviceTimeout(),
                to.maxOutstanding(),
                to.observer(),
                to.reverse(),
                Map.of("inline", Integer.toString(octets)));
    }

    private static SessionId session(RpcConnection connection) throws Exception {
        ExchangeId.Args who = new ExchangeId.Args(1, Opaque.of("test"), 0, StateProtection.NONE, Optional.empty());
        ExchangeId.Result known = call(
                connection,
                in -> {
                    Compound.decodeStatus(in, Opcode.EXCHANGE_ID);
                    return ExchangeId.decodeResult(in);
                },
                null,
                out -> ExchangeId.encodeArgs(out, who));
        ChannelAttributes wanted = TestClient.WANTED;
        CreateSession.Args args =
                new CreateSession.Args(known.clientId(), known.sequenceId(), 0, wanted, wanted, 0, List.of());
        return call(
                connection,
                in -> {
                    Compound.decodeStatus(in, Opcode.CREATE_SESSION);
                    return CreateSession.decodeResult(in).sessionId();
                },
                null,
                out -> CreateSession.encodeArgs(out, args));
    }

    @Test
    @Proves({"ULB-5.1-4", "ULB-5.4.1-2"})
    @DisplayName("READLINK's text goes into the requester's chunk")
    void shouldReadALinkIntoTheClientsMemory() throws Exception {
        String text = "x/".repeat(1000) + "y";
        Files.createSymbolicLink(directory.resolve("link"), Path.of(text));
        export.useTransport(transport);
        export.awaitListening(BOUND);
        try (RpcConnection connection =
                transport.connect(ConnectOptions.to(export.localAddress().orElseThrow()))) {
            SessionId session = session(connection);
            ByteBuffer sink = ByteBuffer.allocateDirect(4096);
            AtomicInteger inStream = new AtomicInteger();
            int length = call(
                    connection,
                    in -> {
                        Compound.decodeStatus(in, Opcode.SEQUENCE);
                        Sequence.decodeResult(in);
                        Compound.decodeStatus(in, Opcode.PUTROOTFH);
                        Compound.decodeStatus(in, Opcode.LOOKUP);
                        Compound.decodeStatus(in, Opcode.READLINK);
                        inStream.set(in.remaining());
                        return in.getDataInto(sink);
                    },
                    sink,
                    out -> Sequence.encodeArgs(out, new Sequence.Args(session, 1, 0, 0, false)),
                    PutRootFh::encodeArgs,
                    out -> Lookup.encodeArgs(out, new Lookup.Args("link")),
                    ReadLink::encodeArgs);
            assertThat(inStream).as("the count alone").hasValue(4);
            assertThat(length).isEqualTo(text.length());
            assertThat(StandardCharsets.US_ASCII.decode(sink.flip()).toString()).isEqualTo(text);
        }
    }

    @Test
    @Proves("ULB-5.1-3")
    @DisplayName("CREATE's link text is taken from a Read chunk, as Linux sends one that does not fit inline")
    void shouldTakeTheTextOfALinkFromTheClientsMemory() throws Exception {
        String text = "x/".repeat(2000) + "y";
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        export.useTransport(transport);
        export.awaitListening(BOUND);
        try (RpcConnection connection =
                transport.connect(inline(export.localAddress().orElseThrow(), 1024))) {
            SessionId session = session(connection);
            ByteBuffer data = ByteBuffer.allocateDirect(text.length());
            data.put(text.getBytes(StandardCharsets.US_ASCII)).flip();
            boolean made = call(
                    connection,
                    in -> true,
                    null,
                    out -> Sequence.encodeArgs(out, new Sequence.Args(session, 1, 0, 0, false)),
                    PutRootFh::encodeArgs,
                    out -> out.putInt(Opcode.CREATE)
                            .putInt(5) // NF4LNK
                            .putData(data)
                            .putText("link")
                            .putInt(0) // no attributes
                            .putInt(0));
            assertThat(made).isTrue();
            assertThat(Files.readSymbolicLink(directory.resolve("link"))).hasToString(text);
        }
    }

    @Test
    @Proves({"V1-6-1", "ULB-5.1-2", "ULB-5.4.1-2"})
    @DisplayName("READ's data goes into the requester's chunk, whatever its size, and the rest inline")
    void shouldReadIntoTheClientsMemory() throws Exception {
        byte[] content = new byte[300_001];
        new Random(1).nextBytes(content);
        Files.write(directory.resolve("file"), content);
        export.useTransport(transport);
        export.awaitListening(BOUND);
        try (RpcConnection connection =
                transport.connect(ConnectOptions.to(export.localAddress().orElseThrow()))) {
            SessionId session = session(connection);
            ByteBuffer sink = ByteBuffer.allocateDirect(1 << 19);
            boolean eof = call(
                    connection,
                    in -> {
                        Compound.decodeStatus(in, Opcode.SEQUENCE);
                        Sequence.decodeResult(in);
                        Compound.decodeStatus(in, Opcode.PUTROOTFH);
                        Compound.decodeStatus(in, Opcode.LOOKUP);
                        Compound.decodeStatus(in, Opcode.READ);
                        return Read.decodeResultInto(in, sink);
                    },
                    sink,
                    out -> Sequence.encodeArgs(out, new Sequence.Args(session, 1, 0, 0, false)),
                    PutRootFh::encodeArgs,
                    out -> Lookup.encodeArgs(out, new Lookup.Args("file")),
                    out -> Read.encodeArgs(out, new Read.Args(StateId.ANONYMOUS, 0, 1 << 19)));
            assertThat(eof).isTrue();
            sink.flip();
            byte[] received = new byte[sink.remaining()];
            sink.get(received);
            assertThat(received).isEqualTo(content);
        }
    }

    @Test
    void shouldGoOnWithItsSessionsWhenAnotherTransportTakesOver() throws Exception {
        export.useTransport(transport);
        export.awaitListening(BOUND);
        SessionId session;
        try (RpcConnection connection =
                transport.connect(ConnectOptions.to(export.localAddress().orElseThrow()))) {
            session = session(connection);
        }
        try (RdmaRpcTransport second = new RdmaRpcTransport(
                new SystemRuntime(),
                new DirectMemory(),
                provider,
                List.of(new VersionOneFraming()),
                new PrivateDataNegotiator())) {
            InetSocketAddress before = export.localAddress().orElseThrow();
            export.dropTransport(transport);
            export.useTransport(second);
            export.awaitListening(BOUND);
            assertThat(before.getAddress())
                    .isEqualTo(export.localAddress().orElseThrow().getAddress());
            try (RpcConnection connection =
                    second.connect(ConnectOptions.to(export.localAddress().orElseThrow()))) {
                long size = call(
                        connection,
                        in -> {
                            Compound.decodeStatus(in, Opcode.SEQUENCE);
                            Sequence.decodeResult(in);
                            Compound.decodeStatus(in, Opcode.PUTROOTFH);
                            Compound.decodeStatus(in, Opcode.GETATTR);
                            return GetAttr.decodeResult(in).attributes().get(Attribute.MAXREAD);
                        },
                        null,
                        out -> Sequence.encodeArgs(out, new Sequence.Args(session, 1, 0, 0, false)),
                        PutRootFh::encodeArgs,
                        out -> GetAttr.encodeArgs(out, new GetAttr.Args(AttributeMask.of(Attribute.MAXREAD))));
                assertThat(size).isEqualTo(1 << 20);
            }
            export.dropTransport(second);
        }
    }

    @Test
    void shouldRefuseHostsThatAreNotAllowedAndKeepNothingOfThem() throws Exception {
        AccessRules others = AccessRules.ALL.withHosts(List.of("192.0.2.0/24"));
        try (ExportService closed = export(ExportSettings.of("docs", directory).withAccess(others), 0)) {
            closed.useTransport(transport);
            closed.awaitListening(BOUND);
            ConnectOptions there = ConnectOptions.to(closed.localAddress().orElseThrow());
            for (int i = 0; i < 300; i++) { // more than there may be connections
                assertThatThrownBy(() -> connectedNull(there)).isInstanceOf(Exception.class);
            }
            assertThat(transport.connections()).isEmpty();
        }
    }

    private void connectedNull(ConnectOptions there) throws Exception {
        try (RpcConnection connection = transport.connect(there)) {
            session(connection);
        }
    }

    @Test
    void shouldSayThatItServesAsRoot() throws Exception {
        export.useTransport(transport);
        export.awaitListening(BOUND);
        if (Files.getAttribute(directory, "unix:uid").equals(0)) {
            assertThat(export.notice())
                    .contains("it serves as root, and takes root of its clients, and of this host, for uid 65534;"
                            + " --no-root-squash takes root for root");
        } else {
            assertThat(export.notice()).isEmpty();
        }
    }

    @Test
    void shouldTellWhyItDoesNotListen() throws Exception {
        assertThatThrownBy(() -> export.awaitListening(Duration.ofMillis(10)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no transport");
        try (ExportService missing = export(temporary.resolve("missing"), 0)) {
            missing.useTransport(transport);
            assertThatThrownBy(() -> missing.awaitListening(BOUND)).hasMessageContaining("there is no such directory");
            assertThat(missing.failure()).isPresent();
            assertThat(missing.localAddress()).isEmpty();
        }
        Path file = Files.createFile(temporary.resolve("file"));
        try (ExportService notADirectory = export(file, 0)) {
            notADirectory.useTransport(transport);
            assertThatThrownBy(() -> notADirectory.awaitListening(BOUND)).hasMessageContaining("not a directory");
        }
    }

    @Test
    void shouldTellWhatItListensWith() throws Exception {
        assertThat(export.settings()).isEmpty();
        export.useTransport(transport);
        export.awaitListening(BOUND);
        assertThat(export.settings())
                .containsEntry("provider", "iwarp")
                .containsEntry("providerChoice", "auto: serves every peer that speaks iWARP");
    }

    @Test
    void shouldTellThatThePortIsInUse() throws Exception {
        export.useTransport(transport);
        export.awaitListening(BOUND);
        int port = export.localAddress().orElseThrow().getPort();
        try (ExportService second = export(directory, port)) {
            second.useTransport(transport);
            assertThatThrownBy(() -> second.awaitListening(BOUND))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot export " + directory);
        }
    }
}
