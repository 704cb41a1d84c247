package io.verbena.nfs41.client.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a mount does with names and attributes; asynchronous throughout. */
final class Namespace {
    private static final AttributeMask SPACE = AttributeMask.of(
            Attribute.FILES_FREE,
            Attribute.FILES_TOTAL,
            Attribute.SPACE_AVAIL,
            Attribute.SPACE_FREE,
            Attribute.SPACE_TOTAL);

    private final Requester requester;
    private final Root root;
    private final Delegations delegations;
    private final FileCores cores;
    private final RemovedFiles removed;
    private final String mountName;

    Namespace(Requester requester, Root root, Delegations delegations, FileCores cores, RemovedFiles removed) {
        this.cores = cores;
        this.requester = requester;
        this.root = root;
        this.delegations = delegations;
        this.removed = removed;
        this.mountName = requester.settings().name();
    }

    /** The path as errors name it. */
    String shown(String path) {
        return mountName + ":" + (path.startsWith("/") ? path : "/" + path);
    }

    <T> CompletableFuture<T> walk(String path, PathWalk.Last last, Tail<T> tail) {
        return new PathWalk<>(requester, root, PathSteps.split(path), last, tail, shown(path)).start();
    }

    CompletableFuture<FileAttributes> attributes(String path, boolean followLink) {
        PathWalk.Last last = followLink ? PathWalk.Last.FOLLOWED : PathWalk.Last.ITSELF;
        if (!cores.isPending()) {
            return walk(path, last, Tails.attributes(FileAttributesCodec.WANTED))
                    .thenApply(FileAttributesCodec::decode);
        }
        return walk(path, last, Tails.handle())
                .thenCompose(object -> behindWrites(path, object))
                .thenApply(FileAttributesCodec::decode);
    }

    /** The attributes behind what was written so far, which may have changed them. */
    private CompletableFuture<Attributes> behindWrites(String path, FileHandle object) {
        Supplier<CompletableFuture<Attributes>> ask =
                () -> described(path, requester.call(new AttributesRequest(object)));
        return cores.find(object)
                .map(core -> core.seeing(() -> core.writes().waits().answered().thenCompose(done -> ask.get())))
                .orElseGet(ask);
    }

    /** See {@link FileCores#seeing}. */
    <T> CompletableFuture<T> seeing(Supplier<CompletableFuture<T>> look) {
        return cores.seeing(look);
    }

    /** How long attributes hold that are listed from now on. */
    Freshness freshness() {
        return new Freshness(
                requester.meters()::changes,
                () -> cores.isPending() || requester.lifetime().isEnded(),
                requester.settings().cacheNanos(),
                System::nanoTime);
    }

    /** Complete once what was written so far is on the server. Never fails. */
    CompletableFuture<Void> writesAnswered() {
        return cores.answered();
    }

    /** In two requests: the server must not execute SETATTR before it is known that the walk ended at no link. */
    CompletableFuture<FileAttributes> setAttributes(String path, AttributeChanges changes, boolean followLink) {
        PathWalk.Last last = followLink ? PathWalk.Last.FOLLOWED : PathWalk.Last.ITSELF;
        Tail<Attributes> tail = Tails.setAttributes(StateId.ANONYMOUS, FileAttributesCodec.encode(changes));
        return walk(path, last, Tails.handle())
                .thenCompose(object -> delegations
                        .giveBack(object)
                        .thenCompose(done -> inOrder(
                                object,
                                changes,
                                () -> described(path, requester.call(new SetAttributesRequest(object, tail))))))
                .thenApply(FileAttributesCodec::decode);
    }

    /** A change of the size, and of the times that writes change, has its place in the order of the file's writes. */
    private CompletableFuture<Attributes> inOrder(
            FileHandle object, AttributeChanges changes, Supplier<CompletableFuture<Attributes>> change) {
        boolean ordered = changes.size() != null || changes.modified() != null || changes.accessed() != null;
        return cores.find(object)
                .filter(core -> ordered)
                .map(core -> core.exclusively(same -> change.get()))
                .orElseGet(change);
    }

    CompletableFuture<Void> createDirectory(String path, int mode) {
        return walk(path, PathWalk.Last.NAMED, Tails.createDirectory(mode));
    }

    CompletableFuture<Void> createSymbolicLink(String path, String target) {
        if (!OctetText.isEncodable(target)) {
            return CompletableFuture.failedFuture(new NfsException(
                    shown(path),
                    Status.NFS4ERR_BADCHAR.name(),
                    "what the link shall hold has a lone surrogate, which stands for no octet"));
        }
        return walk(path, PathWalk.Last.NAMED, Tails.createSymbolicLink(target));
    }

    CompletableFuture<Void> remove(String path) {
        return changingNames(
                delegations.giveBackAt(shown(path)),
                () -> removed.mayMatter() ? removeUnlessOpen(path) : walk(path, PathWalk.Last.NAMED, Tails.remove()));
    }

    /** As {@link #remove}, where some file is open: first it is found out whether it is this one. */
    private CompletableFuture<Void> removeUnlessOpen(String path) {
        return walk(path, PathWalk.Last.NAMED, Tails.named()).thenCompose(named -> ifOpen(named)
                .thenCompose(isOpen -> described(
                        path,
                        isOpen
                                ? removed.setAside(named, shown(path))
                                : requester.call(new NameRequests.RemoveRequest(named.place())))));
    }

    /** Whether it is a file that who has it open would lose with its name. */
    private CompletableFuture<Boolean> ifOpen(Tails.Named named) {
        return named.handle() == null || !removed.isNeeded(named.handle())
                ? CompletableFuture.completedFuture(false)
                : delegations.giveBack(named.handle()).thenApply(done -> removed.isNeeded(named.handle()));
    }

    CompletableFuture<String> readLink(String path) {
        return walk(path, PathWalk.Last.ITSELF, new LinkTail()).exceptionallyCompose(thrown -> {
            boolean notLink = Futures.unwrap(thrown) instanceof NfsException e
                    && (e.status().equals(Status.NFS4ERR_INVAL.name())
                            || e.status().equals(Status.NFS4ERR_WRONG_TYPE.name()));
            return CompletableFuture.failedFuture(notLink ? Errors.notLink(shown(path)) : thrown);
        });
    }

    CompletableFuture<Void> createLink(String path, String existing) {
        return walk(existing, PathWalk.Last.ITSELF, Tails.handle())
                .thenCompose(object -> walk(path, PathWalk.Last.NAMED, Tails.place())
                        .thenCompose(place -> changingNames(
                                delegations.giveBack(object),
                                () -> described(path, requester.call(new NameRequests.LinkRequest(object, place))))));
    }

    CompletableFuture<Void> rename(String from, String to) {
        CompletableFuture<Void> givenBack =
                CompletableFuture.allOf(delegations.giveBackAt(shown(from)), delegations.giveBackAt(shown(to)));
        return changingNames(
                givenBack, () -> removed.mayMatter() ? renameUnlessOpen(from, to) : renameAtOnce(from, to));
    }

    private CompletableFuture<Void> renameAtOnce(String from, String to) {
        return walk(from, PathWalk.Last.NAMED, Tails.place())
                .thenCompose(source -> walk(to, PathWalk.Last.NAMED, Tails.place())
                        .thenCompose(target ->
                                described(from, requester.call(new NameRequests.RenameRequest(source, target)))));
    }

    /** As {@link #rename}, where some file is open: first it is found out whether that is the one replaced. */
    private CompletableFuture<Void> renameUnlessOpen(String from, String to) {
        return walk(from, PathWalk.Last.NAMED, Tails.named()).thenCompose(source -> walk(
                        to, PathWalk.Last.NAMED, Tails.named())
                .thenCompose(target -> ifOpen(target).thenCompose(isOpen -> {
                    Request<Void> rename = new NameRequests.RenameRequest(source.place(), target.place());
                    // of two names of one file none replaces the other
                    boolean replaces = isOpen
                            && source.handle() != null
                            && !source.handle().equals(target.handle());
                    return described(
                            from, replaces ? removed.replace(target, shown(to), rename) : requester.call(rename));
                })));
    }

    /**
     * Does something to names, once delegations that it would conflict with are given back. Those of files that were
     * reached by other names the server recalls; where it does not, what is known of them is forgotten at least.
     */
    private CompletableFuture<Void> changingNames(
            CompletableFuture<Void> givenBack, Supplier<CompletableFuture<Void>> change) {
        return givenBack.thenCompose(done -> change.get()).whenComplete((done, thrown) -> delegations.namesChanged());
    }

    /** The handle of a file that this user may read or write, as asked; null where he may not. */
    CompletableFuture<FileHandle> lookUp(String path, boolean read, boolean write) {
        int wanted = accessBits(read, write, false);
        return walk(path, PathWalk.Last.FOLLOWED, Tails.handleAndAccess(wanted))
                .thenApply(found -> isAllowed(found.access(), read, write, false) ? found.handle() : null);
    }

    CompletableFuture<Boolean> mayAccess(String path, boolean read, boolean write, boolean execute) {
        return walk(path, PathWalk.Last.FOLLOWED, Tails.access(accessBits(read, write, execute)))
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

    /** Directories tell of LOOKUP and files of EXECUTE: what the server supports of the bits is what counts. */
    private static boolean allows(Access.Result told, boolean asked, int bits) {
        int supported = told.supported() & bits;
        return !asked || (supported != 0 && (told.access() & supported) == supported);
    }

    CompletableFuture<FileSystemStatus> fileSystemStatus(String path) {
        return walk(path, PathWalk.Last.FOLLOWED, Tails.attributes(SPACE))
                .thenApply(space -> new FileSystemStatus(
                        space.get(Attribute.SPACE_TOTAL, 0L),
                        space.get(Attribute.SPACE_FREE, 0L),
                        space.get(Attribute.SPACE_AVAIL, 0L),
                        space.get(Attribute.FILES_TOTAL, 0L),
                        space.get(Attribute.FILES_FREE, 0L)));
    }

    /** The same future, its failure in words. */
    <T> CompletableFuture<T> described(String path, CompletableFuture<T> future) {
        return future.exceptionallyCompose(thrown -> CompletableFuture.failedFuture(Errors.told(shown(path), thrown)));
    }

    private static final class AttributesRequest extends Request<Attributes> {
        private final FileHandle object;

        AttributesRequest(FileHandle object) {
            this.object = object;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(object);
            operations.getAttr(FileAttributesCodec.WANTED);
        }

        @Override
        Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return results.getAttr();
        }
    }

    private static final class SetAttributesRequest extends Request<Attributes> {
        private final FileHandle object;
        private final Tail<Attributes> tail;

        SetAttributesRequest(FileHandle object, Tail<Attributes> tail) {
            this.object = object;
            this.tail = tail;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(object);
            tail.encode(operations, null);
        }

        @Override
        Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return tail.decode(results);
        }

        @Override
        boolean isCached() {
            return true;
        }
    }
}
