package io.verbena.nfs41.client.internal.file;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileRead;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.compound.TransferTooLargeException;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.names.Namespace;
import io.verbena.nfs41.client.internal.names.PathOperations;
import io.verbena.nfs41.client.internal.names.PathWalk;
import io.verbena.nfs41.client.internal.names.PendingWrites;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Reads and creates whole files, each in one COMPOUND where it is small and the server answers as expected. Otherwise
 * the file is opened, and the steps follow one another. Thread safe; asynchronous.
 */
public final class WholeFiles {
    private static final int PRIVATE = 0_600;

    /** The octets of a message that the path may take, beside the data. */
    private static final int PATH_ROOM = 8192;

    private static final Set<String> WANT_OPEN = Set.of(
            Status.NFS4ERR_BAD_STATEID.name(),
            Status.NFS4ERR_OPENMODE.name(),
            Status.NFS4ERR_LOCKED.name(),
            Status.NFS4ERR_GRACE.name(),
            Status.NFS4ERR_NOTSUPP.name(),
            Status.NFS4ERR_REP_TOO_BIG.name());

    private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final Namespace namespace;
    private final PendingWrites writes;
    private final Opener opener;
    private final FileContext context;

    public WholeFiles(Namespace namespace, PendingWrites writes, Opener opener, FileContext context) {
        this.namespace = namespace;
        this.writes = writes;
        this.opener = opener;
        this.context = context;
    }

    /** See {@link io.verbena.nfs.Mount#readFileAsync}. */
    public CompletableFuture<FileRead> read(String path, ByteBuffer destination) {
        return read(
                operation -> namespace.walk(path, PathWalk.Last.FOLLOWED, operation),
                () -> opener.open(path, READ, 0),
                destination);
    }

    /** @param directory that holds the name, or null for whichever the path leads to */
    public CompletableFuture<FileRead> read(String path, FileKey directory, ByteBuffer destination) {
        return read(
                operation -> namespace.walk(
                        path, PathWalk.Last.NAMED, PathOperations.of(directory, PathOperations.ofName(operation))),
                () -> opener.open(path, directory, READ, 0),
                destination);
    }

    private CompletableFuture<FileRead> read(
            Function<ReadFileOperation, CompletableFuture<FileRead>> walk,
            Supplier<CompletableFuture<NfsFile>> open,
            ByteBuffer destination) {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("a read-only buffer cannot be read into");
        }
        int start = destination.position();
        BorrowingFuture<FileRead> result = new BorrowingFuture<>(context.borrowers());
        Futures.whenDoneElse(
                read(walk, open, destination, result),
                (read, thrown) -> {
                    if (thrown == null) {
                        result.use(() -> destination.position(start + read.octets()));
                    }
                    result.finish(read, thrown);
                },
                thrown -> result.finish(null, thrown));
        return result;
    }

    private CompletableFuture<FileRead> read(
            Function<ReadFileOperation, CompletableFuture<FileRead>> walk,
            Supplier<CompletableFuture<NfsFile>> open,
            ByteBuffer destination,
            BorrowingFuture<?> borrower) {
        boolean fitsOneRead = destination.remaining() <= context.root().rsize() - PATH_ROOM;
        if (!fitsOneRead || !destination.hasRemaining() || writes.isPending()) {
            return readInSteps(open, destination, borrower); // in the order of the writes
        }
        return walk.apply(new ReadFileOperation(destination, borrower))
                .exceptionallyCompose(thrown -> wantsOpen(Futures.unwrap(thrown))
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(thrown))
                .thenCompose(read -> read == null
                        ? readInSteps(open, destination, borrower)
                        : CompletableFuture.completedFuture(read));
    }

    private interface BorrowingStep<T> {
        CompletableFuture<T> begin() throws IOException;
    }

    private static <T> CompletableFuture<T> begun(BorrowingStep<T> step) {
        try {
            return step.begin();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A step that uses the caller's buffer, and ends early where the operation is given up. */
    private static <T> CompletableFuture<T> borrowed(BorrowingFuture<?> borrower, BorrowingStep<T> step) {
        BorrowingFuture.Attempts use = new BorrowingFuture.Attempts(borrower);
        if (!use.begin()) {
            return givenUp();
        }
        CompletableFuture<T> begun = begun(step);
        use.underWay(begun);
        return begun.whenComplete((done, thrown) -> use.end());
    }

    /**
     * Whether the server refuses a READ without OPEN, as some do, or while another client denies reading, or the path
     * to the server does not carry it as a whole.
     */
    private static boolean wantsOpen(Throwable thrown) {
        return thrown instanceof TransferTooLargeException
                || (thrown instanceof NfsException e && WANT_OPEN.contains(e.status()));
    }

    private static <T> CompletableFuture<T> givenUp() {
        return CompletableFuture.failedFuture(new CancellationException("the operation was given up"));
    }

    private CompletableFuture<FileRead> readInSteps(
            Supplier<CompletableFuture<NfsFile>> open, ByteBuffer destination, BorrowingFuture<?> borrower) {
        if (borrower.isGivenUp()) {
            return givenUp();
        }
        return open.get()
                .thenCompose(file -> closing(file, file.attributesNow().thenCompose(before -> borrowed(
                                borrower, () -> file.readNow(destination, 0))
                        .thenCompose(count -> file.attributesNow()
                                .thenApply(after -> new FileRead(Math.max(0, count), before, after))))));
    }

    /** See {@link io.verbena.nfs.Mount#createFileAsync}. */
    public CompletableFuture<FileAttributes> create(
            String path, FileKey directory, ByteBuffer content, AttributeChanges attributes) {
        if (attributes.size() != null) {
            throw new IllegalArgumentException("the content is the size of a new file");
        }
        if (context.settings().isReadOnly()) {
            return CompletableFuture.failedFuture(Errors.readOnly(namespace.shown(path)));
        }
        Attributes changes = FileAttributesCodec.encode(attributes);
        BorrowingFuture<FileAttributes> result = new BorrowingFuture<>(context.borrowers());
        Futures.whenDoneElse(
                create(path, directory, content, changes, result),
                (made, thrown) -> {
                    if (thrown == null) {
                        result.use(() -> content.position(content.limit()));
                    }
                    result.finish(made, thrown);
                },
                thrown -> result.finish(null, thrown));
        return result;
    }

    private CompletableFuture<FileAttributes> create(
            String path, FileKey directory, ByteBuffer content, Attributes changes, BorrowingFuture<?> borrower) {
        if (content.remaining() > context.root().wsize() - PATH_ROOM) {
            return createInSteps(path, directory, content, changes, borrower);
        }
        return opener.create(path, directory, content, borrower, changes, PRIVATE)
                .exceptionallyCompose(thrown -> Futures.unwrap(thrown) instanceof TransferTooLargeException
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(thrown))
                .thenCompose(made -> {
                    if (made != null && made.file() == null) {
                        return CompletableFuture.completedFuture(FileAttributesCodec.decode(made.attributes()));
                    }
                    return made == null
                            ? createInSteps(path, directory, content, changes, borrower)
                            : MountLifetime.afterChange(complete(made.file(), content, changes, borrower));
                });
    }

    private CompletableFuture<FileAttributes> createInSteps(
            String path, FileKey directory, ByteBuffer content, Attributes changes, BorrowingFuture<?> borrower) {
        if (borrower.isGivenUp()) {
            return givenUp();
        }
        return opener.open(path, directory, NEW, PRIVATE)
                .thenCompose(file -> MountLifetime.afterChange(complete(file, content, changes, borrower)));
    }

    /** Writes the content of an open file, sets its attributes and closes the file. */
    private CompletableFuture<FileAttributes> complete(
            NfsFile file, ByteBuffer content, Attributes changes, BorrowingFuture<?> borrower) {
        CompletableFuture<Void> written =
                borrowed(borrower, () -> file.writeNow(content, 0)).thenCompose(done -> file.settle());
        return closing(
                file,
                written.thenCompose(done -> changes.mask().isEmpty()
                        ? file.attributesNow()
                        : file.setAttributes(changes).thenApply(FileAttributesCodec::decode)));
    }

    /** Closes the file after a step, whether or not the step has succeeded. The failure of the step comes first. */
    private static <T> CompletableFuture<T> closing(NfsFile file, CompletableFuture<T> step) {
        return step.handle((value, thrown) -> thrown)
                .thenCompose(failed -> file.closeAsync().handle((done, thrown) -> failed == null ? thrown : failed))
                .thenCompose(failed -> failed == null ? step : CompletableFuture.failedFuture(Futures.unwrap(failed)));
    }
}
