package io.verbena.nfs41.client.internal.file;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.CreateVerifier;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.names.Namespace;
import io.verbena.nfs41.client.internal.names.PathOperations;
import io.verbena.nfs41.client.internal.names.PathWalk;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.ExportRoot;
import io.verbena.nfs41.client.internal.state.Delegations;
import io.verbena.nfs41.client.internal.state.LockWaiters;
import io.verbena.nfs41.client.internal.state.OpenState;
import io.verbena.nfs41.client.internal.state.OpenStates;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens files: translates the open options of java.nio to OPEN. Thread safe. */
public final class Opener {
    private static final Logger LOG = LoggerFactory.getLogger(Opener.class);
    private static final Set<OpenOption> KNOWN = Set.of(
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.APPEND,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.CREATE,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.SPARSE,
            StandardOpenOption.DSYNC,
            StandardOpenOption.SYNC);

    /** The modes of a file that {@link #create} leaves open. */
    private static final OpenModes MADE =
            new OpenModes(false, true, false, false, OpenModes.Creation.ALWAYS, StableHow.UNSTABLE4);

    private final CompoundCaller caller;
    private final ExportRoot root;
    private final Namespace namespace;
    private final OpenStates states;
    private final Delegations delegations;
    private final LockWaiters lockWaiters;
    private final SharedFileStates cores;
    private final FileContext context;
    private final Opaque ownerPrefix;
    private final Map<NfsFile, OpenState> files = new ConcurrentHashMap<>();
    private final AtomicLong opened = new AtomicLong();

    public Opener(
            CompoundCaller caller,
            Namespace namespace,
            OpenStates states,
            SharedFileStates cores,
            FileContext context,
            Opaque ownerPrefix) {
        this.caller = caller;
        this.root = context.root();
        this.namespace = namespace;
        this.states = states;
        this.delegations = context.delegations();
        this.lockWaiters = context.lockWaiters();
        this.cores = cores;
        this.context = context;
        this.ownerPrefix = ownerPrefix;
    }

    public CompletableFuture<NfsFile> open(String path, Set<? extends OpenOption> options, int mode) {
        return open(path, PathWalk.Last.NAMED_FOLLOWED, null, options, mode);
    }

    /** @param directory that holds the name, or null for whichever the path leads to */
    public CompletableFuture<NfsFile> open(
            String path, FileKey directory, Set<? extends OpenOption> options, int mode) {
        return open(path, PathWalk.Last.NAMED, directory, options, mode);
    }

    private CompletableFuture<NfsFile> open(
            String path, PathWalk.Last last, FileKey directory, Set<? extends OpenOption> options, int mode) {
        OpenModes modes = modes(options);
        if (modes.write() && caller.settings().isReadOnly()) {
            return CompletableFuture.failedFuture(Errors.readOnly(namespace.shown(path)));
        }
        Opaque owner = nextOwner();
        boolean isNew = modes.creation() == OpenModes.Creation.ALWAYS;
        long verifier = isNew ? verifier(options) : 0;
        boolean mayBeLocal = !isNew
                && last == PathWalk.Last.NAMED_FOLLOWED
                && delegations.mayOpen(namespace.shown(path), modes.access());
        CompletableFuture<NfsFile> local =
                mayBeLocal ? openLocally(path, modes, owner, mode) : CompletableFuture.completedFuture(null);
        return local.thenCompose(file -> file != null
                        ? CompletableFuture.completedFuture(file)
                        : open(path, isNew ? PathWalk.Last.NAMED : last, directory, modes, owner, mode, verifier))
                .exceptionallyCompose(
                        thrown -> CompletableFuture.failedFuture(Errors.withOpens(states.size(), thrown)));
    }

    /** Of an exclusive create: the caller's, or a new one. */
    private long verifier(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            if (option instanceof CreateVerifier verifier) {
                return verifier.value();
            }
        }
        return context.runtime().random().nextLong();
    }

    private Opaque nextOwner() {
        return Opaque.of(ownerPrefix + "/" + opened.incrementAndGet());
    }

    /**
     * What one COMPOUND has made of a new file.
     *
     * @param file the open file, to go on with, where the COMPOUND was not executed to its end; else null
     * @param attributes the attributes of the complete and closed file; else null
     */
    record Made(NfsFile file, Attributes attributes) {}

    /** Creates a file with its content and attributes, as far as one COMPOUND goes: {@link CreateFileOperation}. */
    CompletableFuture<Made> create(
            String path,
            FileKey directory,
            ByteBuffer content,
            BorrowingFuture<?> borrower,
            Attributes changes,
            int mode) {
        Opaque owner = nextOwner();
        CreateFileOperation tail = new CreateFileOperation(owner, content, borrower, changes, mode);
        if (!borrower.begin(tail)) {
            return CompletableFuture.failedFuture(new CancellationException("the operation was given up"));
        }
        long number = delegations.begin();
        return namespace
                .walk(path, PathWalk.Last.NAMED, PathOperations.of(directory, tail))
                .thenApply(created -> made(path, owner, number, created))
                .whenComplete((made, thrown) -> {
                    borrower.end(tail);
                    delegations.answered(number);
                });
    }

    private Made made(String path, Opaque owner, long number, CreateFileOperation.Created created) {
        boolean isComplete = created.attributes() != null;
        boolean isDelegated = created.delegation() instanceof OpenDelegation.ForReading
                || created.delegation() instanceof OpenDelegation.ForWriting;
        if (isComplete && !isDelegated) {
            return new Made(null, created.attributes());
        }
        NfsFile file = file(path, MADE, created.handle(), owner, created.stateId());
        file.state().opened(created.flags());
        delegations.opened(number, file.state(), created.delegation(), null, namespace.shown(path));
        if (isComplete) { // the delegation was not asked for, and outlives the open
            closed(file);
            return new Made(null, created.attributes());
        }
        return new Made(file, null);
    }

    private CompletableFuture<NfsFile> open(
            String path,
            PathWalk.Last last,
            FileKey directory,
            OpenModes modes,
            Opaque owner,
            int mode,
            long verifier) {
        // writes of other opens must not follow the truncation: the size is then set in the order of the writes
        boolean truncatesLater = modes.truncate() && cores.isPending();
        OpenOperation tail =
                new OpenOperation(modes, owner, how(modes, mode, truncatesLater, verifier), delegations.areWanted());
        long number = delegations.begin();
        return namespace
                .walk(path, last, PathOperations.of(directory, tail))
                .thenApply(found -> {
                    lockWaiters.opened(found.flags());
                    NfsFile file = file(path, modes, found.handle(), owner, found.stateId());
                    file.state().opened(found.flags());
                    String shown = namespace.shown(path);
                    delegations.opened(number, file.state(), found.delegation(), found.attributes(), shown);
                    return file;
                })
                .whenComplete((file, thrown) -> delegations.answered(number))
                .thenCompose(file -> modes.creation() == OpenModes.Creation.NEVER
                        ? followUp(file, mode, truncatesLater)
                        : MountLifetime.afterChange(followUp(file, mode, truncatesLater)));
    }

    /**
     * Opens a file by its delegation, if the path still leads to the file and the server grants this user access.
     * Completes with null where OPEN has to be sent, which then reports what is wrong.
     */
    private CompletableFuture<NfsFile> openLocally(String path, OpenModes modes, Opaque owner, int mode) {
        return namespace
                .lookUp(path, modes.read(), modes.write())
                .handle((handle, thrown) -> handle)
                .thenCompose(handle -> {
                    if (handle == null) {
                        return CompletableFuture.completedFuture(null);
                    }
                    NfsFile file = file(path, modes, handle, owner, null);
                    if (delegations.openLocally(file.state())) {
                        return followUp(file, mode, true);
                    }
                    closed(file);
                    return CompletableFuture.completedFuture(null);
                });
    }

    private NfsFile file(String path, OpenModes modes, FileHandle handle, Opaque owner, StateId stateId) {
        String shown = namespace.shown(path);
        OpenState state = new OpenState(caller, delegations, handle, owner, modes.access(), stateId, shown);
        states.add(state);
        SharedFileState core = cores.acquire(handle);
        core.revalidate(); // close-to-open: others may have changed the file since
        NfsFile file = new NfsFile(path, modes, state, core, context, this::closed);
        files.put(file, state);
        return file;
    }

    private void closed(NfsFile file) {
        OpenState state = files.remove(file);
        if (state != null) {
            CompletableFuture<Void> unused = states.remove(state);
            cores.release(file.core());
            delegations.closed(state);
        }
    }

    /** Closes all open files, as far as the server answers within the bound. Blocks. */
    public void closeAll(long timeoutNanos) {
        List<CompletableFuture<Void>> closing =
                files.keySet().stream().map(NfsFile::closeAsync).toList();
        try {
            Blocking.awaitUninterruptibly(
                    context.runtime(),
                    CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)),
                    timeoutNanos);
        } catch (IOException e) {
            LOG.info(
                    "mount {}: the server was not told of all files that they are closed, and does so itself when it"
                            + " lets go of the client: {}",
                    caller.settings().name(),
                    caller.link().why(e));
        }
    }

    /**
     * Sets the attributes that OPEN could not set: the size where OPEN was not sent or does not create; after some
     * exclusive creations the mode, and the times, which hold the verifier until they are set (RFC 8881 section
     * 18.16.3).
     *
     * @param truncates whether OPEN was not asked to set the size
     */
    private CompletableFuture<NfsFile> followUp(NfsFile file, int mode, boolean truncates) {
        Attributes.Builder builder = Attributes.builder();
        OpenModes modes = file.modes();
        if (modes.truncate() && (truncates || modes.creation() == OpenModes.Creation.NEVER)) {
            builder.put(Attribute.SIZE, 0L);
        }
        if (modes.creation() == OpenModes.Creation.ALWAYS) {
            if (!canCreateWith(Attribute.MODE)) {
                builder.put(Attribute.MODE, FileAttributesCodec.mode(mode).get(Attribute.MODE));
            }
            for (Attribute<SetTime> time : List.of(Attribute.TIME_ACCESS_SET, Attribute.TIME_MODIFY_SET)) {
                if (root.supports(time) && !canCreateWith(time)) {
                    builder.put(time, SetTime.SERVER_TIME);
                }
            }
        }
        Attributes changes = builder.build();
        if (changes.mask().isEmpty()) {
            return CompletableFuture.completedFuture(file);
        }
        return file.setAttributes(changes).thenApply(done -> file).exceptionallyCompose(thrown -> file.closeAsync()
                .exceptionally(failed -> null)
                .thenCompose(closed -> CompletableFuture.failedFuture(thrown)));
    }

    private boolean canCreateWith(Attribute<?> attribute) {
        return root.exclusiveCreateAttributes().contains(attribute);
    }

    static OpenModes modes(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            if (!KNOWN.contains(option) && !(option instanceof CreateVerifier)) {
                throw new IllegalArgumentException("a remote file cannot be opened with " + option);
            }
        }
        boolean append = options.contains(StandardOpenOption.APPEND);
        boolean write = append || options.contains(StandardOpenOption.WRITE);
        boolean read = options.contains(StandardOpenOption.READ) || !write;
        boolean truncate = write && options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        if (append && (truncate || options.contains(StandardOpenOption.READ))) {
            throw new IllegalArgumentException("APPEND goes neither with READ nor with TRUNCATE_EXISTING");
        }
        StableHow stable = options.contains(StandardOpenOption.SYNC)
                ? StableHow.FILE_SYNC4
                : options.contains(StandardOpenOption.DSYNC) ? StableHow.DATA_SYNC4 : StableHow.UNSTABLE4;
        OpenModes.Creation creation = !write
                ? OpenModes.Creation.NEVER
                : options.contains(StandardOpenOption.CREATE_NEW)
                                || options.stream().anyMatch(CreateVerifier.class::isInstance)
                        ? OpenModes.Creation.ALWAYS
                        : options.contains(StandardOpenOption.CREATE)
                                ? OpenModes.Creation.WHERE_MISSING
                                : OpenModes.Creation.NEVER;
        return new OpenModes(read, write, append, truncate, creation, stable);
    }

    private OpenHow how(OpenModes modes, int mode, boolean truncatesLater, long verifier) {
        Attributes attributes = FileAttributesCodec.mode(mode);
        return switch (modes.creation()) {
            case NEVER -> new OpenHow.NoCreate();
            case WHERE_MISSING ->
                new OpenHow.Unchecked(
                        modes.truncate() && !truncatesLater
                                ? Attributes.builder()
                                        .put(Attribute.SIZE, 0L)
                                        .put(Attribute.MODE, attributes.get(Attribute.MODE))
                                        .build()
                                : attributes);
            case ALWAYS ->
                new OpenHow.ExclusiveWithAttributes(
                        verifier, canCreateWith(Attribute.MODE) ? attributes : Attributes.EMPTY);
        };
    }
}
