package io.verbena.cli.rdma.internal.doctor;

import io.verbena.cli.Failures;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.ImplementationId;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.Credential;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcTransport;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Goes the way of a mount to a server, step by step, and tells where it ends: the name, the port, the handshake of
 * RDMA, the empty call, the first operation of NFSv4.1. The server keeps nothing of it.
 */
final class ServerProbe {
    /** What the probe calls itself, in the client's name that the server sees for a moment. */
    private static final String CLIENT = "verbena-doctor-";

    private static final Duration BOUND = Duration.ofSeconds(5);
    private static final int MOST_REPLY = 4096;

    private final InetSocketAddress server;
    private final Optional<RpcTransport> transport;

    /**
     * Creates a probe.
     *
     * @param server the server's name and port, not resolved
     */
    ServerProbe(InetSocketAddress server, Optional<RpcTransport> transport) {
        this.server = server;
        this.transport = transport;
    }

    /** Returns the bound of the whole probe. */
    static Duration bound() {
        return BOUND.multipliedBy(6);
    }

    void look(Consumer<Finding> told) throws InterruptedException {
        try {
            String addresses = Arrays.stream(InetAddress.getAllByName(server.getHostString()))
                    .map(InetAddress::getHostAddress)
                    .distinct()
                    .collect(Collectors.joining(", "));
            told.accept(Finding.ok("name", server.getHostString() + " is " + addresses));
        } catch (UnknownHostException e) {
            told.accept(Finding.problem(
                    "name",
                    server.getHostString() + " has no address",
                    "check the name; getent hosts NAME asks as this host does"));
            return;
        }
        if (transport.isEmpty()) {
            told.accept(Finding.problem("port", "there is no transport", "bundle:start io.verbena.rpcrdma.dispatcher"));
            return;
        }
        try (RpcConnection connection = transport.get().connect(options())) {
            Map<String, String> settings = connection.settings();
            told.accept(Finding.ok("port", server.getPort() + " answers"));
            told.accept(Finding.ok(
                    "handshake",
                    "RPC over RDMA version " + settings.getOrDefault("version", "unknown") + " by provider "
                            + settings.getOrDefault("provider", "unknown")));
            call(connection, told);
        } catch (IOException e) {
            tellConnect(e, told);
        }
    }

    private ConnectOptions options() {
        return new ConnectOptions(
                server,
                BOUND,
                BOUND,
                BOUND,
                1,
                ConnectionObserver.NONE,
                Optional.empty(),
                Map.of("label", "rdma:doctor"));
    }

    private void tellConnect(IOException failure, Consumer<Finding> told) {
        Kind kind = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RdmaException rdma) {
                kind = rdma.kind();
            }
        }
        String text = String.valueOf(failure.getMessage());
        if (kind == Kind.PROTOCOL || kind == Kind.REJECTED) {
            told.accept(Finding.ok("port", server.getPort() + " answers"));
            told.accept(Finding.problem(
                    "handshake", text, "NFS over RDMA has port 20049, NFS over TCP 2049; name another port"));
        } else if (kind == Kind.TIMED_OUT || kind == Kind.UNREACHABLE) {
            told.accept(Finding.problem("port", text, "check firewalls and routes between here and the server"));
        } else if (kind == Kind.REFUSED) {
            told.accept(Finding.problem(
                    "port",
                    text,
                    "start the server there; Linux: echo 'rdma 20049' >/proc/fs/nfsd/portlist; or name its port"));
        } else {
            told.accept(Finding.problem("port", text, ""));
        }
    }

    private void call(RpcConnection connection, Consumer<Finding> told) throws InterruptedException {
        try {
            long begun = System.nanoTime();
            long ended = await(connection, nfs(Compound.PROC_NULL), results -> System.nanoTime());
            told.accept(Finding.ok(
                    "call", "the empty call of NFS version 4 took " + (ended - begun) / 1000 + " microseconds"));
        } catch (ExecutionException | TimeoutException e) {
            told.accept(Finding.problem(
                    "call", "the empty call of NFS version 4 has failed: " + message(e), "is NFS started there?"));
            return;
        }
        try {
            exchange(connection, told);
        } catch (ExecutionException | TimeoutException e) {
            told.accept(Finding.problem(
                    "nfs",
                    "EXCHANGE_ID has failed: " + message(e),
                    "the server has to offer NFSv4.1; Linux: cat /proc/fs/nfsd/versions"));
        }
    }

    /** The server's answer to EXCHANGE_ID; the identity is empty where the status is a failure. */
    private record Answer(Status status, Optional<ExchangeId.Result> result) {}

    private void exchange(RpcConnection connection, Consumer<Finding> told)
            throws ExecutionException, TimeoutException, InterruptedException {
        RpcCall call = compound();
        long verifier = System.nanoTime();
        String name = CLIENT + ProcessHandle.current().pid() + "-" + verifier;
        ExchangeId.encodeArgs(
                call.arguments(),
                new ExchangeId.Args(
                        verifier, Opaque.of(name), ExchangeId.USE_NON_PNFS, StateProtection.NONE, Optional.empty()));
        Answer answer = await(connection, call, results -> {
            Compound.Result head = Compound.decodeResult(results);
            if (head.operations() == 0) {
                return new Answer(head.status(), Optional.empty());
            }
            Status status = Compound.decodeStatus(results, Opcode.EXCHANGE_ID);
            return new Answer(
                    status,
                    status == Status.NFS4_OK ? Optional.of(ExchangeId.decodeResult(results)) : Optional.empty());
        });
        if (answer.result().isEmpty()) {
            told.accept(Finding.problem(
                    "nfs",
                    "EXCHANGE_ID is answered with " + answer.status(),
                    answer.status() == Status.NFS4ERR_MINOR_VERS_MISMATCH
                            ? "the server has to offer NFSv4.1; Linux: cat /proc/fs/nfsd/versions"
                            : "see the server's log"));
            return;
        }
        String software = answer.result()
                .get()
                .implementation()
                .map(ImplementationId::name)
                .map(text -> " by " + text)
                .orElse("");
        told.accept(Finding.ok("nfs", "NFSv4.1 is served" + software + ": EXCHANGE_ID is answered"));
        forget(connection, answer.result().get().clientId());
    }

    /** Has the server forget the client. It would do so by itself after a time. */
    private static void forget(RpcConnection connection, long clientId)
            throws ExecutionException, TimeoutException, InterruptedException {
        RpcCall call = compound();
        DestroyClientId.encodeArgs(call.arguments(), new DestroyClientId.Args(clientId));
        await(connection, call, results -> Compound.decodeResult(results).status());
    }

    private static RpcCall compound() {
        RpcCall call = nfs(Compound.PROC_COMPOUND).maxReplySize(MOST_REPLY);
        Compound.encodeArgs(call.arguments(), new Compound.Args("", Compound.MINOR_VERSION, 1));
        return call;
    }

    private static RpcCall nfs(int procedure) {
        return new RpcCall(Compound.PROGRAM, Compound.VERSION, procedure, Credential.none()).timeout(BOUND);
    }

    private static <T> T await(RpcConnection connection, RpcCall call, ReplyDecoder<T> decoder)
            throws ExecutionException, TimeoutException, InterruptedException {
        return connection.call(call, decoder).get(BOUND.toMillis() + 1000, TimeUnit.MILLISECONDS);
    }

    private static String message(Exception failure) {
        return failure instanceof TimeoutException
                ? "no reply"
                : String.valueOf(Failures.unwrap(failure).getMessage());
    }
}
