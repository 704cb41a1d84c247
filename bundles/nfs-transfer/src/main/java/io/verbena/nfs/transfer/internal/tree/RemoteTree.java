package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.MountSuccessors;
import io.verbena.nfs.transfer.internal.tree.StaleTemporaryFiles.Leftover;
import io.verbena.nfs.transfer.walk.FileKey;
import io.verbena.runtime.Runtime;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a mount and of the mounts that replace it. An open file belongs to the mount that opened it, and fails
 * when that mount is replaced.
 */
final class RemoteTree implements FileTree {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteTree.class);
    private static final int PRIVATE_FILE = 0_600;
    private static final int PRIVATE_DIRECTORY = 0_700;
    /** The silence of a server after which a copy does not wait for the server to clean up. */
    private static final Duration LONG_SILENCE = Duration.ofSeconds(5);

    private final MountSequence mount;
    private final StaleTemporaryFiles leftovers;
    private final Runtime runtime;
    private final SeenDirectories seen = new SeenDirectories();

    RemoteTree(Mount mount, MountSuccessors successors, StaleTemporaryFiles leftovers, Runtime runtime) {
        this.mount = new MountSequence(successors, mount);
        this.leftovers = leftovers;
        this.runtime = runtime;
    }

    @Override
    public void addTop(String path) {
        // Each path of a mount is reached by its path.
    }

    @Override
    public String describe(String path) {
        return OctetText.printable(mount.now().name()) + ":" + OctetText.escape(path);
    }

    @Override
    public String identity(String path) {
        // Several mounts may show the same file, and one of them may start at a higher directory.
        return (mount.now().source() + path).replaceAll("/+", "/").replaceAll("(?<=[^:])/$", "");
    }

    @Override
    public String child(String directory, String name) {
        return RemoteEntries.path(directory, name);
    }

    @Override
    public String sibling(String path, String name) {
        return child(parent(path), name);
    }

    @Override
    public String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }

    @Override
    public String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    @Override
    public Optional<FileEntry> find(String path, boolean followLink) throws IOException {
        Optional<FileEntry> there = mount.call(on -> {
            FileAttributes.FileKey above = followLink ? null : seen.above(on, path);
            return above == null
                    ? RemoteEntries.find(on, path, name(path), followLink)
                    : RemoteEntries.find(on, path, name(path), above);
        });
        there.ifPresent(entry -> seen.found(path, entry, followLink));
        return there;
    }

    @Override
    public List<FileEntry> list(String directory, UnreadableEntry.Consumer unlisted) throws IOException {
        return list(new RemoteEntries.Directory(directory, Optional.empty(), describe(directory)), unlisted);
    }

    @Override
    public List<FileEntry> list(String directory, FileEntry found, UnreadableEntry.Consumer unlisted)
            throws IOException {
        return list(new RemoteEntries.Directory(directory, Optional.of(found.key()), describe(directory)), unlisted);
    }

    private List<FileEntry> list(RemoteEntries.Directory directory, UnreadableEntry.Consumer unlisted)
            throws IOException {
        // Each failure is reported once, even if the mount is replaced during the listing.
        Map<String, Exception> failures = new LinkedHashMap<>();
        List<FileEntry> nodes = mount.call(on -> {
            failures.clear();
            return directory.list(on, failures::put);
        });
        failures.forEach(unlisted::add);
        nodes.forEach(node -> seen.found(child(directory.path(), node.name()), node, false));
        return nodes;
    }

    @Override
    public Map<String, Instant> temporaries(String directory, int most) throws IOException {
        return mount.call(on -> RemoteEntries.temporaries(on, directory, most));
    }

    @Override
    public Instant changed(String path) throws IOException {
        return mount.call(on -> on.attributes(path, true).changed());
    }

    @Override
    public boolean mayWrite(String path) throws IOException {
        return mount.call(on -> on.mayAccess(path, false, true, false));
    }

    @Override
    public String resolve(String path) throws IOException {
        String current = path;
        for (int links = 0; links < 40; links++) {
            Optional<FileEntry> node = find(current, false);
            if (node.isEmpty()
                    || !node.get().isSymbolicLink()
                    || find(current, true).isEmpty()) {
                return current;
            }
            String target = readLink(current);
            current = target.startsWith("/") ? target : sibling(current, target);
        }
        throw new FileSystemLoopException(path);
    }

    @Override
    public void createDirectory(String path) throws IOException {
        seen.toBeMade(path);
        mount.runOnce(on -> on.createDirectory(path, seen.above(on, path), PRIVATE_DIRECTORY), on -> RemoteEntries.find(
                        on, path, name(path), seen.above(on, path))
                .filter(FileEntry::isDirectory)
                .isPresent());
        if (find(path, false).filter(FileEntry::isDirectory).isEmpty()) {
            throw new IOException("was replaced as soon as it was made");
        }
    }

    @Override
    public String readLink(String path) throws IOException {
        return mount.call(on -> on.readLink(path));
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        mount.runOnce(on -> on.createSymbolicLink(path, seen.above(on, path), target), on -> leadsTo(on, path, target));
    }

    @Override
    public void setLinkTime(String path, Instant modified) throws IOException {
        AttributeChanges changes = AttributeChanges.NONE.withTimes(null, modified);
        mount.call(on -> {
            FileAttributes.FileKey link = object(on, path, FileType.SYMBOLIC_LINK);
            return on.setAttributes(path, link, changes);
        });
    }

    /** Returns the directory as it was seen, or else what is there in its directory; null if that was not seen. */
    private FileAttributes.FileKey object(Mount on, String path, FileType type) throws IOException {
        FileAttributes.FileKey directory = type == FileType.DIRECTORY ? seen.at(on, path) : null;
        FileAttributes.FileKey above = seen.above(on, path);
        return directory != null || above == null ? directory : FileAttributes.FileKey.of(on.attributes(path, above));
    }

    private static FileAttributes set(Mount on, String path, FileAttributes.FileKey object, AttributeChanges changes)
            throws IOException {
        return object == null ? on.setAttributes(path, changes) : on.setAttributes(path, object, changes);
    }

    @Override
    public void createLink(String path, String existing) throws IOException {
        createLink(path, existing, Optional.empty());
    }

    @Override
    public void createLink(String path, String existing, Optional<FileEntry> directory) throws IOException {
        mount.runOnce(on -> on.createLink(path, seen.above(on, path), existing, above(on, existing, directory)), on -> {
            Optional<FileVersion> made = version(on, path);
            return made.isPresent()
                    && version(on, existing).filter(made.get()::isSameFile).isPresent();
        });
    }

    @Override
    public boolean hasExtendedAttributes(String path) {
        return false; // NFSv4.1 has no extended attributes
    }

    /** Returns the directory that holds a name: as it was found, if it was; null if it was not seen. */
    private FileAttributes.FileKey above(Mount on, String path, Optional<FileEntry> directory) throws IOException {
        FileKey found = directory.map(FileEntry::key).orElse(null);
        return found == null ? seen.above(on, path) : found.onServer();
    }

    private static boolean leadsTo(Mount on, String link, String target) throws IOException {
        try {
            return on.readLink(link).equals(target);
        } catch (NoSuchFileException | NotLinkException e) {
            return false;
        }
    }

    @Override
    public Optional<FileVersion> version(String path) throws IOException {
        return mount.call(on -> version(on, path));
    }

    private Optional<FileVersion> version(Mount on, String path) throws IOException {
        try {
            return Optional.of(FileVersion.of(on, on.attributes(path, seen.above(on, path))));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<FileVersion> setAttributes(String path, FileType type, int mode, Instant modified)
            throws IOException {
        AttributeChanges changes = AttributeChanges.NONE.withMode(mode).withTimes(null, modified);
        return mount.call(on -> Optional.of(FileVersion.of(on, set(on, path, object(on, path, type), changes))));
    }

    @Override
    public PreservedAttributes extras(String path) throws IOException {
        return mount.call(on -> {
            FileAttributes attributes = on.attributes(path, true);
            return new PreservedAttributes(
                    attributes.mode(),
                    attributes.owner(),
                    attributes.group(),
                    attributes.accessed(),
                    attributes.modified());
        });
    }

    @Override
    public Optional<FileVersion> setExtras(String path, FileType type, PreservedAttributes extras) throws IOException {
        return mount.call(on -> {
            FileAttributes.FileKey object = object(on, path, type);
            int mode = setOwner(on, path, object, extras) ? extras.mode() : extras.modeForOthers();
            AttributeChanges changes =
                    AttributeChanges.NONE.withMode(mode).withTimes(extras.accessed(), extras.modified());
            return Optional.of(FileVersion.of(on, set(on, path, object, changes)));
        });
    }

    private static boolean setOwner(Mount on, String path, FileAttributes.FileKey object, PreservedAttributes extras)
            throws IOException {
        AttributeChanges owner = AttributeChanges.NONE.withOwner(extras.owner()).withGroup(extras.group());
        try {
            FileAttributes unused = set(on, path, object, owner);
            return true;
        } catch (FileSystemException e) {
            LOG.debug("{} keeps its owner", path, e);
            return false;
        }
    }

    @Override
    public void rename(String from, String to, Optional<FileVersion> which) throws IOException {
        rename(from, to, which, Optional.empty());
    }

    @Override
    public void rename(String from, String to, Optional<FileVersion> which, Optional<FileEntry> directory)
            throws IOException {
        mount.runOnce(
                on -> on.rename(from, above(on, from, directory), to, seen.above(on, to)),
                on -> isRenamed(on, from, to, which));
        seen.renamed(from, to);
    }

    /**
     * Returns whether the file has been renamed. The old name may be missing because the next mount is of another
     * server, and another process may have made a file of the old name since.
     */
    private boolean isRenamed(Mount on, String from, String to, Optional<FileVersion> which) throws IOException {
        Optional<FileVersion> left = version(on, from);
        if (left.isPresent() && (which.isEmpty() || which.get().isSameFile(left.get()))) {
            return false;
        }
        Optional<FileVersion> there = version(on, to);
        if (which.isPresent() && there.filter(which.get()::isSameFile).isEmpty()) {
            throw new IOException("was changed or replaced while it was copied; copy it again");
        }
        return there.isPresent();
    }

    @Override
    public void remove(String path) throws IOException {
        mount.runOnce(on -> on.remove(path, seen.above(on, path)), on -> version(on, path)
                .isEmpty());
        seen.removed(path);
    }

    @Override
    public void remove(String path, FileEntry which, Optional<FileEntry> directory) throws IOException {
        mount.runOnce(on -> on.remove(path, above(on, path, directory)), on -> isRemoved(on, path, which));
        seen.removed(path);
    }

    private static boolean isRemoved(Mount on, String path, FileEntry which) throws IOException {
        Optional<FileEntry> there = RemoteEntries.find(on, path, which.name(), false);
        if (there.isPresent() && !isSame(which, there.get())) {
            throw new IOException("was changed or replaced while it was removed, and is left");
        }
        return there.isEmpty();
    }

    /** Returns whether two objects are one. The time of a directory changes as its entries are removed. */
    private static boolean isSame(FileEntry one, FileEntry other) {
        return one.isDirectory()
                ? other.isDirectory() && Objects.equals(one.key(), other.key())
                : one.type() == other.type()
                        && one.size() == other.size()
                        && one.modified().equals(other.modified());
    }

    @Override
    public void leaveBehind(String path, Optional<FileVersion> which, String target) {
        leftovers.add(identity(target), new Leftover(path, which.map(Leftover.Identity::of)));
    }

    @Override
    public void removeLeftovers(String target) {
        for (Leftover leftover : leftovers.take(identity(target))) {
            try {
                if (version(leftover.path()).filter(leftover::isPerhaps).isPresent()) {
                    remove(leftover.path());
                    LOG.info("removed {}, which an earlier copy had to leave", describe(leftover.path()));
                }
            } catch (IOException e) {
                leftovers.add(identity(target), leftover);
                LOG.debug("{} stays, which an earlier copy had to leave", describe(leftover.path()), e);
            }
        }
    }

    @Override
    public Optional<FileEntry> adopt(String path) throws IOException {
        Optional<FileEntry> there = find(path, false);
        if (there.isPresent() && !there.get().isRegularFile()) {
            throw new FileSystemException(null, null, "what is in the place of its temporary file is no file");
        }
        return there;
    }

    @Override
    public void release(String path) {
        // The file is not kept open.
    }

    @Override
    public void close() {
        // The mount keeps nothing open for a copy.
    }

    @Override
    public BlockSource read(String path) throws IOException {
        return mount.call(on -> {
            RemoteFile file = open(on, path, Set.of(StandardOpenOption.READ));
            try {
                return new RemoteSource(on, file, FileVersion.of(on, file.attributes()));
            } catch (Throwable e) {
                closeAfter(file, e);
                throw e;
            }
        });
    }

    @Override
    public BlockSource readWhole(String path, int size) throws IOException {
        BlockSource whole = mount.call(on -> {
            FileAttributes.FileKey above = seen.isFollowed(path) ? null : seen.above(on, path);
            return RemoteWholeFiles.read(on, path, above, size, runtime);
        });
        return whole == null ? read(path) : whole;
    }

    @Override
    public BlockSink writeWhole(String path, int mode, Instant modified, Consumer<Optional<FileVersion>> made) {
        AttributeChanges attributes = AttributeChanges.NONE.withMode(mode).withTimes(null, modified);
        return RemoteWholeFiles.write(mount, seen, path, attributes, made, runtime);
    }

    @Override
    public int requestsAtOnce() {
        return mount.now().slotsGranted();
    }

    private static void closeAfter(RemoteFile file, Throwable failure) {
        try {
            file.close();
        } catch (Throwable e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public BlockSink write(String path, boolean isNew) throws IOException {
        if (!isNew) {
            return mount.call(on -> sink(on, open(on, path, Set.of(StandardOpenOption.WRITE))));
        }
        Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        return mount.call(on -> {
            RemoteFile file = create(on, path, options);
            takeWhatIsThere(options); // it is created: another mount only opens it
            return sink(on, file);
        });
    }

    /** Opens a file in its directory as that was seen, if it was. */
    private RemoteFile open(Mount on, String path, Set<? extends OpenOption> options) throws IOException {
        FileAttributes.FileKey above = seen.isFollowed(path) ? null : seen.above(on, path);
        return above == null ? on.open(path, options, PRIVATE_FILE) : on.open(path, above, options, PRIVATE_FILE);
    }

    private static BlockSink sink(Mount on, RemoteFile file) throws IOException {
        try {
            return new RemoteSink(on, file, FileVersion.of(on, file.attributes()));
        } catch (Throwable e) {
            closeAfter(file, e);
            throw e;
        }
    }

    private static void takeWhatIsThere(Set<OpenOption> options) {
        options.remove(StandardOpenOption.CREATE_NEW);
        options.add(StandardOpenOption.CREATE);
    }

    /**
     * Creates a file. If it is not known whether an earlier request created the file, an existing file is accepted.
     * Only the caller knows its name.
     */
    private RemoteFile create(Mount on, String path, Set<OpenOption> options) throws IOException {
        try {
            return open(on, path, options);
        } catch (UndecidedException e) {
            takeWhatIsThere(options);
            return open(on, path, options);
        } catch (IOException e) {
            if (MountSequence.isUndecided(e)) {
                takeWhatIsThere(options);
            }
            throw e;
        }
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public boolean isReachable() {
        Instant now = runtime.now();
        return mount.now().state() == MountState.MOUNTED
                && mount.now()
                        .unresponsiveServer()
                        .filter(silence -> silence.length(now).compareTo(LONG_SILENCE) >= 0)
                        .isEmpty();
    }

    @Override
    public Optional<UnresponsiveServer> unresponsiveServer() {
        return mount.now().unresponsiveServer();
    }

    @Override
    public List<Mount> successors() {
        return mount.successors();
    }
}
