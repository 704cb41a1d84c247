package io.verbena.nfs41.client.internal.testing;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockDenied;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpc.TransportLostException;
import io.verbena.runtime.SystemRuntime;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A server of one file, in memory, that answers on a thread of its own and does on request what real ones do rarely:
 * fail an operation, restart, lose a reply. Messages are bytes, as on the wire.
 */
public final class FakeServer implements RpcTransport, AutoCloseable {
    public static final FileHandle HANDLE = FileHandle.of((byte) 1, (byte) 2);
    public static final int SLOTS = 4;
    public static final int MAX_OPERATIONS = 16;

    private static final SessionId FIRST_SESSION = new SessionId(7, 1);
    private static final ChannelAttributes LIMITS =
            new ChannelAttributes(0, 66_000, 66_000, 4096, MAX_OPERATIONS, SLOTS, Optional.empty());

    /** A request as the server saw it. */
    public record Seen(int slot, int sequence, List<Integer> opcodes) {}

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Map<Integer, Deque<Status>> failures = new ConcurrentHashMap<>();
    private final Deque<Optional<RpcException>> lost = new ConcurrentLinkedDeque<>();
    private final Deque<RpcException> refusals = new ConcurrentLinkedDeque<>();
    /** The calls that were refused. */
    public final List<byte[]> refused = new CopyOnWriteArrayList<>();

    public final List<Seen> seen = new CopyOnWriteArrayList<>();
    public final byte[] content = new byte[1 << 20];
    public volatile int size;
    public final AtomicLong verifier = new AtomicLong(1);
    public volatile long fileSystem = 1;
    /** The fileid of each object; 0 for none. */
    public volatile long fileId;

    public volatile int maxWrite = Integer.MAX_VALUE;
    /** Whether the current stateid is known, as RFC 8881 section 16.2.3.1.2 requires. */
    public volatile boolean hasCurrentStateId = true;

    final AtomicLong clientId = new AtomicLong(1);
    public volatile SessionId session = FIRST_SESSION;
    public volatile StateId stateId = new StateId(1, 1, 1);
    public volatile boolean forgetsUncommitted;
    /** What each connection has found out. */
    public volatile Map<String, String> learned = Map.of();

    public volatile Map<String, String> settings =
            Map.of("provider", "fake", "providerChoice", "auto: fake0 has a route", "crc", "on");
    public volatile AttributeMask supported = AttributeMask.EMPTY;
    public volatile AttributeMask settableInExclusiveCreate = AttributeMask.EMPTY;
    /** What was set by SETATTR. */
    public final List<Attributes> set = new CopyOnWriteArrayList<>();
    /** A connection is lost with each request, and with each reply, that is longer. */
    public volatile int carries = Integer.MAX_VALUE;
    /** How many were lost so. */
    public final AtomicInteger cut = new AtomicInteger();
    /** How often the connection was asked to be made anew. */
    public final AtomicInteger reconnects = new AtomicInteger();
    /** Each COMMIT tells that all was lost. */
    public volatile boolean losesAlways;
    /** What a mount finds is no directory. */
    public volatile boolean exportsFile;
    /** Of the flags that a client asks for, those it gets with a session. */
    public volatile int sessionFlags;
    /** What each SEQUENCE tells of states and paths. */
    public volatile int statusFlags;
    /** What each SEQUENCE tells of the slots wished for. */
    public volatile int targetSlot = SLOTS - 1;
    /** What is added to a slot's number in answers. */
    public volatile int wrongSlot;
    /** How the last connection was asked for. */
    public volatile ConnectOptions connectedWith;
    /** How each connection was asked for. */
    public final List<ConnectOptions> asked = new CopyOnWriteArrayList<>();
    /** The last session asked for. */
    public volatile CreateSession.Args created;
    /** Done when a request comes, before it has to wait for anything. */
    public volatile Runnable onRequest = () -> {};
    /** Done with each SEQUENCE that is executed. */
    public volatile Runnable onSequence = () -> {};
    /** Done as a connection is closed. */
    public volatile Runnable onClose = () -> {};
    /** Done before a session is granted. */
    public volatile Runnable beforeSession = () -> {};
    /** Each BIND_CONN_TO_SESSION, once it is executed. */
    public final BlockingQueue<BindConnToSession.Args> binds = new LinkedBlockingQueue<>();
    /** The result flags of each OPEN. */
    public volatile int openFlags;
    /** The names of what is on another server. */
    public final Set<String> moved = ConcurrentHashMap.newKeySet();
    /** Where that is, or null. */
    public volatile FsLocations locations;
    /** What was done to names. */
    public final List<String> named = new CopyOnWriteArrayList<>();
    /** What READDIR brings, a result or a status: at first a directory without an end. */
    public volatile Function<ReadDir.Args, Object> directory = args -> new ReadDir.Result(
            1, List.of(new ReadDir.Entry(args.cookie() + 3, "entry" + args.cookie(), Attributes.EMPTY)), false);
    /** What TEST_STATEID tells of a state; null for what is so. */
    public volatile Function<StateId, Status> judgement = id -> null;
    /** The stateids that were tested. */
    public final List<StateId> tested = new CopyOnWriteArrayList<>();
    /** What stands for locks; null for the same as for opens. */
    public volatile StateId locksStateId;
    /** Each LOCK, once it is come to. */
    public final BlockingQueue<Lock.Args> locked = new LinkedBlockingQueue<>();
    /** Each session that was destroyed. */
    public final BlockingQueue<SessionId> destroyed = new LinkedBlockingQueue<>();
    /** How many have been made. */
    public final AtomicInteger connections = new AtomicInteger();
    /** Requests are answered once it is open. */
    public volatile CountDownLatch gate = new CountDownLatch(0);
    /** Whether it answers nothing: calls end with their time. */
    public volatile boolean silent;
    /** How many calls were made of it, by whatever connection. */
    public final AtomicInteger calls = new AtomicInteger();
    /** The most data items of a call, in its arguments or in its results. */
    public final AtomicInteger mostItems = new AtomicInteger();
    /** It does not know the session of requests with more operations. */
    public volatile int mostOperations = Integer.MAX_VALUE;
    /** What is to be held, or -1. */
    private volatile int heldOpcode = -1;

    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile CountDownLatch go = new CountDownLatch(0);
    /** Open once a file was closed. */
    public final CountDownLatch fileClosed = new CountDownLatch(1);

    public final FakeDelegations delegations = new FakeDelegations();
    private final FakeFiles files = new FakeFiles(this);
    private final FakeReplies slots = new FakeReplies(this);
    /** By name; a name that is not there is that of {@link #HANDLE}. */
    public final Map<String, FileHandle> handles = new ConcurrentHashMap<>();
    /** What ACCESS does not allow. */
    public volatile int denied;
    /** The change attribute. */
    public volatile long change;
    /** The stateids of READ, WRITE and SETATTR. */
    public final List<StateId> used = new CopyOnWriteArrayList<>();

    /** Lets the next operations of that kind fail, but for those with NFS4_OK. */
    public void failNext(int opcode, Status... statuses) {
        failures.computeIfAbsent(opcode, key -> new ConcurrentLinkedDeque<>()).addAll(List.of(statuses));
    }

    /** Takes back what is left of {@link #failNext}. */
    public void failNoMore(int opcode) {
        failures.remove(opcode);
    }

    /** Executes the next request in a session and loses the reply. */
    public void loseNextReply(RpcException instead) {
        lost.add(Optional.of(instead));
    }

    /** Answers so many requests in a session before it loses a reply. */
    public void loseNoReply(int requests) {
        lost.addAll(Collections.nCopies(requests, Optional.empty()));
    }

    /** Refuses the next call without executing anything. */
    public void refuseNext(RpcException refusal) {
        refusals.add(refusal);
    }

    /** Stops before the next operation of that kind is executed, until {@link #letGo}. */
    public void hold(int opcode) {
        held = new CountDownLatch(1);
        go = new CountDownLatch(1);
        heldOpcode = opcode;
    }

    /** Waits until that operation has come. */
    public void awaitHeld() {
        Latches.await(held);
    }

    public void letGo() {
        go.countDown();
    }

    /** What sending throws, or null. */
    public volatile Error error;

    /** Waits until all that was sent so far is executed. */
    public void awaitIdle() {
        CountDownLatch done = new CountDownLatch(1);
        thread.execute(done::countDown);
        Latches.await(done);
    }

    /** How often an operation of that kind was executed: answering once more does not count. */
    public long executed(int opcode) {
        return opcodesSince(0).stream().filter(each -> each == opcode).count();
    }

    StateId lockStateId() {
        StateId own = locksStateId;
        return own == null ? stateId : own;
    }

    public void link(String name, String text) {
        files.link(name, text);
    }

    /** The name is no link any more. */
    public void unlink(String name) {
        files.unlink(name);
    }

    /** Loses clients, sessions, opens and what was not committed. */
    public void restart() {
        session = new SessionId(7, clientId.incrementAndGet());
        stateId = new StateId(1, 1, (int) clientId.get());
        verifier.incrementAndGet();
        delegations.held.clear();
    }

    public List<Integer> opcodesSince(int from) {
        return seen.stream().skip(from).flatMap(each -> each.opcodes.stream()).toList();
    }

    public NfsMount mount(String options) throws IOException {
        NfsMount mount = NfsMount.create("m", "127.0.0.1", "/", options, this, new DirectMemory(), new SystemRuntime());
        mount.connect(Duration.ofSeconds(20));
        return mount;
    }

    @Override
    public RpcListener listen(ListenOptions options, RpcProgram program) {
        throw new IllegalStateException("only a client's transport");
    }

    @Override
    public RpcConnection connect(ConnectOptions options) {
        connections.incrementAndGet();
        connectedWith = options;
        asked.add(options);
        return new FakeConnection(this);
    }

    /** Has a request answered after those that came before. */
    /** @param claim takes the call from its connection, before a reply is decoded; false where the call has ended */
    <T> void take(byte[] request, ReplyDecoder<T> decoder, CompletableFuture<T> result, BooleanSupplier claim) {
        thread.execute(() -> answer(request, decoder, result, claim));
    }

    private <T> void answer(
            byte[] request, ReplyDecoder<T> decoder, CompletableFuture<T> result, BooleanSupplier claim) {
        try {
            onRequest.run();
            gate.await();
            if (request.length > carries) {
                cut(result);
                return;
            }
            RpcException refusal = refusals.poll();
            if (refusal != null) {
                refused.add(request);
                result.completeExceptionally(refusal);
                return;
            }
            XdrReader in = new XdrReader(ByteBuffer.wrap(request));
            RpcMessages.readCall(in);
            XdrWriter out = new XdrWriter();
            boolean inSession = compound(in, out);
            Optional<RpcException> next = inSession ? lost.poll() : null;
            RpcException instead = next == null ? null : next.orElse(null);
            if (out.fullSize() > carries) {
                cut(result);
            } else if (instead != null) {
                result.completeExceptionally(instead);
            } else if (claim.getAsBoolean()) {
                result.complete(decoder.decode(new XdrReader(ByteBuffer.wrap(out.toByteArray()))));
            }
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    private void cut(CompletableFuture<?> result) {
        cut.incrementAndGet();
        result.completeExceptionally(new TransportLostException("cut off", null));
    }

    private boolean compound(XdrReader in, XdrWriter out) throws IOException {
        Compound.Args head = Compound.decodeArgs(in);
        int at = Compound.encodeResult(out, head.tag());
        List<Integer> opcodes = new ArrayList<>();
        Status status = Status.NFS4_OK;
        int done = 0;
        Sequence.Args sequence = null;
        while (done < head.operations() && status.isOk()) {
            int opcode = in.getInt();
            opcodes.add(opcode);
            done++;
            if (opcode == Opcode.SEQUENCE) {
                sequence = Sequence.decodeArgs(in);
                Status failure = failureOf(Opcode.SEQUENCE);
                status = slots.sequence(
                        sequence, out, head.operations() > mostOperations ? Status.NFS4ERR_BADSESSION : failure);
                if (status == null) {
                    seen.add(new Seen(sequence.slotId(), sequence.sequenceId(), List.of(Opcode.SEQUENCE)));
                    out.reset();
                    slots.repeat(sequence, head.operations() > 1 ? in.getInt() : Opcode.ILLEGAL, out);
                    return true;
                }
            } else {
                status = execute(opcode, in, out);
            }
        }
        Compound.finishResult(out, at, head.tag(), status, done);
        seen.add(new Seen(
                sequence == null ? -1 : sequence.slotId(), sequence == null ? 0 : sequence.sequenceId(), opcodes));
        if (sequence != null && opcodes.size() + (status.isOk() ? 1 : 0) > 1) {
            slots.keep(sequence.slotId(), out.toByteArray());
        }
        return sequence != null;
    }

    private Status failureOf(int opcode) {
        Deque<Status> queue = failures.get(opcode);
        Status next = queue == null ? null : queue.poll();
        return next == Status.NFS4_OK ? null : next;
    }

    private Status execute(int opcode, XdrReader in, XdrWriter out) throws IOException {
        if (opcode == heldOpcode) {
            heldOpcode = -1;
            held.countDown();
            Latches.await(go);
        }
        Status failure = failureOf(opcode);
        switch (opcode) {
            case Opcode.EXCHANGE_ID -> {
                ExchangeId.decodeArgs(in);
                ExchangeId.encodeResult(
                        out,
                        new ExchangeId.Result(
                                clientId.get(),
                                1,
                                0,
                                StateProtection.NONE,
                                0,
                                Opaque.of("fake"),
                                Opaque.of("fake"),
                                Optional.empty()));
            }
            case Opcode.CREATE_SESSION -> {
                CreateSession.Args args = CreateSession.decodeArgs(in);
                if (args.clientId() != clientId.get()) {
                    failure = Status.NFS4ERR_STALE_CLIENTID;
                } else {
                    created = args;
                    beforeSession.run();
                    session = new SessionId(session.high() + 1, clientId.get());
                    CreateSession.encodeResult(
                            out,
                            new CreateSession.Result(
                                    session, args.sequenceId(), args.flags() & sessionFlags, LIMITS, LIMITS));
                }
            }
            case Opcode.BIND_CONN_TO_SESSION -> {
                BindConnToSession.Args args = BindConnToSession.decodeArgs(in);
                if (failure == null) {
                    BindConnToSession.encodeResult(
                            out,
                            new BindConnToSession.Result(args.sessionId(), BindConnToSession.Direction.BOTH, false));
                }
                binds.add(args);
            }
            case Opcode.RECLAIM_COMPLETE -> {
                ReclaimComplete.decodeArgs(in);
                ReclaimComplete.encodeResult(out);
            }
            case Opcode.DESTROY_SESSION -> {
                destroyed.add(DestroySession.decodeArgs(in).sessionId());
                DestroySession.encodeResult(out);
            }
            case Opcode.DESTROY_CLIENTID -> {
                DestroyClientId.decodeArgs(in);
                DestroyClientId.encodeResult(out);
            }
            default -> failure = files.execute(opcode, in, out, failure);
        }
        if (failure == null) {
            return Status.NFS4_OK;
        }
        if (opcode == Opcode.LOCK && failure == Status.NFS4ERR_DENIED) {
            StateOwner somebody = new StateOwner(1, Opaque.of("somebody"));
            Lock.encodeDenied(out, new LockDenied(0, -1, LockType.WRITE_LT, somebody));
        } else if (opcode == Opcode.SETATTR) {
            SetAttr.encodeResult(out, new SetAttr.Result(failure, AttributeMask.EMPTY));
        } else {
            Compound.encodeFailure(out, opcode, failure);
        }
        return failure;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
