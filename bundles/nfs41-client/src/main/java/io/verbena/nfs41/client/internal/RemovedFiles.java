package io.verbena.nfs41.client.internal;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.Tails.Named;
import io.verbena.nfs41.client.internal.Tails.Place;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that are removed, or replaced by another, while this mount has them open. A server that says
 * OPEN4_RESULT_PRESERVE_UNLINKED keeps such a file until it is closed (RFC 8881 section 18.16.3). Of any other server the
 * file gets the name {@code .nfsXXX} in the same directory, which goes with the last close of this mount. Thread safe.
 */
final class RemovedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(RemovedFiles.class);

    private final Requester requester;
    private final OpenStates opens;
    private final AtomicInteger count = new AtomicInteger();
    private final Map<FileHandle, Set<Aside>> asides = new ConcurrentHashMap<>();

    /**
     * The name of a file that is to go.
     *
     * @param shown as {@code NAME:/path}, of the directory
     */
    record Aside(Place place, String shown) {
        @Override
        public String toString() {
            return shown + (shown.endsWith("/") ? "" : "/") + place.name();
        }
    }

    RemovedFiles(Requester requester, OpenStates opens) {
        this.requester = requester;
        this.opens = opens;
        opens.whenLastClosed(this::lastClosed);
    }

    /** Whether there may be an open file that a removal would take away from who has it open. */
    boolean mayMatter() {
        return opens.hasUnpreserved();
    }

    /** Whether the removal of the file would take it away from who has it open here. */
    boolean isNeeded(FileHandle file) {
        return opens.of(file).stream().anyMatch(open -> !open.preservesUnlinked());
    }

    /**
     * Gives an open file its new name, in place of removing it.
     *
     * @param path of the file, as {@code NAME:/path}
     */
    CompletableFuture<Void> setAside(Named file, String path) {
        Aside aside = aside(file, path);
        if (asides.getOrDefault(file.handle(), Set.of()).stream()
                .anyMatch(each -> each.place().equals(file.place()))) {
            return CompletableFuture.failedFuture(new NfsException(
                    path,
                    Status.NFS4ERR_FILE_OPEN.name(),
                    "it was removed while it was open here, and goes when that is closed (NFS4ERR_FILE_OPEN)"));
        }
        return requester
                .call(new NameRequests.RenameRequest(file.place(), aside.place()))
                .thenRun(() -> add(file.handle(), aside));
    }

    /**
     * Does what replaces an open file by another. The file gets its new name before, by a link, so that there is no moment
     * at which nothing is at the place; where the server makes no link, by renaming it.
     *
     * @param path of the file that is replaced, as {@code NAME:/path}
     */
    CompletableFuture<Void> replace(Named file, String path, Request<Void> replacement) {
        Aside aside = aside(file, path);
        return requester
                .call(new NameRequests.LinkRequest(file.handle(), aside.place()))
                .thenApply(linked -> (Request<Void>) new NameRequests.RemoveRequest(aside.place()))
                .exceptionallyCompose(thrown -> requester
                        .call(new NameRequests.RenameRequest(file.place(), aside.place()))
                        .thenApply(renamed -> new NameRequests.RenameRequest(aside.place(), file.place())))
                .thenCompose(undo -> requester
                        .call(replacement)
                        .thenRun(() -> add(file.handle(), aside))
                        .exceptionallyCompose(thrown -> undone(undo, aside, Futures.unwrap(thrown))));
    }

    /** The replacement failed: the file is what it was before. */
    private CompletableFuture<Void> undone(Request<Void> undo, Aside aside, Throwable failure) {
        return requester.call(undo).handle((done, thrown) -> thrown).thenCompose(thrown -> {
            if (thrown != null) {
                LOG.warn(
                        "{} is left, another name of a file that was to be replaced: {}",
                        aside,
                        Futures.unwrap(thrown).getMessage());
            }
            return CompletableFuture.failedFuture(failure);
        });
    }

    private Aside aside(Named file, String path) {
        String name =
                ".nfs" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong())
                        + HexFormat.of().toHexDigits(count.incrementAndGet());
        int slash = path.lastIndexOf('/');
        return new Aside(new Place(file.place().directory(), name), path.substring(0, slash + 1));
    }

    private void add(FileHandle file, Aside aside) {
        asides.compute(file, (handle, present) -> {
            Set<Aside> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(aside);
            return all;
        });
        if (opens.of(file).isEmpty()) { // closed meanwhile, when there was nothing to remove yet
            CompletableFuture<Void> unused = lastClosed(file);
        }
    }

    /** No open of the file is left: its names go. Never fails: the file was closed, whatever becomes of its names. */
    private CompletableFuture<Void> lastClosed(FileHandle file) {
        Set<Aside> left = asides.remove(file);
        return left == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.allOf(left.stream().map(this::remove).toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> remove(Aside aside) {
        return requester.call(new NameRequests.RemoveRequest(aside.place())).exceptionally(thrown -> {
            Throwable reason = Futures.unwrap(thrown);
            boolean isGone = reason instanceof StatusException e && e.status() == Status.NFS4ERR_NOENT;
            if (!isGone) {
                LOG.warn("{} is left of a file that was removed while it was open: {}", aside, reason.getMessage());
            }
            return null;
        });
    }
}
