package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.RepeatedChangeException;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.names.PathOperations.Named;
import io.verbena.nfs41.client.internal.names.PathOperations.Place;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.state.OpenStates;
import io.verbena.nfs41.client.internal.util.Futures;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps files that are removed or replaced while this mount has them open. A server with OPEN4_RESULT_PRESERVE_UNLINKED
 * keeps such a file until it is closed (RFC 8881 section 18.16.3). On any other server the file is renamed to {@code
 * .nfsXXX} in the same directory (a silly rename), and that name is removed with the last close by this mount. Thread
 * safe.
 */
public final class SillyRenames {
    private static final Logger LOG = LoggerFactory.getLogger(SillyRenames.class);

    private final CompoundCaller caller;
    private final OpenStates opens;
    private final AtomicInteger count = new AtomicInteger();
    private final Map<FileHandle, Set<SillyName>> sillyNames = new ConcurrentHashMap<>();

    /**
     * The temporary name of an open file.
     *
     * @param shown as {@code NAME:/path}, of the directory
     */
    record SillyName(Place place, String shown) {
        @Override
        public String toString() {
            return shown + (shown.endsWith("/") ? "" : "/") + place.name();
        }
    }

    public SillyRenames(CompoundCaller caller, OpenStates opens) {
        this.caller = caller;
        this.opens = opens;
        opens.whenLastClosed(this::lastClosed);
    }

    /** Whether some open file may be lost by a removal of its name. */
    boolean mayMatter() {
        return opens.hasUnpreserved();
    }

    /** Whether this file is open here and would be lost by a removal of its name. */
    boolean isNeeded(FileHandle file) {
        return opens.of(file).stream().anyMatch(open -> !open.preservesUnlinked());
    }

    /**
     * Renames an open file to a temporary name, instead of removing it.
     *
     * @param path of the file, as {@code NAME:/path}
     */
    CompletableFuture<Void> renameAside(Named file, String path) {
        SillyName sillyName = sillyName(file, path);
        if (sillyNames.getOrDefault(file.handle(), Set.of()).stream()
                .anyMatch(each -> each.place().equals(file.place()))) {
            return CompletableFuture.failedFuture(new NfsException(
                    path,
                    Status.NFS4ERR_FILE_OPEN.name(),
                    "it was removed while it was open here, and goes when that is closed (NFS4ERR_FILE_OPEN)"));
        }
        return caller.call(new NameRequests.RenameRequest(file.place(), sillyName.place()))
                .thenRun(() -> add(file.handle(), sillyName));
    }

    /**
     * Replaces an open file by another. Before the replacement the open file gets its temporary name by LINK, so that
     * the path exists at every moment; where the server refuses LINK, by RENAME.
     *
     * @param path of the file that is replaced, as {@code NAME:/path}
     */
    CompletableFuture<Void> replace(Named file, String path, CompoundRequest<Void> replacement) {
        SillyName sillyName = sillyName(file, path);
        return caller.call(new NameRequests.LinkRequest(file.handle(), sillyName.place()))
                .thenApply(linked -> (CompoundRequest<Void>) new NameRequests.RemoveRequest(sillyName.place()))
                .exceptionallyCompose(
                        thrown -> caller.call(new NameRequests.RenameRequest(file.place(), sillyName.place()))
                                .thenApply(renamed -> new NameRequests.RenameRequest(sillyName.place(), file.place())))
                .thenCompose(undo -> caller.call(replacement)
                        .thenRun(() -> add(file.handle(), sillyName))
                        .exceptionallyCompose(thrown -> undone(undo, sillyName, Futures.unwrap(thrown))));
    }

    /**
     * The replacement failed: takes back the temporary name, if the server has said that it did not replace the file.
     * Else the temporary name may be the only one that the open file has left, and stays.
     */
    private CompletableFuture<Void> undone(CompoundRequest<Void> undo, SillyName sillyName, Throwable failure) {
        boolean isDecided = failure instanceof StatusException && !(failure instanceof RepeatedChangeException);
        if (!isDecided) {
            LOG.warn(
                    "{} is left, another name of a file that was to be replaced; whether it was replaced is not known",
                    sillyName);
            return CompletableFuture.failedFuture(failure);
        }
        return caller.call(undo).handle((done, thrown) -> thrown).thenCompose(thrown -> {
            if (thrown != null) {
                LOG.warn(
                        "{} is left, another name of a file that was to be replaced: {}",
                        sillyName,
                        Futures.unwrap(thrown).getMessage());
            }
            return CompletableFuture.failedFuture(failure);
        });
    }

    private SillyName sillyName(Named file, String path) {
        String name =
                ".nfs" + HexFormat.of().toHexDigits(caller.runtime().random().nextLong())
                        + HexFormat.of().toHexDigits(count.incrementAndGet());
        int slash = path.lastIndexOf('/');
        return new SillyName(new Place(file.place().directory(), name), path.substring(0, slash + 1));
    }

    private void add(FileHandle file, SillyName sillyName) {
        sillyNames.compute(file, (handle, present) -> {
            Set<SillyName> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(sillyName);
            return all;
        });
        if (opens.of(file).isEmpty()) { // closed meanwhile, before the name was recorded
            CompletableFuture<Void> unused = lastClosed(file);
        }
    }

    /**
     * The last open of the file is closed: removes its temporary names. Never fails; a name that cannot be removed is
     * logged.
     */
    private CompletableFuture<Void> lastClosed(FileHandle file) {
        Set<SillyName> left = sillyNames.remove(file);
        return left == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.allOf(left.stream().map(this::remove).toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> remove(SillyName sillyName) {
        return caller.call(new NameRequests.RemoveRequest(sillyName.place())).exceptionally(thrown -> {
            Throwable reason = Futures.unwrap(thrown);
            boolean isGone = reason instanceof StatusException e && e.status() == Status.NFS4ERR_NOENT;
            if (!isGone) {
                LOG.warn("{} is left of a file that was removed while it was open: {}", sillyName, reason.getMessage());
            }
            return null;
        });
    }
}
