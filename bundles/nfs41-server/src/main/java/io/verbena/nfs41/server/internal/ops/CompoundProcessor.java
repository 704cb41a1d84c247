package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.*;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.async.Futures;
import io.verbena.nfs41.server.internal.file.DataLostException;
import io.verbena.nfs41.server.internal.file.Durability;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.LocalUser;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.RpcRequest;
import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes COMPOUND procedures, operation by operation (RFC 8881 section 16.2). Thread safe. */
public final class CompoundProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(CompoundProcessor.class);

    /** The octets of an RPC reply before the results: those of an accepted reply with an empty verifier. */
    private static final int RPC_HEADER = 24;

    /** The most octets in the result of an operation that changes something. */
    private static final int CHANGING_RESULT = 160;

    private final OperationTable operations;
    private final Squash squash;
    private final ExportSecurity security;
    private final FairQueue workers;
    private final Durability durability;
    private final Runtime runtime;
    private final LongAdder compounds = new LongAdder();
    private final LongAdder executed = new LongAdder();
    private final LongAdder failed = new LongAdder();

    @GuardedBy("this")
    private int underWay;

    /** Completed when no COMPOUND is under way; null while no thread waits. */
    @GuardedBy("this")
    private CompletableFuture<Void> idle;

    /**
     * @param workers execute steps that may block for long
     * @param atOnce how many COMPOUNDs the workers execute at a time
     * @param durability brings to stable storage what a COMPOUND has changed, before its reply
     */
    public CompoundProcessor(
            OperationTable operations,
            Squash squash,
            ExportSecurity security,
            Executor workers,
            int atOnce,
            Durability durability,
            Runtime runtime) {
        this.durability = durability;
        this.operations = operations;
        this.squash = squash;
        this.security = security;
        this.workers = new FairQueue(workers, atOnce);
        this.runtime = runtime;
    }

    public long compounds() {
        return compounds.sum();
    }

    public long operations() {
        return executed.sum();
    }

    public long failures() {
        return failed.sum();
    }

    /** How many COMPOUNDs wait for a worker. */
    public int waiting() {
        return workers.waiting();
    }

    /** Answers that a COMPOUND may be sent again later; nothing of it is executed. */
    public void delay(RpcRequest request) throws XdrException {
        Compound.Args head = Compound.decodeArgs(request.arguments());
        XdrWriter out = request.results();
        int at = Compound.encodeResult(out, head.tag());
        if (head.operations() > 0) {
            Compound.encodeFailure(out, request.arguments().getInt(), NFS4ERR_DELAY);
        }
        Compound.finishResult(out, at, head.tag(), NFS4ERR_DELAY, Math.min(head.operations(), 1));
        request.reply();
    }

    /**
     * Answers a COMPOUND, now or later.
     *
     * @param user for whom it is executed, before squashing; empty for the anonymous user
     */
    public void process(RpcRequest request, Optional<LocalUser> user) throws XdrException {
        compounds.increment();
        Compound.Args head = Compound.decodeArgs(request.arguments());
        XdrWriter out = request.results();
        if (head.minorVersion() != Compound.MINOR_VERSION) {
            int at = Compound.encodeResult(out, head.tag());
            Compound.finishResult(out, at, head.tag(), NFS4ERR_MINOR_VERS_MISMATCH, 0);
            request.reply();
            return;
        }
        CompoundContext context = new CompoundContext(
                request,
                squash.map(user),
                security.allows(request.credential()),
                head.operations(),
                durability,
                runtime);
        Run run = new Run(context, head);
        begun();
        try {
            run.run();
        } catch (Throwable e) {
            run.releaseSlot();
            throw e;
        }
    }

    private synchronized void begun() {
        underWay++;
    }

    private void ended() {
        CompletableFuture<Void> reached = null;
        synchronized (this) {
            underWay--;
            if (underWay == 0) {
                reached = idle;
                idle = null;
            }
        }
        if (reached != null) {
            reached.complete(null);
        }
    }

    /**
     * Waits until no thread executes a COMPOUND. An interrupt does not shorten the wait.
     *
     * @param deadline on the runtime's clock
     * @return false if a COMPOUND is still under way then
     */
    public boolean awaitIdle(long deadline) {
        CompletableFuture<Void> reached;
        synchronized (this) {
            if (underWay == 0) {
                return true;
            }
            if (idle == null) {
                idle = new CompletableFuture<>();
            }
            reached = idle;
        }
        return Closing.awaitEnd(runtime, reached, deadline);
    }

    /** One COMPOUND under way. */
    private final class Run {
        private final CompoundContext context;
        private final String tag;
        private final XdrReader in;
        private final XdrWriter out;
        private final int headAt;
        private final AtomicBoolean isEnded = new AtomicBoolean();
        private boolean isSlotComplete;
        private int index;
        private int opcode;
        private int operationAt;
        private Status status = NFS4_OK;
        /** The first operation whose change has to be on stable storage before the reply; -1 without one. */
        private int unstableIndex = -1;

        private int unstableAt;
        private int unstableOpcode;

        Run(CompoundContext context, Compound.Args head) {
            this.context = context;
            this.tag = head.tag();
            this.in = context.request().arguments();
            this.out = context.request().results();
            this.headAt = Compound.encodeResult(out, tag);
        }

        void run() throws XdrException {
            while (status.isOk() && index < context.operations()) {
                operationAt = out.position();
                opcode = in.getInt();
                Status result = guarded(this::execute);
                if (result == null) {
                    leaveToWorker();
                    return;
                }
                finishOperation(result);
                if (replayed()) {
                    return;
                }
            }
            finish();
        }

        private void leaveToWorker() {
            CompletableFuture<Void> awaited = context.takeAwaited();
            if (awaited != null) {
                // the operation has made its change: it is answered, also while the export is being closed
                Futures.whenDone(
                        awaited,
                        thrown -> resume(),
                        (done, failure) -> workers.execute(context.request().peer(), this::resume));
                return;
            }
            boolean taken = workers.offer(context.request().peer(), this::resume);
            if (!taken) {
                finishOperation(fail(NFS4ERR_DELAY));
                finish();
            }
        }

        private void resume() {
            try {
                Status result = guarded(context.enterWorker());
                if (result == null) {
                    leaveToWorker();
                    return;
                }
                finishOperation(result);
                run();
            } catch (XdrException e) {
                fail(AcceptStatus.GARBAGE_ARGS);
            } catch (Throwable e) {
                LOG.error("A COMPOUND could not be answered", e);
                fail(AcceptStatus.SYSTEM_ERR);
            }
        }

        private void fail(AcceptStatus why) {
            try {
                context.request().fail(why);
            } finally {
                releaseSlot();
            }
        }

        private void releaseSlot() {
            if (context.slot() != null && !isSlotComplete) { // else another request may hold it by now
                isSlotComplete = true;
                context.slot().complete(null);
            }
            end();
        }

        private void end() {
            if (!isEnded.getAndSet(true)) {
                ended();
            }
        }

        private Status execute() throws IOException {
            if (context.isRetryRefused()) {
                throw new NfsError(NFS4ERR_RETRY_UNCACHED_REP);
            }
            operations.checkPosition(opcode, index, context.operations(), context.session() != null);
            if (operations.isChanging(opcode)) {
                requireRoom(CHANGING_RESULT);
            }
            context.begin(index);
            return operations.get(opcode).execute(context, in, out);
        }

        private Status guarded(CompoundContext.Step step) {
            try {
                return step.run();
            } catch (XdrException e) {
                return fail(NFS4ERR_BADXDR);
            } catch (IOException e) {
                Status mapped = IoErrors.status(e);
                if (mapped == NFS4ERR_IO) {
                    LOG.warn("{} failed", Opcode.name(opcode), e);
                }
                return fail(mapped);
            } catch (Throwable e) {
                LOG.error("{} failed unexpectedly", Opcode.name(opcode), e);
                return fail(NFS4ERR_SERVERFAULT);
            }
        }

        private Status fail(Status failure) {
            out.truncate(operationAt);
            if (opcode == Opcode.SETATTR) {
                SetAttr.encodeResult(out, new SetAttr.Result(failure, AttributeMask.EMPTY));
            } else {
                int answered = Opcode.isDefined(opcode) ? opcode : Opcode.ILLEGAL;
                Compound.encodeFailure(out, answered, failure);
            }
            return failure;
        }

        private void finishOperation(Status result) {
            executed.increment();
            if (unstableIndex < 0 && context.isUnstable()) {
                unstableIndex = index;
                unstableAt = operationAt;
                unstableOpcode = opcode;
            }
            index++;
            status = result;
            try {
                requireRoom(0);
            } catch (NfsError e) {
                status = fail(e.status());
            }
            if (!status.isOk()) {
                failed.increment();
            }
        }

        private void requireRoom(int more) throws NfsError {
            if (context.session() == null) {
                return;
            }
            long size = out.fullSize() + RPC_HEADER + more;
            if (size > context.session().fore().maxResponseSize()) {
                throw new NfsError(NFS4ERR_REP_TOO_BIG);
            }
            if (context.cacheThis() && size > context.session().fore().maxResponseSizeCached()) {
                throw new NfsError(NFS4ERR_REP_TOO_BIG_TO_CACHE);
            }
        }

        /** Sends the kept reply if SEQUENCE has recognized a retry: that reply is the whole answer. */
        private boolean replayed() {
            byte[] reply = context.takeReplay();
            if (reply == null) {
                return false;
            }
            out.truncate(headAt);
            out.putFixedOpaque(reply);
            context.request().reply();
            end();
            return true;
        }

        private void finish() {
            if (unstableIndex < 0) {
                answer();
                return;
            }
            CompletableFuture<Void> stable = context.persist();
            if (stable.isDone()) {
                answer(stable);
                return;
            }
            // the changes are made: they are answered, also while the export is being closed
            Futures.whenDone(
                    stable,
                    thrown -> answer(stable),
                    (done, failure) -> workers.execute(context.request().peer(), () -> answer(stable)));
        }

        /** Answers once it is known whether the changes are on stable storage. */
        private void answer(CompletableFuture<Void> stable) {
            try {
                if (stable.isCompletedExceptionally()) {
                    LOG.debug("The changes of a request could not be brought to stable storage");
                    context.undo();
                    operationAt = unstableAt;
                    opcode = unstableOpcode;
                    index = unstableIndex + 1;
                    status = fail(mayWriteAgain(stable) ? NFS4ERR_DELAY : NFS4ERR_IO);
                    failed.increment();
                }
                answer();
            } catch (Throwable e) {
                LOG.error("A COMPOUND could not be answered", e);
                fail(AcceptStatus.SYSTEM_ERR);
            }
        }

        /** The data of this WRITE may be lost, and perhaps is not: the client writes again in any case. */
        private boolean mayWriteAgain(CompletableFuture<Void> stable) {
            Throwable thrown = stable.handle((done, failure) -> failure).getNow(null); // which is done
            Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
            return unstableOpcode == Opcode.WRITE && cause instanceof DataLostException;
        }

        private void answer() {
            Compound.finishResult(out, headAt, tag, status, index);
            if (context.slot() != null) {
                boolean cached = context.cacheThis() || index == 1;
                byte[] kept = cached ? out.toByteArray() : null;
                context.session().answered(runtime.nanoTime());
                isSlotComplete = true;
                context.slot().complete(kept);
            }
            context.reply();
            end();
        }
    }
}
