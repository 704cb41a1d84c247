package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** The files of a mount that are open. Thread safe. */
final class FileCores {
    private final BufferPool pool;
    private final IntSupplier wsize;

    private final AtomicInteger restarts = new AtomicInteger();

    // guarded by this
    private final Map<FileHandle, FileCore> cores = new HashMap<>();

    FileCores(BufferPool pool, IntSupplier wsize) {
        this.pool = pool;
        this.wsize = wsize;
    }

    /** The file of a handle; one more open of it, which {@link #release} ends. */
    synchronized FileCore acquire(FileHandle handle) {
        FileCore core = cores.computeIfAbsent(handle, key -> new FileCore(key, new WriteBack(pool, wsize)));
        core.users++;
        return core;
    }

    synchronized void release(FileCore core) {
        core.users--;
        if (core.users == 0) {
            cores.remove(core.handle());
        }
    }

    /** The file of a handle, where it is open. */
    synchronized Optional<FileCore> find(FileHandle handle) {
        return Optional.ofNullable(cores.get(handle));
    }

    private synchronized List<FileCore> all() {
        return List.copyOf(cores.values());
    }

    /** Whether writes of any file are on their way, or are not safe. */
    boolean isPending() {
        return all().stream().anyMatch(core -> core.writes().isPending());
    }

    /** The server has restarted. */
    void doubt() {
        restarts.incrementAndGet();
        all().forEach(core -> core.writes().waits().doubt());
    }

    /**
     * The outcome of what looks at several files, once the server has again what it forgot of them by a restart; looks
     * again where it restarts meanwhile.
     */
    <T> CompletableFuture<T> seeing(Supplier<CompletableFuture<T>> look) {
        int before = restarts.get();
        return allOf(WriteWaits::certain)
                .thenCompose(done -> look.get())
                .thenCompose(seen -> restarts.get() == before ? CompletableFuture.completedFuture(seen) : seeing(look));
    }

    private CompletableFuture<Void> allOf(Function<WriteWaits, CompletableFuture<Void>> wait) {
        return CompletableFuture.allOf(
                all().stream().map(core -> wait.apply(core.writes().waits())).toArray(CompletableFuture[]::new));
    }

    /** Complete once the server has answered the writes of all files so far. Never fails. */
    CompletableFuture<Void> answered() {
        return allOf(WriteWaits::answered);
    }
}
