package io.verbena.fuse.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.Answer;
import io.verbena.fuse.internal.kernel.Device;
import io.verbena.fuse.internal.mount.MountSource;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** An export with a few objects, by a server that clears set-id bits of who gets a file, as Linux's does. */
public final class FakeExport implements MountSource {
    private static final int SET_ID = 06000;

    private final Map<String, FileAttributes> objects = new HashMap<>();
    private final List<String> states = new ArrayList<>();
    /** The opens that have lost a lock, by their numbers from 1. */
    private final Set<Integer> withoutLocks = new HashSet<>();

    private final List<Consumer<IOException>> grantedLocks = new ArrayList<>();
    private final List<CompletableFuture<Integer>> reads = new ArrayList<>();
    private Runnable onUnlock = () -> {};
    private Runnable onLook = () -> {};

    private boolean failsListings;
    private int opens;
    /** How often the mount was replaced. */
    private int replacements;

    private Mount mount = mount();
    /** What happens to data; null where it reaches the disk. */
    private IOException loss;
    /** The user and group of what is made. */
    private String maker = "0";

    public FakeExport() {
        put("/", FileType.DIRECTORY, 2, 0755);
    }

    /** Has an object at a path. */
    public void put(String path, FileType type, long number, int mode) {
        Instant time = Instant.EPOCH;
        objects.put(path, new FileAttributes(type, 0, 0, mode, 1, maker, maker, time, time, time, 1, 1, number, 1));
    }

    /** Has another user and group own what is made from now on. */
    void makeFor(String user) {
        maker = user;
    }

    /** Has what is written from now on be lost, by a write or by a sync. */
    void loseData() {
        loss = new IOException("the disk is broken");
    }

    private CompletableFuture<Void> write(int open, String path) throws IOException {
        FileAttributes unused = requireLocks(open, path);
        return loss == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(loss);
    }

    private Object sync() throws IOException {
        if (loss != null) {
            throw loss;
        }
        return null;
    }

    /** Has an open lose a lock: see {@link RemoteLock#onLost}. */
    void loseLocks(int open) {
        withoutLocks.add(open);
    }

    /** Has the server take away the locks that are held. */
    void loseGrantedLocks() {
        grantedLocks.forEach(each -> each.accept(new IOException("the server has taken it away")));
    }

    @SuppressWarnings("unchecked")
    private Object lock(String method, Object[] args) {
        if (method.equals("onLost")) {
            grantedLocks.add((Consumer<IOException>) args[0]);
        } else if (method.equals("close")) {
            onUnlock.run();
        }
        return null;
    }

    private FileAttributes requireLocks(int open, String path) throws IOException {
        if (withoutLocks.contains(open)) {
            throw new NfsException(path, "NFS4ERR_RECLAIM_CONFLICT", "a lock on it was lost");
        }
        return find(path);
    }

    /** Has another mount take the place of the present one. */
    void replace() {
        replacements++;
        mount = mount();
    }

    private Mount mount() {
        int number = replacements;
        return Answer.as(Mount.class, (method, args) -> {
            requireGoing(number);
            return call(method, args);
        });
    }

    private void requireGoing(int number) throws MountReplacedException {
        if (number < replacements) {
            throw new MountReplacedException("m", false);
        }
    }

    /** Has something happen while a lock is released. */
    public void onUnlock(Runnable action) {
        onUnlock = action;
    }

    /** The reads so far, which the test answers. */
    List<CompletableFuture<Integer>> reads() {
        return reads;
    }

    /** The owner, group and mode that new files had, one after the other. */
    List<String> states() {
        return states;
    }

    /** The operations of a mount of this export for all users. */
    public Operations operations(Device device, Executor executor, Duration valid) throws IOException {
        return new Operations(context(device, executor, valid), false);
    }

    public FileSystemContext context(Device device, Executor executor, Duration valid) throws IOException {
        return new FileSystemContext(new SystemRuntime(), present(), device, executor, valid, 0, 0, true);
    }

    public PresentMount present() throws IOException {
        return new PresentMount(this);
    }

    @Override
    public Mount get() {
        return mount;
    }

    @Override
    public Mount successor(Mount gone) {
        assertThat(gone).as("a mount that is replaced").isNotSameAs(mount);
        return mount;
    }

    private Object call(String method, Object[] args) throws IOException {
        String path = args == null ? "" : String.valueOf(args[0]);
        boolean isSeenItself = method.equals("listing") || method.equals("setAttributes");
        requireSame(isSeenItself ? path : above(path), args, 1);
        if (method.equals("rename") || method.equals("createLink")) {
            requireSame(above((String) args[2]), args, 3);
        }
        return switch (method) {
            case "attributes" -> look(path);
            case "listing" -> list(path);
            case "remove" -> remove(path);
            case "rename" -> objects.put((String) args[2], remove(path));
            case "createDirectory" -> make(path, FileType.DIRECTORY, (int) args[2]);
            case "createSymbolicLink" -> make(path, FileType.SYMBOLIC_LINK, 0777);
            case "createSpecial" -> make(path, (FileType) args[2], (int) args[3]);
            case "createLink" -> objects.put(path, find((String) args[2]));
            case "open" -> open(path, (int) args[args.length - 1]);
            case "setAttributes" ->
                change(path, (AttributeChanges) (args[1] instanceof AttributeChanges ? args[1] : args[2]));
            case "memory" -> Answer.as(MemoryShare.class, FakeExport::memory);
            default -> throw new AssertionError(method);
        };
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the proxy has it
    private static Object memory(String request, Object[] given) {
        ByteBuffer buffer = ByteBuffer.allocateDirect((int) given[0]);
        BufferLease lease = Answer.as(BufferLease.class, (method, args) -> method.equals("buffer") ? buffer : null);
        return CompletableFuture.completedFuture(lease);
    }

    private static String above(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private void requireSame(String path, Object[] args, int index) throws IOException {
        if (args != null
                && args.length > index
                && args[index] instanceof FileKey seen
                && !FileKey.of(find(path)).equals(seen)) {
            throw new NfsException(path, "NFS4ERR_NOT_SAME", "another object is there by now");
        }
    }

    private Object make(String path, FileType type, int mode) {
        put(path, type, 100 + objects.size(), mode);
        return null;
    }

    /** Has listings fail behind their first entry. */
    void failListings() {
        failsListings = true;
    }

    /** A listing with attributes that are fresh. */
    private DirectoryListing list(String path) {
        String above = path.equals("/") ? path : path + "/";
        Iterator<DirectoryEntry> entries = new TreeMap<>(objects)
                .entrySet().stream()
                        .filter(each -> each.getKey().lastIndexOf('/') == above.length() - 1
                                && each.getKey().startsWith(above)
                                && each.getKey().length() > above.length())
                        .map(each -> new DirectoryEntry(each.getKey().substring(above.length()), each.getValue()))
                        .iterator();
        AtomicInteger listed = new AtomicInteger();
        return Answer.as(DirectoryListing.class, (method, args) -> switch (method) {
            case "hasNext" -> {
                if (failsListings && listed.get() > 0) {
                    throw new UncheckedIOException(new IOException("the server is silent"));
                }
                yield entries.hasNext();
            }
            case "next" -> {
                listed.incrementAndGet();
                yield entries.next();
            }
            case "freshness" -> (BooleanSupplier) () -> true;
            default -> throw new AssertionError(method);
        });
    }

    private FileAttributes remove(String path) throws IOException {
        FileAttributes unused = find(path);
        return objects.remove(path);
    }

    boolean has(String path) {
        return objects.containsKey(path);
    }

    /** Has something happen behind the next look at an object. */
    void onLook(Runnable action) {
        onLook = action;
    }

    private FileAttributes look(String path) throws IOException {
        FileAttributes found = find(path);
        Runnable action = onLook;
        onLook = () -> {};
        action.run();
        return found;
    }

    private FileAttributes find(String path) throws IOException {
        FileAttributes found = objects.get(path);
        if (found == null) {
            throw new NoSuchFileException(path);
        }
        return found;
    }

    private RemoteFile open(String path, int mode) throws IOException {
        if (!objects.containsKey(path)) {
            put(path, FileType.REGULAR, 100 + objects.size(), mode);
            note(find(path));
        }
        int number = ++opens;
        int mountNumber = replacements;
        return Answer.as(RemoteFile.class, (method, args) -> {
            if (!method.equals("close")) {
                requireGoing(mountNumber);
            }
            return file(number, path, method, args);
        });
    }

    private Object file(int number, String path, String method, Object[] args) throws IOException {
        return switch (method) {
            case "attributes" -> requireLocks(number, path);
            case "setAttributes" -> {
                FileAttributes unused = requireLocks(number, path);
                yield change(path, (AttributeChanges) args[0]);
            }
            case "truncate" -> {
                FileAttributes unused = requireLocks(number, path);
                yield change(path, AttributeChanges.NONE.withSize((long) args[0]));
            }
            case "tryLock" -> Optional.of(Answer.as(RemoteLock.class, this::lock));
            case "isLocked" -> false;
            case "readAsync" -> {
                reads.add(new CompletableFuture<>());
                yield reads.get(reads.size() - 1);
            }
            case "writeAsync" -> write(number, path);
            case "sync" -> sync();
            case "close" -> null;
            default -> throw new AssertionError(method);
        };
    }

    private FileAttributes change(String path, AttributeChanges changes) throws IOException {
        FileAttributes old = find(path);
        boolean isGiven = changes.owner() != null || changes.group() != null;
        int mode = changes.mode() == null ? old.mode() : changes.mode();
        FileAttributes changed = new FileAttributes(
                old.type(),
                changes.size() == null ? old.size() : changes.size(),
                old.spaceUsed(),
                isGiven ? mode & ~SET_ID : mode,
                old.linkCount(),
                changes.owner() == null ? old.owner() : changes.owner(),
                changes.group() == null ? old.group() : changes.group(),
                old.modified(),
                old.accessed(),
                old.changed(),
                old.fileSystemMajor(),
                old.fileSystemMinor(),
                old.fileId(),
                old.change() + 1);
        objects.put(path, changed);
        note(changed);
        return changed;
    }

    private void note(FileAttributes of) {
        states.add(of.owner() + " " + of.group() + " " + Integer.toOctalString(of.mode()));
    }
}
