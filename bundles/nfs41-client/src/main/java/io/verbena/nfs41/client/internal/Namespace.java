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
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
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
    private final String mountName;

    Namespace(Requester requester, Root root, Delegations delegations) {
        this.requester = requester;
        this.root = root;
        this.delegations = delegations;
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
        return walk(path, last, Tails.attributes(FileAttributesCodec.WANTED)).thenApply(FileAttributesCodec::decode);
    }

    /** In two requests: the server must not execute SETATTR before it is known that the walk ended at no link. */
    CompletableFuture<FileAttributes> setAttributes(String path, AttributeChanges changes) {
        Tail<Attributes> tail = Tails.setAttributes(StateId.ANONYMOUS, FileAttributesCodec.encode(changes));
        return walk(path, PathWalk.Last.FOLLOWED, Tails.handle())
                .thenCompose(object -> delegations
                        .giveBack(object)
                        .thenCompose(done -> described(path, requester.call(new SetAttributesRequest(object, tail)))))
                .thenApply(FileAttributesCodec::decode);
    }

    CompletableFuture<Void> createDirectory(String path, int mode) {
        return walk(path, PathWalk.Last.NAMED, Tails.createDirectory(mode));
    }

    CompletableFuture<Void> createSymbolicLink(String path, String target) {
        return walk(path, PathWalk.Last.NAMED, Tails.createSymbolicLink(target));
    }

    CompletableFuture<Void> remove(String path) {
        return changingNames(
                delegations.giveBackAt(shown(path)), () -> walk(path, PathWalk.Last.NAMED, Tails.remove()));
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
                                () -> described(path, requester.call(new LinkRequest(object, place))))));
    }

    CompletableFuture<Void> rename(String from, String to) {
        CompletableFuture<Void> givenBack =
                CompletableFuture.allOf(delegations.giveBackAt(shown(from)), delegations.giveBackAt(shown(to)));
        return walk(from, PathWalk.Last.NAMED, Tails.place())
                .thenCompose(source -> walk(to, PathWalk.Last.NAMED, Tails.place())
                        .thenCompose(target -> changingNames(
                                givenBack, () -> described(from, requester.call(new RenameRequest(source, target))))));
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
        return future.exceptionallyCompose(thrown -> CompletableFuture.failedFuture(Errors.of(shown(path), thrown)));
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

    private static final class LinkRequest extends Request<Void> {
        private final FileHandle object;
        private final Tails.Place place;

        LinkRequest(FileHandle object, Tails.Place place) {
            this.object = object;
            this.place = place;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(object);
            SaveFh.encodeArgs(operations.next());
            operations.putFh(place.directory());
            Link.encodeArgs(operations.next(), new Link.Args(place.name()));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            results.next(Opcode.SAVEFH);
            results.next(Opcode.PUTFH);
            Link.decodeResult(results.next(Opcode.LINK));
            return null;
        }

        @Override
        boolean isCached() {
            return true;
        }
    }

    private static final class RenameRequest extends Request<Void> {
        private final Tails.Place source;
        private final Tails.Place target;

        RenameRequest(Tails.Place source, Tails.Place target) {
            this.source = source;
            this.target = target;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(source.directory());
            SaveFh.encodeArgs(operations.next());
            operations.putFh(target.directory());
            Rename.encodeArgs(operations.next(), new Rename.Args(source.name(), target.name()));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            results.next(Opcode.SAVEFH);
            results.next(Opcode.PUTFH);
            Rename.decodeResult(results.next(Opcode.RENAME));
            return null;
        }

        @Override
        boolean isCached() {
            return true;
        }
    }
}
