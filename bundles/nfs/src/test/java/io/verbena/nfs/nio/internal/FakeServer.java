package io.verbena.nfs.nio.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.CreateVerifier;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;

/**
 * A server of one file, by whatever name, and mounts of it that take the place of one another. What is written can be
 * held, refused, and lost.
 */
final class FakeServer implements AutoCloseable {
    final NfsFileSystemProvider provider = new NfsFileSystemProvider();
    final NfsFileSystem files;
    /** The root. */
    final FakeDirectory directory = new FakeDirectory();
    /** Locks that are held. */
    final Set<RemoteLock> locks = ConcurrentHashMap.newKeySet();
    /** The files that are open. */
    final Set<RemoteFile> open = ConcurrentHashMap.newKeySet();
    /** How long those who asked for locks would have waited. */
    final List<Duration> lockWaits = new CopyOnWriteArrayList<>();
    /** How many of them get none. */
    volatile int denials;
    /** Done once, within the next call for a lock, before it is granted. */
    Runnable beforeLock = () -> {};
    /** Done once, behind the next open. */
    Runnable afterOpen = () -> {};
    /** Done once, before the server answers the next open that it has carried out. */
    Runnable beforeOpenIsAnswered = () -> {};
    /** Done once, within the next sync, before it is answered. */
    Runnable duringSync = () -> {};
    /** Thrown once, by the next release of a lock, which brings nothing to stable storage then. */
    IOException unlockFailure;
    /** The future of each read, where there is one. */
    CompletableFuture<Integer> reads;

    @GuardedBy("this")
    private final Queue<Runnable> held = new ArrayDeque<>();

    @GuardedBy("this")
    private final List<CompletableFuture<Void>> writes = new ArrayList<>();

    @GuardedBy("this")
    private long end;

    @GuardedBy("this")
    private boolean holds;

    @GuardedBy("this")
    private IOException refusal;

    /** Only writes at this offset and behind are refused. */
    @GuardedBy("this")
    private long refusedFrom;

    @GuardedBy("this")
    private byte[] content = new byte[0];

    @GuardedBy("this")
    private byte[] stable = content;

    @GuardedBy("this")
    private int syncs;

    private final UnaryOperator<Mount> between;
    private boolean made;
    private int opens;
    private volatile boolean removed;

    @GuardedBy("this")
    private FakeLife life;

    @GuardedBy("this")
    private Mount mount;

    FakeServer() {
        this(UnaryOperator.identity());
    }

    /** @param between stands between java.nio and each of the mounts */
    FakeServer(UnaryOperator<Mount> between) {
        this.between = between;
        mount = come();
        files = (NfsFileSystem) provider.getFileSystem(URI.create("nfs+rdma:work"));
    }

    /** A file system over the present mount, which nothing replaces. */
    synchronized FileSystem single() {
        return provider.over(mount);
    }

    Path path() {
        return files.getPath("/f");
    }

    @GuardedBy("this")
    private Mount come() {
        FakeLife fresh = new FakeLife();
        life = fresh;
        Mount made = (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(),
                new Class<?>[] {Mount.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "name", "toString" -> "work";
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == args[0];
                    case "settings" -> Map.of();
                    case "open" -> {
                        requireHere(fresh);
                        yield open(fresh, (Set<?>) args[1]);
                    }
                    case "attributes" -> {
                        requireHere(fresh);
                        yield args[0].equals("/") ? FakeDirectory.attributes(FileType.DIRECTORY, 2, 0) : attributes();
                    }
                    case "remove" -> {
                        requireHere(fresh);
                        removed = true;
                        yield null;
                    }
                    case "listing" -> InvocationHandler.invokeDefault(proxy, method, args);
                    case "entries" -> {
                        requireHere(fresh);
                        yield directory.entries();
                    }
                    default -> throw new AssertionError(method);
                });
        Mount seen = between.apply(made);
        provider.addMount(seen);
        return seen;
    }

    private RemoteFile open(FakeLife by, Set<?> options) throws IOException {
        boolean isNew = options.contains(StandardOpenOption.CREATE_NEW)
                || options.stream().anyMatch(CreateVerifier.class::isInstance);
        if (isNew && made) {
            throw new FileAlreadyExistsException("/f");
        }
        made = true;
        opens++;
        if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
            truncate(0);
        }
        Runnable before = beforeOpenIsAnswered;
        beforeOpenIsAnswered = () -> {};
        before.run();
        requireHere(by);
        Runnable after = afterOpen;
        afterOpen = () -> {};
        after.run();
        RemoteFile file = new FakeFile(this, by, options.contains(StandardOpenOption.APPEND));
        open.add(file);
        return file;
    }

    int opens() {
        return opens;
    }

    static void requireHere(FakeLife life) throws MountReplacedException {
        if (life.gone() != null) {
            throw life.gone();
        }
    }

    /** Another mount takes the place of this one, which brings to stable storage what was written, or loses it. */
    synchronized void replace(boolean safe) {
        FakeLife last = life;
        Mount gone = mount;
        if (safe) {
            stable = content;
        } else {
            content = stable;
        }
        end = 0;
        mount = come();
        provider.removeMount(gone);
        last.end(!safe);
        release();
    }

    /** Another client has written this to stable storage, and nothing else is in the file. */
    synchronized void put(String text) {
        content = text.getBytes(StandardCharsets.US_ASCII);
        stable = content;
    }

    synchronized String content() {
        return new String(content, StandardCharsets.US_ASCII);
    }

    boolean isRemoved() {
        return removed;
    }

    synchronized int syncs() {
        return syncs;
    }

    /** From now on writes are answered only when they are released. */
    synchronized void hold() {
        holds = true;
    }

    synchronized void release() {
        holds = false;
        for (Runnable next = held.poll(); next != null; next = held.poll()) {
            next.run();
        }
    }

    /** From now on writes fail so; null ends that. */
    void refuse(IOException failure) {
        refuse(failure, 0);
    }

    /** As {@link #refuse(IOException)}, for writes that begin at this offset or behind it. */
    synchronized void refuse(IOException failure, long from) {
        refusal = failure;
        refusedFrom = from;
    }

    synchronized CompletableFuture<Void> write(FakeLife by, byte[] octets, long position) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        writes.removeIf(CompletableFuture::isDone);
        writes.add(done);
        Runnable step = () -> land(by, octets, position, done);
        if (holds) {
            held.add(step);
        } else {
            step.run();
        }
        return done;
    }

    private synchronized void land(FakeLife by, byte[] octets, long position, CompletableFuture<Void> done) {
        if (by.gone() != null) {
            done.completeExceptionally(by.gone());
        } else if (refusal != null && position >= refusedFrom) {
            done.completeExceptionally(refusal);
        } else {
            int stop = Math.toIntExact(position) + octets.length;
            byte[] next = Arrays.copyOf(content, Math.max(content.length, stop));
            System.arraycopy(octets, 0, next, Math.toIntExact(position), octets.length);
            content = next;
            done.complete(null);
        }
    }

    /** Where an append goes: behind all that is there or held. */
    synchronized long place(int length) {
        long at = Math.max(end, content.length);
        end = at + length;
        return at;
    }

    /** As a mount reads: behind the writes that were called before. */
    void awaitWrites() throws InterruptedIOException {
        CompletableFuture<?> all;
        synchronized (this) {
            all = CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new))
                    .exceptionally(thrown -> null);
        }
        try {
            Object unused = all.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    synchronized byte[] read() {
        return content;
    }

    synchronized void truncate(int size) throws IOException {
        if (refusal != null) {
            throw refusal;
        }
        content = Arrays.copyOf(content, size);
    }

    void sync() {
        Runnable during = duringSync;
        duringSync = () -> {};
        synchronized (this) {
            stable = content;
            syncs++;
        }
        during.run();
    }

    synchronized FileAttributes attributes() {
        return FakeDirectory.attributes(FileType.REGULAR, 1, content.length);
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
