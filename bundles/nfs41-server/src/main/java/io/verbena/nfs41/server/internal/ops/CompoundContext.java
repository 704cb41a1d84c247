package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_BAD_STATEID;
import static io.verbena.nfs41.Status.NFS4ERR_IO;
import static io.verbena.nfs41.Status.NFS4ERR_NOFILEHANDLE;
import static io.verbena.nfs41.Status.NFS4ERR_WRONGSEC;

import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.async.Futures;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.file.Durability;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.session.RequestId;
import io.verbena.nfs41.server.internal.session.Session;
import io.verbena.nfs41.server.internal.session.Slot;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.FoundObject;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.rpc.RpcRequest;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state that the operations of one COMPOUND share: current and saved filehandle and stateid, session, caller (RFC
 * 8881 section 16.2.3.1). One thread at a time uses it.
 */
final class CompoundContext {
    private static final Logger LOG = LoggerFactory.getLogger(CompoundContext.class);

    /** The rest of an operation. */
    @FunctionalInterface
    interface Step {
        Status run() throws IOException;
    }

    private final RpcRequest request;
    private final Caller caller;
    private final boolean isAllowed;
    private final int operations;
    private final Runtime runtime;
    private int operationsBehind;
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
    /** What has to be on stable storage before the reply, in the order of the changes. */
    private final Set<Inode> unstable = new LinkedHashSet<>();
    /** The part of that which does not depend on the export's {@code sync}. */
    private final Set<Inode> forced = new LinkedHashSet<>();

    private Runnable undo = () -> {};
    private final Durability durability;
    /** The losses before this COMPOUND has changed anything. */
    private final long lossesBefore;

    /** @param isAllowed whether the request's kind of security is one that the export allows */
    CompoundContext(
            RpcRequest request,
            Caller caller,
            boolean isAllowed,
            int operations,
            Durability durability,
            Runtime runtime) {
        this.isAllowed = isAllowed;
        this.durability = durability;
        this.lossesBefore = durability.losses();
        this.runtime = runtime;
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

    /** Whether the request's kind of security may read and change what the export has. */
    boolean isAllowed() {
        return isAllowed;
    }

    /** The operation with that index is executed. */
    void begin(int index) {
        operationsBehind = operations - index - 1;
    }

    /** How many operations follow the present one. */
    int operationsBehind() {
        return operationsBehind;
    }

    void enter(Session ofSession, Slot inSlot, Sequence.Args args) {
        session = ofSession;
        slot = inSlot;
        sequence = args;
    }

    /** The identity of this request, from SEQUENCE. */
    RequestId requestId() {
        return new RequestId(sequence.sessionId(), slot, sequence.slotId(), sequence.sequenceId());
    }

    /** Sets an action that is called after the reply; it must not block. */
    void afterReply(Runnable action) {
        afterReply = action;
    }

    void reply() {
        request.reply();
        afterReply.run();
    }

    /** Called by SEQUENCE for the retry of a request whose whole reply is kept. */
    void replay(byte[] reply) {
        replay = reply;
    }

    /** Called by SEQUENCE for the retry of a request whose reply is not kept. */
    void refuseRetry() {
        retryRefused = true;
    }

    boolean isRetryRefused() {
        return retryRefused;
    }

    /** The kept reply, which is sent instead of executing the request, or null. */
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

    /**
     * The current filehandle's object, to be read or changed.
     *
     * @throws NfsError {@code WRONGSEC} if the request's kind of security is not allowed, in whatever operation
     */
    Inode current() throws NfsError {
        requireCurrent();
        return allowed(current);
    }

    private Inode allowed(Inode inode) throws NfsError {
        if (!isAllowed) {
            throw new NfsError(NFS4ERR_WRONGSEC);
        }
        return inode;
    }

    /** Requires a current filehandle, of which nothing is read. */
    void requireCurrent() throws NfsError {
        if (current == null) {
            throw new NfsError(NFS4ERR_NOFILEHANDLE);
        }
    }

    /** The attributes of the current object, if the operation before has read them; else null. */
    UnixAttributes currentAttributes() {
        return currentAttributes;
    }

    void setCurrent(Inode inode) {
        current = inode;
        currentAttributes = null;
        currentStateId = null;
    }

    void setCurrent(FoundObject found) {
        setCurrent(found.inode());
        currentAttributes = found.attributes();
    }

    /** Called after a change of the current object, if only of its time of access: its attributes are read anew. */
    void changed() {
        currentAttributes = null;
    }

    void clearCurrent() {
        setCurrent((Inode) null);
    }

    /** The saved filehandle's object, as {@link #current}. */
    Inode saved() throws NfsError {
        requireSaved();
        return allowed(saved);
    }

    /** Requires a saved filehandle, of which nothing is read. */
    void requireSaved() throws NfsError {
        if (saved == null) {
            throw new NfsError(NFS4ERR_NOFILEHANDLE);
        }
    }

    void save() throws NfsError {
        requireCurrent();
        saved = current;
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

    /** Resolves a stateid of the arguments, which may stand for the current one. */
    StateId resolve(StateId given) throws NfsError {
        if (!given.equals(StateId.CURRENT)) {
            return given;
        }
        if (currentStateId == null) {
            throw new NfsError(NFS4ERR_BAD_STATEID);
        }
        return currentStateId;
    }

    /** The index of the next result that may have a chunk of its own: chunks are matched by position. */
    int nextDataItem() {
        return request.results().items().size();
    }

    /**
     * Executes a step that may block for long on a worker: at once if this thread is a worker, else the COMPOUND
     * continues on one.
     *
     * @return the value that the operation returns
     */
    Status onWorker(Step rest) throws IOException {
        if (onWorker) {
            return rest.run();
        }
        step = rest;
        return null;
    }

    /** Executes a step here if it does not block, else as {@link #onWorker}. */
    Status here(boolean isQuick, Step rest) throws IOException {
        return isQuick ? rest.run() : onWorker(rest);
    }

    /**
     * Executes a step on a worker once a condition is complete; no thread waits meanwhile.
     *
     * @param condition fails with an IOException
     * @return the value that the operation returns
     */
    Status when(CompletableFuture<Void> condition, Step rest) throws IOException {
        return when(condition, rest, failure -> {});
    }

    /**
     * Has changed objects brought to stable storage before the COMPOUND is answered, each once for all operations: see
     * {@link Durability#persist}. If that fails, the first operation that has called this method is answered with
     * NFS4ERR_IO, and later ones are not answered.
     *
     * @param onFailure called if that fails, before the reply
     */
    void persistBeforeReply(Runnable onFailure, Inode... changed) {
        unstable.addAll(List.of(changed));
        Runnable earlier = undo;
        undo = () -> {
            onFailure.run();
            earlier.run();
        };
    }

    /** As {@link #persistBeforeReply}, of written data, whether or not the export is {@code sync}. */
    void forceBeforeReply(Inode written) {
        forced.add(written);
    }

    /** Whether anything has to be brought to stable storage before the reply. */
    boolean isUnstable() {
        return !unstable.isEmpty() || !forced.isEmpty();
    }

    /** Begins to bring to stable storage what has to be there before the reply. Does not block. */
    CompletableFuture<Void> persist() {
        return durability.persist(lossesBefore, unstable, forced);
    }

    /**
     * Executes a step once changed objects are on stable storage: see {@link Durability#persist}.
     *
     * @return the value that the operation returns
     */
    Status whenPersistent(Step rest, Inode... changed) throws IOException {
        return when(durability.persist(lossesBefore, changed), rest);
    }

    /** Takes back changes of state that the client must not be told of. */
    void undo() {
        undo.run();
    }

    /**
     * As {@link #when(CompletableFuture, Step)}.
     *
     * @param undo called if the condition has failed, before the operation fails
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

    /**
     * The failure of a condition, or null. If a change was made but did not reach stable storage, the result is an I/O
     * error, and the client must not repeat the request.
     */
    private IOException failure(CompletableFuture<Void> condition) {
        try {
            Void unused = Futures.join(condition, runtime);
            return null;
        } catch (CompletionException e) {
            LOG.debug("The changes of a request could not be brought to stable storage", e);
            return new NfsError(NFS4ERR_IO);
        }
    }

    /** The condition that the rest of the operation waits for; null if the rest can be executed at once. */
    CompletableFuture<Void> takeAwaited() {
        CompletableFuture<Void> taken = awaited;
        awaited = null;
        return taken;
    }

    /** The step that was left to a worker; called on that worker. */
    Step enterWorker() {
        onWorker = true;
        Step rest = step;
        step = null;
        return rest;
    }
}
