package io.verbena.itests.badpath;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The asynchronous calls of a mount and its files, where there are any. */
final class AsyncMountDoor extends MountDoor {
    private static final int BOUND_SECONDS = 120;
    private static final int PIECE = 3000;

    private final Mount mount;

    AsyncMountDoor(Mount mount) {
        super(mount);
        this.mount = mount;
    }

    private static <T> T await(Future<T> future) throws IOException {
        try {
            return future.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("a call is under way for " + BOUND_SECONDS + " s", e);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void create(String path, byte[] content) throws IOException {
        await(mount.createFileAsync(path, ByteBuffer.wrap(content), AttributeChanges.NONE));
    }

    /** Several writes are under way at once. */
    @Override
    public void append(String path, byte[] more, int size) throws IOException {
        try (RemoteFile file = mount.open(path, Set.of(StandardOpenOption.WRITE), 0644)) {
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int at = 0; at < more.length; at += PIECE) {
                ByteBuffer piece = ByteBuffer.wrap(more, at, Math.min(PIECE, more.length - at));
                writes.add(file.writeAsync(piece, (long) size + at));
            }
            for (CompletableFuture<Void> write : writes) {
                await(write);
            }
        }
    }

    @Override
    public byte[] read(String path, int size) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(size + 1);
        await(mount.readFileAsync(path, content));
        return Arrays.copyOf(content.array(), content.position());
    }

    @Override
    public void remove(String path) throws IOException {
        await(mount.removeAsync(path));
    }
}
