package io.verbena.nfs.transfer.internal.remote;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.MountSuccessors;
import io.verbena.nfs.transfer.internal.remote.StaleTemporaryFiles.Leftover;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.FileTree;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.nfs.transfer.internal.tree.PreservedAttributes;
import io.verbena.nfs.transfer.internal.tree.UnreadableEntry;
import io.verbena.nfs.transfer.walk.FileKey;
import io.verbena.runtime.Runtime;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a mount and of the mounts that replace it. An open file belongs to the mount that opened it, and fails
 * when that mount is replaced.
 */
public final class RemoteTree implements FileTree {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteTree.class);
    private static final int PRIVATE_DIRECTORY = 0_700;
    /** The silence of a server after which a copy does not wait for the server to clean up. */
    private static final Duration LONG_SILENCE = Duration.ofSeconds(5);

    private final MountSequence mount;
    private final StaleTemporaryFiles leftovers;
    private final Runtime runtime;
    private final SeenDirectories seen = new SeenDirectories();
    private final RemoteAttributes attributes;
    private final RemoteOpening opening;

    public RemoteTree(Mount mount, MountSuccessors successors, StaleTemporaryFiles leftovers, Runtime runtime) {
        this.mount = new MountSequence(successors, mount);
        this.attributes = new RemoteAttributes(this.mount, seen);
        this.opening = new RemoteOpening(this.mount, seen, runtime);
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
        return (mount.now().source() + RemoteEntries.withoutDots(path))
                .replaceAll("/+", "/")
                .replaceAll("(?<=[^:])/$", "");
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
    public void setLinkTime(String path, Instant modified) throws IOException {
        attributes.setLinkTime(path, modified);
    }

    @Override
    public Optional<FileVersion> version(String path) throws IOException {
        return mount.call(on -> version(on, path));
    }

    private Optional<FileVersion> version(Mount on, String path) throws IOException {
        return attributes.version(on, path);
    }

    @Override
    public Optional<FileVersion> setAttributes(String path, FileType type, int mode, Instant modified)
            throws IOException {
        return Optional.of(attributes.set(path, type, mode, modified));
    }

    @Override
    public PreservedAttributes extras(String path) throws IOException {
        return attributes.extras(path);
    }

    @Override
    public Optional<FileVersion> setExtras(String path, FileType type, PreservedAttributes extras) throws IOException {
        return Optional.of(attributes.setExtras(path, type, extras));
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
        return opening.read(path);
    }

    @Override
    public BlockSource readWhole(String path, int size) throws IOException {
        return opening.readWhole(path, size);
    }

    @Override
    public BlockSink writeWhole(String path, int mode, Instant modified, Consumer<Optional<FileVersion>> made) {
        return opening.writeWhole(path, mode, modified, made);
    }

    @Override
    public BlockSink write(String path, boolean isNew) throws IOException {
        return opening.write(path, isNew);
    }

    @Override
    public int requestsAtOnce() {
        return mount.now().slotsGranted();
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
