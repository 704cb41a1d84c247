package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.FileType;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.DeviceNumbers;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.ExportRoot;
import io.verbena.nfs41.client.internal.state.Delegations;
import io.verbena.nfs41.client.internal.util.CachedAnswerValidity;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.PathSteps;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The operations of a mount on paths: names, links and attributes. Thread safe; asynchronous throughout. */
public final class Namespace {
    private static final AttributeMask SPACE = AttributeMask.of(
            Attribute.FILES_FREE,
            Attribute.FILES_TOTAL,
            Attribute.SPACE_AVAIL,
            Attribute.SPACE_FREE,
            Attribute.SPACE_TOTAL);

    private final CompoundCaller caller;
    private final ExportRoot root;
    private final Delegations delegations;
    private final PendingWrites writes;
    private final SillyRenames removed;
    private final KnownDirectories known;
    private final String mountName;

    public Namespace(
            CompoundCaller caller,
            ExportRoot root,
            Delegations delegations,
            PendingWrites writes,
            SillyRenames removed) {
        this.writes = writes;
        this.caller = caller;
        this.root = root;
        this.delegations = delegations;
        this.removed = removed;
        this.known = new KnownDirectories(
                caller.runtime()::nanoTime, caller.settings().cacheNanos());
        this.mountName = caller.settings().name();
    }

    /** The path as messages show it: {@code NAME:/path}. */
    public String shown(String path) {
        return mountName + ":" + (path.startsWith("/") ? path : "/" + path);
    }

    public <T> CompletableFuture<T> walk(String path, PathWalk.Last last, PathOperation<T> tail) {
        PathWalk<T> walk = new PathWalk<>(caller, root, known, PathSteps.split(path), last, tail, shown(path));
        if (PathSteps.endsWithDot(path)) {
            walk.endWithDot();
        }
        return walk.start();
    }

    public CompletableFuture<FileAttributes> attributes(String path, boolean followLink) {
        return attributes(path, followLink ? PathWalk.Last.FOLLOWED : PathWalk.Last.ITSELF, null);
    }

    /** @param directory that holds the name, or null for whichever the path leads to */
    public CompletableFuture<FileAttributes> attributes(String path, FileKey directory) {
        return attributes(path, PathWalk.Last.NAMED, directory);
    }

    private CompletableFuture<FileAttributes> attributes(String path, PathWalk.Last last, FileKey directory) {
        Set<FileHandle> written = writes.pending();
        if (written.isEmpty()) {
            return walkTo(path, last, directory, PathOperations.attributes(FileAttributesCodec.WANTED))
                    .thenApply(FileAttributesCodec::decode);
        }
        return walkTo(path, last, directory, PathOperations.handleAndAttributes(FileAttributesCodec.WANTED))
                .thenCompose(found -> written.contains(found.handle())
                        ? behindWrites(path, found.handle())
                        : CompletableFuture.completedFuture(found.attributes()))
                .thenApply(FileAttributesCodec::decode);
    }

    /** A walk to an object: where its name is the last one, in a directory that was seen, unless that is null. */
    private <T> CompletableFuture<T> walkTo(
            String path, PathWalk.Last last, FileKey directory, PathOperation<T> operation) {
        PathOperation<T> tail =
                last.isNamed() ? PathOperations.of(directory, PathOperations.ofName(operation)) : operation;
        return walk(path, last, tail);
    }

    /** The attributes after the writes so far, which may change them. */
    private CompletableFuture<Attributes> behindWrites(String path, FileHandle object) {
        Supplier<CompletableFuture<Attributes>> ask = () -> described(path, caller.call(new AttributesRequest(object)));
        return writes.behindWrites(object, ask);
    }

    /** See {@link PendingWrites#readConsistently}. */
    <T> CompletableFuture<T> readConsistently(Supplier<CompletableFuture<T>> look) {
        return writes.readConsistently(look);
    }

    /** The freshness of attributes in listings that are made from now on. */
    CachedAnswerValidity freshness() {
        return new CachedAnswerValidity(
                caller.meters()::changes,
                () -> writes.isPending() || caller.lifetime().isEnded(),
                caller.settings().cacheNanos(),
                caller.runtime()::nanoTime);
    }

    /** Completes once the server has answered all writes so far. Never fails. */
    CompletableFuture<Void> writesAnswered() {
        return writes.answered();
    }

    /**
     * Sets attributes. Where neither a delegation nor a write of this client can concern the object, one request does:
     * its NVERIFY keeps SETATTR from a symbolic link that is to be followed.
     */
    public CompletableFuture<FileAttributes> setAttributes(String path, AttributeChanges changes, boolean followLink) {
        return setAttributes(path, followLink ? PathWalk.Last.FOLLOWED : PathWalk.Last.ITSELF, null, changes);
    }

    /** As {@link #setAttributes(String, AttributeChanges, boolean)}, of an object that was seen. */
    public CompletableFuture<FileAttributes> setAttributes(String path, FileKey seen, AttributeChanges changes) {
        return setAttributes(path, PathWalk.Last.ITSELF, seen, changes);
    }

    private CompletableFuture<FileAttributes> setAttributes(
            String path, PathWalk.Last last, FileKey seen, AttributeChanges changes) {
        Attributes encoded = FileAttributesCodec.encode(changes);
        PathOperation<Attributes> tail = PathOperations.setAttributes(StateId.ANONYMOUS, encoded);
        if (changes.size() == null && delegations.size() == 0 && !writes.isPending()) {
            PathOperation<Attributes> atOnce =
                    last == PathWalk.Last.FOLLOWED ? PathOperations.setAttributesUnlessLink(encoded) : tail;
            return walk(path, last, PathOperations.of(seen, atOnce)).thenApply(FileAttributesCodec::decode);
        }
        return walk(path, last, PathOperations.of(seen, PathOperations.handle()))
                .thenCompose(object -> delegations
                        .giveBack(object)
                        .thenCompose(done -> inOrder(
                                object,
                                changes,
                                () -> described(path, caller.call(new SetAttributesRequest(object, tail))))))
                .thenApply(FileAttributesCodec::decode);
    }

    /** Puts a change of the size, or of times that writes change, in the order of the file's writes. */
    private CompletableFuture<Attributes> inOrder(
            FileHandle object, AttributeChanges changes, Supplier<CompletableFuture<Attributes>> change) {
        boolean ordered = changes.size() != null || changes.modified() != null || changes.accessed() != null;
        return ordered ? writes.inOrder(object, change) : change.get();
    }

    /** @param directory that holds the name, or null for whichever the path leads to; so below, too */
    public CompletableFuture<Void> createDirectory(String path, FileKey directory, int mode) {
        return walk(path, PathWalk.Last.NAMED, PathOperations.of(directory, PathOperations.createDirectory(mode)));
    }

    public CompletableFuture<Void> createSpecial(
            String path, FileKey directory, FileType type, int mode, int major, int minor) {
        ObjectType kind =
                switch (type) {
                    case FIFO -> ObjectType.NF4FIFO;
                    case SOCKET -> ObjectType.NF4SOCK;
                    case CHARACTER_DEVICE -> ObjectType.NF4CHR;
                    case BLOCK_DEVICE -> ObjectType.NF4BLK;
                    default -> throw new IllegalArgumentException(type + " is no type of a special file");
                };
        PathOperation<Void> made = PathOperations.createSpecial(kind, mode, new DeviceNumbers(major, minor));
        return walk(path, PathWalk.Last.NAMED, PathOperations.of(directory, made));
    }

    public CompletableFuture<Void> createSymbolicLink(String path, FileKey directory, String target) {
        if (!OctetText.isEncodable(target)) {
            return CompletableFuture.failedFuture(new NfsException(
                    shown(path),
                    Status.NFS4ERR_BADCHAR.name(),
                    "what the link shall hold has a lone surrogate, which stands for no octet"));
        }
        return walk(path, PathWalk.Last.NAMED, PathOperations.of(directory, PathOperations.createSymbolicLink(target)));
    }

    public CompletableFuture<Void> remove(String path, FileKey directory) {
        return changingNames(
                delegations.giveBackAt(shown(path)),
                () -> removed.mayMatter()
                        ? removeUnlessOpen(path, directory)
                        : walk(path, PathWalk.Last.NAMED, PathOperations.of(directory, PathOperations.remove())));
    }

    /** As {@link #remove}, where some file is open: first finds out whether it is the file to remove. */
    private CompletableFuture<Void> removeUnlessOpen(String path, FileKey directory) {
        PathOperation<PathOperations.Named> found = PathOperations.of(directory, PathOperations.named());
        return walk(path, PathWalk.Last.NAMED, found).thenCompose(named -> ifOpen(named)
                .thenCompose(isOpen -> described(
                        path,
                        isOpen
                                ? removed.renameAside(named, shown(path))
                                : caller.call(new NameRequests.RemoveRequest(named.place())))));
    }

    /** Whether the object is an open file that the server would drop with its name. */
    private CompletableFuture<Boolean> ifOpen(PathOperations.Named named) {
        return named.handle() == null || !removed.isNeeded(named.handle())
                ? CompletableFuture.completedFuture(false)
                : delegations.giveBack(named.handle()).thenApply(done -> removed.isNeeded(named.handle()));
    }

    public CompletableFuture<String> readLink(String path) {
        return walk(path, PathWalk.Last.ITSELF, new ReadLinkOperation()).exceptionallyCompose(thrown -> {
            boolean notLink = Futures.unwrap(thrown) instanceof NfsException e
                    && (e.status().equals(Status.NFS4ERR_INVAL.name())
                            || e.status().equals(Status.NFS4ERR_WRONG_TYPE.name()));
            return CompletableFuture.failedFuture(notLink ? Errors.notLink(shown(path)) : thrown);
        });
    }

    /** @param existingDirectory that holds the existing name, or null */
    public CompletableFuture<Void> createLink(
            String path, FileKey directory, String existing, FileKey existingDirectory) {
        PathWalk.Last last = existingDirectory == null ? PathWalk.Last.ITSELF : PathWalk.Last.NAMED;
        return walkTo(existing, last, existingDirectory, PathOperations.handle())
                .thenCompose(object -> walk(
                                path, PathWalk.Last.NAMED, PathOperations.of(directory, PathOperations.place()))
                        .thenCompose(place -> changingNames(
                                delegations.giveBack(object),
                                () -> described(path, caller.call(new NameRequests.LinkRequest(object, place))))));
    }

    /**
     * Renames an object.
     *
     * @param directory that holds the old name, or null
     * @param newDirectory that holds the new name, or null
     */
    public CompletableFuture<Void> rename(String from, FileKey directory, String to, FileKey newDirectory) {
        CompletableFuture<Void> givenBack =
                CompletableFuture.allOf(delegations.giveBackAt(shown(from)), delegations.giveBackAt(shown(to)));
        return changingNames(givenBack, () -> {
                    known.renamed();
                    return removed.mayMatter()
                            ? renameUnlessOpen(from, directory, to, newDirectory)
                            : renameAtOnce(from, directory, to, newDirectory);
                })
                .whenComplete((done, thrown) -> known.renamed());
    }

    /** In one request where both names are in one directory by the paths, else in two. */
    private CompletableFuture<Void> renameAtOnce(String from, FileKey directory, String to, FileKey newDirectory) {
        String newName = PathSteps.nameInSameDirectory(from, to);
        if (newName != null) {
            return walk(from, PathWalk.Last.NAMED, ofBoth(directory, newDirectory, PathOperations.rename(newName)));
        }
        return walk(to, PathWalk.Last.NAMED, PathOperations.of(newDirectory, PathOperations.place()))
                .thenCompose(target ->
                        walk(from, PathWalk.Last.NAMED, PathOperations.of(directory, PathOperations.rename(target))));
    }

    /** An operation on a directory that the caller has seen twice. */
    private static <T> PathOperation<T> ofBoth(FileKey one, FileKey other, PathOperation<T> operation) {
        return PathOperations.of(
                one, one == null || !one.equals(other) ? PathOperations.of(other, operation) : operation);
    }

    /** As {@link #rename}, where some file is open: first finds out whether it is the file to replace. */
    private CompletableFuture<Void> renameUnlessOpen(String from, FileKey directory, String to, FileKey newDirectory) {
        String oldName = PathSteps.nameInSameDirectory(to, from);
        if (oldName == null) {
            return renameChecked(from, directory, to, newDirectory);
        }
        return walk(to, PathWalk.Last.NAMED, ofBoth(directory, newDirectory, PathOperations.named()))
                .thenCompose(target -> ifOpen(target).thenCompose(isOpen -> {
                    PathOperations.Place source =
                            new PathOperations.Place(target.place().directory(), oldName);
                    return isOpen
                            ? renameChecked(from, directory, to, newDirectory)
                            : described(from, caller.call(new NameRequests.RenameRequest(source, target.place())));
                }));
    }

    private CompletableFuture<Void> renameChecked(String from, FileKey directory, String to, FileKey newDirectory) {
        PathOperation<PathOperations.Named> found = PathOperations.of(directory, PathOperations.named());
        return walk(from, PathWalk.Last.NAMED, found).thenCompose(source -> walk(
                        to, PathWalk.Last.NAMED, PathOperations.of(newDirectory, PathOperations.named()))
                .thenCompose(target -> ifOpen(target).thenCompose(isOpen -> {
                    CompoundRequest<Void> rename = new NameRequests.RenameRequest(source.place(), target.place());
                    // RENAME of one name of a file to another name of the same file replaces nothing
                    boolean replaces = isOpen
                            && source.handle() != null
                            && !source.handle().equals(target.handle());
                    return described(from, replaces ? removed.replace(target, shown(to), rename) : caller.call(rename));
                })));
    }

    /**
     * Changes names, after the conflicting delegations were returned. The server recalls delegations of files that were
     * opened by other names; the cached attributes of all delegations are dropped in any case.
     */
    private CompletableFuture<Void> changingNames(
            CompletableFuture<Void> givenBack, Supplier<CompletableFuture<Void>> change) {
        return givenBack.thenCompose(done -> change.get()).whenComplete((done, thrown) -> delegations.namesChanged());
    }

    /** The handle of a file if this user may read and write it as asked; else null. */
    public CompletableFuture<FileHandle> lookUp(String path, boolean read, boolean write) {
        int wanted = accessBits(read, write, false);
        return walk(path, PathWalk.Last.FOLLOWED, PathOperations.handleAndAccess(wanted))
                .thenApply(found -> isAllowed(found.access(), read, write, false) ? found.handle() : null);
    }

    public CompletableFuture<Boolean> mayAccess(String path, boolean read, boolean write, boolean execute) {
        return walk(path, PathWalk.Last.FOLLOWED, PathOperations.access(accessBits(read, write, execute)))
                .thenApply(told -> isAllowed(told, read, write, execute));
    }

    private static int accessBits(boolean read, boolean write, boolean execute) {
        return (read ? Access.READ : 0)
                | (write ? Access.MODIFY | Access.EXTEND : 0)
                | (execute ? Access.EXECUTE | Access.LOOKUP : 0);
    }

    private static boolean isAllowed(Access.Result told, boolean read, boolean write, boolean execute) {
        return allows(told, read, Access.READ)
                && allows(told, write, Access.MODIFY | Access.EXTEND)
                && allows(told, execute, Access.EXECUTE | Access.LOOKUP);
    }

    /** Whether the asked bits that the server supports are granted. Directories support LOOKUP, files EXECUTE. */
    private static boolean allows(Access.Result told, boolean asked, int bits) {
        int supported = told.supported() & bits;
        return !asked || (supported != 0 && (told.access() & supported) == supported);
    }

    public CompletableFuture<FileSystemStatus> fileSystemStatus(String path) {
        return walk(path, PathWalk.Last.FOLLOWED, PathOperations.attributes(SPACE))
                .thenApply(space -> new FileSystemStatus(
                        space.get(Attribute.SPACE_TOTAL, 0L),
                        space.get(Attribute.SPACE_FREE, 0L),
                        space.get(Attribute.SPACE_AVAIL, 0L),
                        space.get(Attribute.FILES_TOTAL, 0L),
                        space.get(Attribute.FILES_FREE, 0L)));
    }

    /** The same future, with its failure turned into an exception for users. */
    <T> CompletableFuture<T> described(String path, CompletableFuture<T> future) {
        return future.exceptionallyCompose(
                thrown -> CompletableFuture.failedFuture(Errors.described(shown(path), thrown)));
    }

    private static final class AttributesRequest extends CompoundRequest<Attributes> {
        private final FileHandle object;

        AttributesRequest(FileHandle object) {
            this.object = object;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(object);
            operations.getAttr(FileAttributesCodec.WANTED);
        }

        @Override
        public Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return results.getAttr();
        }
    }

    private static final class SetAttributesRequest extends CompoundRequest<Attributes> {
        private final FileHandle object;
        private final PathOperation<Attributes> tail;

        SetAttributesRequest(FileHandle object, PathOperation<Attributes> tail) {
            this.object = object;
            this.tail = tail;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(object);
            tail.encode(operations, null);
        }

        @Override
        public Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return tail.decode(results);
        }

        @Override
        public boolean isCached() {
            return true;
        }
    }
}
