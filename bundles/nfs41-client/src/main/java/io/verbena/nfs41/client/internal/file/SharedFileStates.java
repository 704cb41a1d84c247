package io.verbena.nfs41.client.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.client.internal.names.PendingWrites;
import io.verbena.nfs41.client.internal.util.MountMemory;
import io.verbena.nfs41.client.internal.write.PendingFiles;
import io.verbena.nfs41.client.internal.write.SteadyLooks;
import io.verbena.nfs41.client.internal.write.WriteBack;
import io.verbena.nfs41.client.internal.write.WriteWaits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The open files of a mount, one {@link SharedFileState} for each file handle. Thread safe. */
public final class SharedFileStates implements PendingWrites {
    private final MountMemory memory;
    private final IntSupplier wsize;
    private final SteadyLooks looks;

    private final AtomicInteger restarts = new AtomicInteger();

    private final PendingFiles pending = new PendingFiles();

    @GuardedBy("this")
    private final Map<FileHandle, SharedFileState> cores = new HashMap<>();

    public SharedFileStates(MountMemory memory, IntSupplier wsize, SteadyLooks looks) {
        this.memory = memory;
        this.wsize = wsize;
        this.looks = looks;
    }

    /** The file of a handle, with one more open; {@link #release} ends that. */
    synchronized SharedFileState acquire(FileHandle handle) {
        SharedFileState core = cores.computeIfAbsent(
                handle, key -> new SharedFileState(key, new WriteBack(key, pending, memory, wsize, looks)));
        core.users++;
        return core;
    }

    synchronized void release(SharedFileState core) {
        core.users--;
        if (core.users == 0) {
            cores.remove(core.handle());
            pending.remove(core.writes());
        }
    }

    /** The file of a handle, where it is open. */
    synchronized Optional<SharedFileState> find(FileHandle handle) {
        return Optional.ofNullable(cores.get(handle));
    }

    private synchronized List<SharedFileState> all() {
        return List.copyOf(cores.values());
    }

    /** Memory is short: all files give back memory as soon as they can. Does not wait. */
    public void giveBack() {
        all().forEach(SharedFileState::giveBack);
    }

    @Override
    public boolean isPending() {
        return pending.isAny();
    }

    @Override
    public Set<FileHandle> pending() {
        return pending.all().stream().map(WriteBack::file).collect(Collectors.toUnmodifiableSet());
    }

    /** The server has restarted, and may have lost writes that were not on stable storage. */
    public void serverRestarted() {
        restarts.incrementAndGet();
        pending.all().forEach(writes -> writes.waits().serverRestarted());
    }

    @Override
    public <T> CompletableFuture<T> readConsistently(Supplier<CompletableFuture<T>> look) {
        return looks.look(restarts::get, () -> allOf(WriteWaits::certain).thenCompose(done -> look.get()));
    }

    private CompletableFuture<Void> allOf(Function<WriteWaits, CompletableFuture<Void>> wait) {
        return CompletableFuture.allOf(
                pending.all().stream().map(writes -> wait.apply(writes.waits())).toArray(CompletableFuture[]::new));
    }

    @Override
    public CompletableFuture<Void> answered() {
        return allOf(WriteWaits::answered);
    }

    @Override
    public <T> CompletableFuture<T> behindWrites(FileHandle file, Supplier<CompletableFuture<T>> look) {
        return find(file)
                .map(core -> core.readConsistently(
                        () -> core.writes().waits().answered().thenCompose(done -> look.get())))
                .orElseGet(look);
    }

    @Override
    public <T> CompletableFuture<T> inOrder(FileHandle file, Supplier<CompletableFuture<T>> change) {
        return find(file).map(core -> core.exclusively(same -> change.get())).orElseGet(change);
    }
}
