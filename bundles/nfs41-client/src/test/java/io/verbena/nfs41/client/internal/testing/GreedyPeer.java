package io.verbena.nfs41.client.internal.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.PutRootFh;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcTransport;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A peer that makes a server hold as much state as it can: many clients with many sessions each, and in each slot the
 * longest reply that is cached. It ignores what the server asks it for.
 */
public final class GreedyPeer implements AutoCloseable {
    private static final int CACHED = 8192;
    private static final ChannelAttributes WANTED =
            new ChannelAttributes(0, 1 << 20, 1 << 20, CACHED, 64, 64, Optional.empty());
    private static final Credential ROOT = new Credential.Sys(0, "greedy", 0, 0, List.of());

    private final RpcConnection connection;
    private final String name;
    private final List<Held> sessions = new ArrayList<>();

    @GuardedBy("itself")
    private final Map<Status, Integer> answers = new EnumMap<>(Status.class);

    private int failures;

    /**
     * @param name of its clients
     */
    public GreedyPeer(RpcTransport transport, InetSocketAddress server, String name) throws IOException {
        this.name = name;
        connection = transport.connect(ConnectOptions.to(server));
    }

    /** A session, and the next number of each slot. */
    private static final class Held {
        private final CreateSession.Result made;
        private final int[] sequences;

        Held(CreateSession.Result made) {
            this.made = made;
            sequences = new int[made.foreChannel().maxRequests()];
        }
    }

    /** How often the server has answered what. */
    public Map<Status, Integer> answers() {
        synchronized (answers) {
            return Map.copyOf(answers);
        }
    }

    public int sessions() {
        return sessions.size();
    }

    /** How many slots it was granted. */
    public int slots() {
        return sessions.stream().mapToInt(held -> held.sequences.length).sum();
    }

    @FunctionalInterface
    private interface Decoder<T> {
        T decode(XdrReader in) throws XdrException;
    }

    private <T> CompletableFuture<T> call(int operations, Consumer<XdrWriter> arguments, Decoder<T> decoder) {
        RpcCall call = new RpcCall(Compound.PROGRAM, Compound.VERSION, Compound.PROC_COMPOUND, ROOT);
        Compound.encodeArgs(call.arguments(), new Compound.Args("", 1, operations));
        arguments.accept(call.arguments());
        return connection.call(call.maxReplySize(2 * CACHED), decoder::decode);
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException("a call of the greedy peer failed", e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("the server does not answer the greedy peer", e);
        }
    }

    /** EXCHANGE_ID as a client more; null where the server has no room for it. */
    public ExchangeId.Result exchange(int client) throws IOException, InterruptedException {
        ExchangeId.Args args =
                new ExchangeId.Args(1, Opaque.of(name + '-' + client), 0, StateProtection.NONE, Optional.empty());
        return await(call(1, out -> ExchangeId.encodeArgs(out, args), in -> {
            Status status = count(Compound.decodeResult(in).status());
            if (!status.isOk()) {
                return null;
            }
            Compound.decodeStatus(in, Opcode.EXCHANGE_ID);
            return ExchangeId.decodeResult(in);
        }));
    }

    /** Makes a client with as many sessions as the server grants. */
    public void makeSessions(int client, int most) throws IOException, InterruptedException {
        ExchangeId.Result known = exchange(client);
        for (int i = 0; known != null && i < most; i++) {
            CreateSession.Args args =
                    new CreateSession.Args(known.clientId(), known.sequenceId() + i, 0, WANTED, WANTED, 0, List.of());
            Held held = await(call(1, out -> CreateSession.encodeArgs(out, args), in -> {
                if (!count(Compound.decodeResult(in).status()).isOk()) {
                    return null;
                }
                Compound.decodeStatus(in, Opcode.CREATE_SESSION);
                return new Held(CreateSession.decodeResult(in));
            }));
            if (held == null) {
                return;
            }
            sessions.add(held);
        }
    }

    private Status count(Status status) {
        synchronized (answers) {
            answers.merge(status, 1, Integer::sum);
        }
        return status;
    }

    /** Fills the slots of a session with cached replies. */
    public void fill(int session, String file) throws IOException, InterruptedException {
        Held held = sessions.get(session);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < held.sequences.length; i++) {
            int slot = i;
            Sequence.Args sequence = new Sequence.Args(
                    held.made.sessionId(), held.sequences[slot] + 1, slot, held.sequences.length - 1, true);
            calls.add(call(4, out -> fill(out, sequence, file, held.made.foreChannel()), in -> {
                Compound.Result result = Compound.decodeResult(in);
                count(result.status());
                if (result.operations() > 1) {
                    held.sequences[slot]++;
                }
                return null;
            }));
        }
        for (CompletableFuture<Void> each : calls) {
            await(each);
        }
    }

    /** Asks by each slot of a session for that many octets of a file at once, and waits so long for the answers. */
    public void ask(int session, String file, int octets, long seconds) throws InterruptedException {
        Held held = sessions.get(session);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < held.sequences.length; i++) {
            Sequence.Args sequence =
                    new Sequence.Args(held.made.sessionId(), ++held.sequences[i], i, held.sequences.length - 1, false);
            RpcCall call = new RpcCall(Compound.PROGRAM, Compound.VERSION, Compound.PROC_COMPOUND, ROOT);
            Compound.encodeArgs(call.arguments(), new Compound.Args("", 1, 4));
            Sequence.encodeArgs(call.arguments(), sequence);
            PutRootFh.encodeArgs(call.arguments());
            Lookup.encodeArgs(call.arguments(), new Lookup.Args(file));
            Read.encodeArgs(call.arguments(), new Read.Args(StateId.ANONYMOUS, 0, octets));
            calls.add(connection.call(call.maxReplySize(octets + 512), in -> {
                count(Compound.decodeResult(in).status());
                return null;
            }));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
        try {
            all.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            failures++; // which is what the server is to do with such a peer
        }
    }

    /** How often answers did not come. */
    public int failures() {
        return failures;
    }

    private static void fill(XdrWriter out, Sequence.Args sequence, String file, ChannelAttributes granted) {
        Sequence.encodeArgs(out, sequence);
        PutRootFh.encodeArgs(out);
        Lookup.encodeArgs(out, new Lookup.Args(file));
        Read.encodeArgs(out, new Read.Args(StateId.ANONYMOUS, 0, granted.maxResponseSizeCached() - 256));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
