package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens files: what options of java.nio mean in terms of OPEN. */
final class Opener {
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

    private final Requester requester;
    private final Root root;
    private final Namespace namespace;
    private final OpenStates states;
    private final BufferPool pool;
    private final Opaque ownerPrefix;
    private final Map<NfsFile, OpenState> files = new ConcurrentHashMap<>();
    private final AtomicLong opened = new AtomicLong();
    private final SecureRandom random = new SecureRandom();

    Opener(
            Requester requester,
            Root root,
            Namespace namespace,
            OpenStates states,
            BufferPool pool,
            Opaque ownerPrefix) {
        this.requester = requester;
        this.root = root;
        this.namespace = namespace;
        this.states = states;
        this.pool = pool;
        this.ownerPrefix = ownerPrefix;
    }

    CompletableFuture<NfsFile> open(String path, Set<? extends OpenOption> options, int mode) {
        OpenModes modes = modes(options);
        if (modes.write() && requester.settings().isReadOnly()) {
            return CompletableFuture.failedFuture(Errors.readOnly(namespace.shown(path)));
        }
        Opaque owner = Opaque.of(ownerPrefix + "/" + opened.incrementAndGet());
        OpenTail tail = new OpenTail(modes, owner, how(modes, mode));
        boolean followed = !options.contains(StandardOpenOption.CREATE_NEW);
        return namespace
                .walk(path, followed ? PathWalk.Last.NAMED_FOLLOWED : PathWalk.Last.NAMED, tail)
                .thenCompose(found -> {
                    String shown = namespace.shown(path);
                    OpenState state =
                            new OpenState(requester, found.handle, owner, modes.access(), found.stateId, shown);
                    states.add(state);
                    NfsFile file = new NfsFile(path, modes, state, root, pool, this::closed);
                    files.put(file, state);
                    return followUp(file, mode);
                });
    }

    private void closed(NfsFile file) {
        OpenState state = files.remove(file);
        if (state != null) {
            states.remove(state);
        }
    }

    /** Closes what is still open, as far as the server answers within the bound. */
    void closeAll(long timeoutNanos) {
        List<CompletableFuture<Void>> closing =
                files.keySet().stream().map(NfsFile::closeAsync).toList();
        try {
            Blocking.await(CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)), timeoutNanos);
        } catch (IOException e) {
            LOG.warn(
                    "mount {}: not all files could be closed: {}",
                    requester.settings().name(),
                    e.getMessage());
        }
    }

    /**
     * What OPEN itself could not do: the size where it does not create; of some exclusive creations the mode, and the
     * times, which hold the verifier until somebody sets them (RFC 8881 section 18.16.3).
     */
    private CompletableFuture<NfsFile> followUp(NfsFile file, int mode) {
        Attributes.Builder builder = Attributes.builder();
        OpenModes modes = file.modes();
        if (modes.creation() == OpenModes.Creation.NEVER && modes.truncate()) {
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
            if (!KNOWN.contains(option)) {
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
                        ? OpenModes.Creation.ALWAYS
                        : options.contains(StandardOpenOption.CREATE)
                                ? OpenModes.Creation.WHERE_MISSING
                                : OpenModes.Creation.NEVER;
        return new OpenModes(read, write, append, truncate, creation, stable);
    }

    private OpenHow how(OpenModes modes, int mode) {
        Attributes attributes = FileAttributesCodec.mode(mode);
        return switch (modes.creation()) {
            case NEVER -> new OpenHow.NoCreate();
            case WHERE_MISSING ->
                new OpenHow.Unchecked(
                        modes.truncate()
                                ? Attributes.builder()
                                        .put(Attribute.SIZE, 0L)
                                        .put(Attribute.MODE, attributes.get(Attribute.MODE))
                                        .build()
                                : attributes);
            case ALWAYS ->
                new OpenHow.ExclusiveWithAttributes(
                        random.nextLong(), canCreateWith(Attribute.MODE) ? attributes : Attributes.EMPTY);
        };
    }

    /** What OPEN brought. */
    private record Found(FileHandle handle, StateId stateId) {}

    private static final class OpenTail implements Tail<Found> {
        private final OpenModes modes;
        private final Opaque owner;
        private final OpenHow how;

        OpenTail(OpenModes modes, Opaque owner, OpenHow how) {
            this.modes = modes;
            this.owner = owner;
            this.how = how;
        }

        @Override
        public void encode(Operations operations, String name) {
            int access = modes.access() | Open.WANT_NO_DELEGATION;
            Open.Args args = new Open.Args(
                    0, access, Open.SHARE_DENY_NONE, new StateOwner(0, owner), how, new OpenClaim.Null(name));
            Open.encodeArgs(operations.next(), args);
            GetFh.encodeArgs(operations.next());
        }

        @Override
        public Found decode(Results results) throws IOException {
            StateId stateId = Open.decodeResult(results.next(Opcode.OPEN)).stateId();
            return new Found(results.getFh(), stateId);
        }

        @Override
        public boolean isCached() {
            return true;
        }
    }
}
