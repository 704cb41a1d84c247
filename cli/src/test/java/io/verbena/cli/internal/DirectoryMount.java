package io.verbena.cli.internal;

import io.verbena.cli.LocalNames;
import io.verbena.metrics.Distribution;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileSystemStatus;
import io.verbena.nfs.Finding;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.MountState;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.OperationStatistics;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A mount whose server is a directory, with a hook that can make anything fail. */
public final class DirectoryMount implements Mount, AutoCloseable {
    /** Told of every operation. */
    @FunctionalInterface
    public interface Hook {
        void before(String operation, String path, long position) throws IOException;

        /** Told of what has changed something, as soon as it has. */
        default void after(String operation, String path) throws IOException {}
    }

    /** By path: shared locks have one owner each, an exclusive one is alone. */
    final Locks locks = new Locks();

    final ExecutorService io = Executors.newSingleThreadExecutor();
    private final String name;
    private final Path root;
    private final Instant made = Instant.parse("2026-01-01T00:00:00Z");
    private long statisticsLooks;
    private volatile Hook hook = (operation, path, position) -> {};
    private volatile String bad;
    private volatile Map<String, String> lie = Map.of();
    private volatile MountState state = MountState.MOUNTED;
    private volatile boolean isReplaced;
    /** The file ids of directories without end; null for those that are there. */
    private volatile LongSupplier endlessIds;

    private volatile boolean isAwaited;

    public DirectoryMount(String name, Path root) {
        this.name = name;
        this.root = root;
    }

    public void hook(Hook newHook) {
        hook = newHook;
    }

    /** Lists one more entry in a directory, with which something is wrong. */
    public void listBad(String directory) {
        bad = "/" + directory;
    }

    /** Lists one more name in a directory, which is not there. */
    public void lie(String directory, String entry) {
        lie = Map.of("/" + directory, entry);
    }

    /** Whatever is asked for is a directory with another one in it. */
    public void beEndless() {
        AtomicLong next = new AtomicLong(1);
        endlessIds = next::getAndIncrement;
    }

    /** Each directory contains itself. */
    public void beLoop() {
        endlessIds = () -> 7;
    }

    private FileAttributes endless() throws IOException {
        FileAttributes of = UnixAttributes.of(root, false);
        return new FileAttributes(
                of.type(),
                of.size(),
                of.spaceUsed(),
                of.mode(),
                of.linkCount(),
                of.owner(),
                of.group(),
                of.modified(),
                of.accessed(),
                of.changed(),
                of.fileSystemMajor(),
                of.fileSystemMinor(),
                endlessIds.getAsLong(),
                of.change());
    }

    public void state(MountState newState) {
        state = newState;
    }

    /** Everything fails from now on, as it does when the client's bundle has gone. */
    public void setReplaced() {
        state = MountState.UNMOUNTED;
        isReplaced = true;
    }

    void tell(String operation, String path, long position) throws IOException {
        if (isReplaced) {
            throw new MountReplacedException(name, false);
        }
        hook.before(operation, path, position);
    }

    void told(String operation, String path) throws IOException {
        hook.after(operation, path);
    }

    Path file(String path) {
        return LocalNames.path(LocalNames.text(root) + path).normalize();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public MountStatistics statistics() {
        Distribution none = Distribution.EMPTY;
        long looks = ++statisticsLooks;
        OperationStatistics reads =
                new OperationStatistics("READ", 10 * looks, 1, 0, 2_000 * looks, 10_000_000 * looks, none, none);
        OperationStatistics writes = new OperationStatistics("WRITE", 5, 0, 2, 5_000_000, 700, none, none);
        return new MountStatistics(
                made,
                made.plusSeconds(10 * looks),
                List.of(reads, writes),
                "00ff",
                Optional.of(made),
                64,
                3,
                1,
                0,
                looks,
                0,
                0,
                2,
                1);
    }

    @Override
    public List<Finding> explain(String path) throws IOException {
        tell("explain", path, 0);
        if (!Files.exists(file(path))) {
            throw new NoSuchFileException(path);
        }
        return List.of(new Finding("read", "Write chunk", "READ of " + path));
    }

    @Override
    public String source() {
        return "server:/export";
    }

    @Override
    public MountState state() {
        return state;
    }

    @Override
    public Optional<IOException> failure() {
        return Optional.empty();
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("vers", "4.1");
        settings.put("rsize", "1048576");
        settings.put("provider", "native");
        settings.put("providerChoice", "auto: rxe0 has a route");
        settings.put("device", "rxe0");
        settings.put("version", "2");
        settings.put("swaps", "2");
        settings.put("replayed", "7");
        settings.put("lastSwap", "provider native, drain 3 ms, pause 8 ms");
        return settings;
    }

    @Override
    public void connect(Duration timeout) throws IOException {
        tell("connect", "/", 0);
    }

    @Override
    public boolean awaitEnd(Duration timeout) {
        isAwaited = true;
        return true;
    }

    /** Whether somebody has waited for its end. */
    public boolean isAwaited() {
        return isAwaited;
    }

    @Override
    public void reconnect(Duration timeout) throws IOException {
        tell("reconnect", "/", 0);
    }

    @Override
    public FileAttributes attributes(String path, boolean followLink) throws IOException {
        tell("attributes", path, 0);
        if (endlessIds != null) {
            return endless();
        }
        return UnixAttributes.of(file(path), followLink);
    }

    @Override
    public CompletableFuture<FileAttributes> attributesAsync(String path) {
        return CompletableFuture.failedFuture(new IOException("not needed here"));
    }

    @Override
    public FileAttributes setAttributes(String path, AttributeChanges changes, boolean followLink) throws IOException {
        tell(followLink ? "setAttributes" : "setLinkAttributes", path, 0);
        if (followLink) {
            UnixAttributes.change(file(path), changes);
        } else {
            UnixAttributes.changeTimesOfLink(file(path), changes);
        }
        told("setAttributes", path);
        return UnixAttributes.of(file(path), followLink);
    }

    @Override
    public List<DirectoryEntry> list(String path) throws IOException {
        tell("list", path, 0);
        if (endlessIds != null) {
            return List.of(new DirectoryEntry("d", endless()));
        }
        List<DirectoryEntry> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(file(path))) {
            for (Path entry : stream) {
                entries.add(new DirectoryEntry(LocalNames.name(entry), UnixAttributes.of(entry, false)));
            }
        }
        if (path.equals(bad)) {
            NfsException failure = new NfsException(path, "NFS4ERR_IO", "the server cannot tell of 'bad'");
            entries.add(new DirectoryEntry("bad", UnixAttributes.of(root, false), Optional.of(failure)));
        }
        if (lie.containsKey(path)) {
            entries.add(new DirectoryEntry(lie.get(path), UnixAttributes.of(root, false)));
        }
        return entries;
    }

    @Override
    public Iterable<DirectoryEntry> entries(String path) throws IOException {
        Iterator<DirectoryEntry> all = list(path).iterator();
        return () -> new Iterator<>() {
            @Override
            public boolean hasNext() {
                return all.hasNext();
            }

            @Override
            public DirectoryEntry next() {
                try {
                    tell("next", path, 0);
                    return all.next();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    @Override
    public RemoteFile open(String path, Set<? extends OpenOption> options, int mode) throws IOException {
        tell("open", path, 0);
        boolean isNew = options.contains(StandardOpenOption.CREATE_NEW);
        FileChannel channel = FileChannel.open(file(path), options);
        if (isNew) {
            told("create", path);
        }
        return new DirectoryFile(this, path, channel);
    }

    @Override
    public void createDirectory(String path, int mode) throws IOException {
        tell("createDirectory", path, 0);
        Files.createDirectory(file(path));
        Files.setAttribute(file(path), "unix:mode", mode);
        told("createDirectory", path);
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        tell("createSymbolicLink", path, 0);
        Files.createSymbolicLink(file(path), LocalNames.linkTarget(target));
        told("createSymbolicLink", path);
    }

    @Override
    public void createLink(String path, String existing) throws IOException {
        tell("createLink", path, 0);
        Files.createLink(file(path), file(existing));
        told("createLink", path);
    }

    @Override
    public String readLink(String path) throws IOException {
        tell("readLink", path, 0);
        return LocalNames.text(Files.readSymbolicLink(file(path)));
    }

    @Override
    public void remove(String path) throws IOException {
        tell("remove", path, 0);
        Files.delete(file(path));
        told("remove", path);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        tell("rename", from, 0);
        Files.move(file(from), file(to), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        told("rename", from);
    }

    @Override
    public boolean mayAccess(String path, boolean read, boolean write, boolean execute) throws IOException {
        tell("mayAccess", path, 0);
        // by the owner's bits: the tests may run as root, whom the system allows everything
        int mode = UnixAttributes.of(file(path), true).mode();
        return !write || (mode & 0_200) != 0;
    }

    @Override
    public FileSystemStatus fileSystemStatus(String path) throws IOException {
        tell("fileSystemStatus", path, 0);
        FileStore store = Files.getFileStore(root);
        return new FileSystemStatus(
                store.getTotalSpace(), store.getUnallocatedSpace(), store.getUsableSpace(), 1_000, 900);
    }

    @Override
    public void close() {
        io.shutdown();
    }
}
