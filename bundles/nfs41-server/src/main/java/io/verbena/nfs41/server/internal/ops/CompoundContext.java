package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_BAD_STATEID;
import static io.verbena.nfs41.Status.NFS4ERR_IO;
import static io.verbena.nfs41.Status.NFS4ERR_NOFILEHANDLE;

import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.state.Client;
import io.verbena.nfs41.server.internal.state.RequestId;
import io.verbena.nfs41.server.internal.state.Session;
import io.verbena.nfs41.server.internal.state.Slot;
import io.verbena.nfs41.server.internal.vfs.Caller;
import io.verbena.nfs41.server.internal.vfs.Found;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import io.verbena.nfs41.server.internal.vfs.UnixAttributes;
import io.verbena.rpc.RpcRequest;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the operations of one COMPOUND share (RFC 8881 section 16.2.3.1). On one thread at a time. */
final class CompoundContext {
    private static final Logger LOG = LoggerFactory.getLogger(CompoundContext.class);

    /** The rest of an operation. */
    @FunctionalInterface
    interface Step {
        Status run() throws IOException;
    }

    private final RpcRequest request;
    private final Caller caller;
    private final int operations;
    private Session session;
    private Slot slot;
    private Sequence.Args sequence;
    private Inode current;
    private UnixAttributes currentAttributes;
    private Inode saved;
    private StateId currentStateId;
    private StateId savedStateId;
    private byte[] replay;
    private boolean retryRefused;
    private boolean onWorker;
    private Step step;
    private CompletableFuture<Void> awaited;
    private Runnable afterReply = () -> {};

    CompoundContext(RpcRequest request, Caller caller, int operations) {
        this.request = request;
        this.caller = caller;
        this.operations = operations;
    }

    RpcRequest request() {
        return request;
    }

    Caller caller() {
        return caller;
    }

    /** How many operations the COMPOUND has. */
    int operations() {
        return operations;
    }

    void enter(Session ofSession, Slot inSlot, Sequence.Args args) {
        session = ofSession;
        slot = inSlot;
        sequence = args;
    }

    /** This request, as SEQUENCE has told. */
    RequestId requestId() {
        return new RequestId(sequence.sessionId(), slot, sequence.slotId(), sequence.sequenceId());
    }

    /** What is to be done when the client has been answered; it must not block. */
    void afterReply(Runnable action) {
        afterReply = action;
    }

    void reply() {
        request.reply();
        afterReply.run();
    }

    /** SEQUENCE has found that this is a retry of a request whose whole reply is kept. */
    void replay(byte[] reply) {
        replay = reply;
    }

    /** SEQUENCE has found that this is a retry of a request whose reply is not kept. */
    void refuseRetry() {
        retryRefused = true;
    }

    boolean isRetryRefused() {
        return retryRefused;
    }

    /** The reply to give instead of executing, or null. */
    byte[] takeReplay() {
        return replay;
    }

    /** Null in a COMPOUND without SEQUENCE. */
    Session session() {
        return session;
    }

    Slot slot() {
        return slot;
    }

    boolean cacheThis() {
        return sequence.cacheThis();
    }

    Client client() {
        return session.client();
    }

    /** The current filehandle's object. */
    Inode current() throws NfsError {
        if (current == null) {
            throw new NfsError(NFS4ERR_NOFILEHANDLE);
        }
        return current;
    }

    /** The attributes that the object was found with by the operation before, or null. */
    UnixAttributes currentAttributes() {
        return currentAttributes;
    }

    void setCurrent(Inode inode) {
        current = inode;
        currentAttributes = null;
        currentStateId = null;
    }

    void setCurrent(Found found) {
        setCurrent(found.inode());
        currentAttributes = found.attributes();
    }

    /** The current object has been changed. */
    void changed() {
        currentAttributes = null;
    }

    void clearCurrent() {
        setCurrent((Inode) null);
    }

    Inode saved() throws NfsError {
        if (saved == null) {
            throw new NfsError(NFS4ERR_NOFILEHANDLE);
        }
        return saved;
    }

    void save() throws NfsError {
        saved = current();
        savedStateId = currentStateId;
    }

    void restore() {
        setCurrent(saved);
        currentStateId = savedStateId;
    }

    /** The current stateid (RFC 8881 section 16.2.3.1.2). */
    void setStateId(StateId stateId) {
        currentStateId = stateId;
    }

    /** What a stateid in the arguments stands for. */
    StateId resolve(StateId given) throws NfsError {
        if (!given.equals(StateId.CURRENT)) {
            return given;
        }
        if (currentStateId == null) {
            throw new NfsError(NFS4ERR_BAD_STATEID);
        }
        return currentStateId;
    }

    /** The index of the next result that may have a chunk of its own: they go by position. */
    int nextDataItem() {
        return request.results().items().size();
    }

    /**
     * Does what may block for long on a worker: at once where this is one, else the COMPOUND goes on there.
     *
     * @return what an operation is to return
     */
    Status onWorker(Step rest) throws IOException {
        if (onWorker) {
            return rest.run();
        }
        step = rest;
        return null;
    }

    /**
     * Goes on, on a worker, once something is done; no thread waits meanwhile.
     *
     * @param condition fails with an IOException
     * @return what an operation is to return
     */
    Status when(CompletableFuture<Void> condition, Step rest) throws IOException {
        return when(condition, rest, failure -> {});
    }

    /**
     * As {@link #when(CompletableFuture, Step)}.
     *
     * @param undo called where the condition has failed, before the operation does
     */
    Status when(CompletableFuture<Void> condition, Step rest, Consumer<IOException> undo) throws IOException {
        Step whole = () -> {
            IOException failure = failure(condition);
            if (failure != null) {
                undo.accept(failure);
                throw failure;
            }
            return rest.run();
        };
        if (condition.isDone()) {
            return whole.run();
        }
        awaited = condition;
        step = whole;
        return null;
    }

    /** A change that is made but not on stable storage is neither refused nor to be tried again: it is an I/O error. */
    private static IOException failure(CompletableFuture<Void> condition) {
        try {
            condition.join();
            return null;
        } catch (CompletionException e) {
            LOG.debug("What a request has changed could not be brought to stable storage", e);
            return new NfsError(NFS4ERR_IO);
        }
    }

    /** What the rest of the operation waits for, or null where it can be done at once. */
    CompletableFuture<Void> takeAwaited() {
        CompletableFuture<Void> taken = awaited;
        awaited = null;
        return taken;
    }

    /** What was left to a worker. */
    Step enterWorker() {
        onWorker = true;
        Step rest = step;
        step = null;
        return rest;
    }
}
