package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.EntryNames;
import io.verbena.cli.internal.FileKey;
import io.verbena.cli.internal.Leftovers;
import io.verbena.cli.internal.Leftovers.Leftover;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePath;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files of a mount, and of those that take its place; open files go with the mount that they are of. */
final class RemoteTree implements FileTree {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteTree.class);
    private static final int PRIVATE_FILE = 0_600;
    private static final int PRIVATE_DIRECTORY = 0_700;

    private final ReplaceableMount mount;
    private final Leftovers leftovers;

    RemoteTree(Mounts mounts, Mount mount) {
        this.mount = new ReplaceableMount(mounts, mount);
        this.leftovers = mounts.leftovers();
    }

    @Override
    public String describe(String path) {
        return new RemotePath(mount.now().name(), path).toString();
    }

    @Override
    public String identity(String path) {
        // several mounts may show a file, one of them from higher up
        return (mount.now().source() + path).replaceAll("/+", "/").replaceAll("(?<=[^:])/$", "");
    }

    @Override
    public String child(String directory, String name) {
        return new RemotePath("", directory).child(name).path();
    }

    @Override
    public String sibling(String path, String name) {
        return new RemotePath("", path).parent().child(name).path();
    }

    @Override
    public String name(String path) {
        return new RemotePath("", path).name();
    }

    @Override
    public Optional<Node> find(String path, boolean followLink) throws IOException {
        return mount.call(on -> find(on, path, followLink));
    }

    private Optional<Node> find(Mount on, String path, boolean followLink) throws IOException {
        try {
            return Optional.of(node(on, name(path), on.attributes(path, followLink)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Node node(Mount on, String name, FileAttributes attributes) {
        boolean hasKey = attributes.isDirectory() || (attributes.isRegularFile() && attributes.linkCount() > 1);
        return new Node(
                name,
                attributes.type(),
                attributes.size(),
                attributes.mode() & 0_777,
                attributes.modified(),
                hasKey ? FileKey.of(on.source(), attributes) : null);
    }

    @Override
    public List<Node> list(String directory, Unlisted.Consumer unlisted) throws IOException {
        // told once, where a mount is replaced on the way
        Map<String, Exception> failures = new LinkedHashMap<>();
        List<Node> nodes = mount.call(on -> {
            failures.clear();
            return list(on, directory, failures::put);
        });
        failures.forEach(unlisted::add);
        return nodes;
    }

    private List<Node> list(Mount on, String directory, Unlisted.Consumer unlisted) throws IOException {
        List<Node> nodes = new ArrayList<>();
        try {
            for (DirectoryEntry entry : on.entries(directory)) {
                String name = entry.name();
                if (!EntryNames.isUsable(entry)) {
                    unlisted.add(name, EntryNames.failure());
                } else if (entry.failure().isPresent()) {
                    unlisted.add(name, entry.failure().get());
                } else if (entry.attributes().type() == FileType.OTHER) {
                    // the server may not have told what it is: asked for it alone, it says why
                    ask(on, child(directory, name), name, nodes, unlisted);
                } else {
                    nodes.add(node(on, name, entry.attributes()));
                }
            }
            return nodes;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void ask(Mount on, String path, String name, List<Node> nodes, Unlisted.Consumer unlisted)
            throws IOException {
        try {
            find(on, path, false).ifPresent(nodes::add);
        } catch (FileSystemException e) {
            unlisted.add(name, e);
        }
    }

    @Override
    public boolean mayWrite(String path) throws IOException {
        return mount.call(on -> on.mayAccess(path, false, true, false));
    }

    @Override
    public String resolve(String path) throws IOException {
        String current = path;
        for (int links = 0; links < 40; links++) {
            Optional<Node> node = find(current, false);
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
        mount.runOnce(
                on -> on.createDirectory(path, PRIVATE_DIRECTORY),
                on -> find(on, path, false).filter(Node::isDirectory).isPresent());
    }

    @Override
    public String readLink(String path) throws IOException {
        return mount.call(on -> on.readLink(path));
    }

    @Override
    public void createSymbolicLink(String path, String target) throws IOException {
        mount.runOnce(on -> on.createSymbolicLink(path, target), on -> leadsTo(on, path, target));
    }

    @Override
    public void setLinkTime(String path, Instant modified) throws IOException {
        AttributeChanges changes = AttributeChanges.NONE.withTimes(null, modified);
        mount.call(on -> on.setAttributes(path, changes, false));
    }

    @Override
    public void createLink(String path, String existing) throws IOException {
        mount.runOnce(on -> on.createLink(path, existing), on -> {
            Optional<FileVersion> made = version(on, path);
            return made.isPresent()
                    && version(on, existing).filter(made.get()::isSameFile).isPresent();
        });
    }

    @Override
    public boolean hasExtendedAttributes(String path) {
        return false; // NFSv4.1 has none
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

    private static Optional<FileVersion> version(Mount on, String path) throws IOException {
        try {
            return Optional.of(FileVersion.of(on, on.attributes(path, false)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<FileVersion> setAttributes(String path, int mode, Instant modified) throws IOException {
        AttributeChanges changes = AttributeChanges.NONE.withMode(mode).withTimes(null, modified);
        return mount.call(on -> Optional.of(FileVersion.of(on, on.setAttributes(path, changes))));
    }

    @Override
    public Extras extras(String path) throws IOException {
        return mount.call(on -> {
            FileAttributes attributes = on.attributes(path, true);
            return new Extras(
                    attributes.mode(),
                    attributes.owner(),
                    attributes.group(),
                    attributes.accessed(),
                    attributes.modified());
        });
    }

    @Override
    public Optional<FileVersion> setExtras(String path, Extras extras) throws IOException {
        return mount.call(on -> {
            int mode = setOwner(on, path, extras) ? extras.mode() : extras.modeForOthers();
            AttributeChanges changes =
                    AttributeChanges.NONE.withMode(mode).withTimes(extras.accessed(), extras.modified());
            return Optional.of(FileVersion.of(on, on.setAttributes(path, changes)));
        });
    }

    private static boolean setOwner(Mount on, String path, Extras extras) throws IOException {
        try {
            on.setAttributes(
                    path, AttributeChanges.NONE.withOwner(extras.owner()).withGroup(extras.group()));
            return true;
        } catch (FileSystemException e) {
            LOG.debug("{} keeps its owner", path, e);
            return false;
        }
    }

    @Override
    public void rename(String from, String to, Optional<FileVersion> which) throws IOException {
        mount.runOnce(on -> on.rename(from, to), on -> isRenamed(on, from, to, which));
    }

    /** The old name is the caller's alone; but that nothing has it may be since the mount is of another server now. */
    private static boolean isRenamed(Mount on, String from, String to, Optional<FileVersion> which) throws IOException {
        if (version(on, from).isPresent()) {
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
        mount.runOnce(on -> on.remove(path), on -> find(on, path, false).isEmpty());
    }

    @Override
    public void leaveBehind(String path, FileVersion which, String target) {
        leftovers.add(
                identity(target), new Leftover(path, which.fileSystemMajor(), which.fileSystemMinor(), which.fileId()));
    }

    @Override
    public void removeLeftovers(String target) {
        for (Leftover leftover : leftovers.take(identity(target))) {
            try {
                if (version(leftover.path())
                        .filter(there -> isSame(there, leftover))
                        .isPresent()) {
                    remove(leftover.path());
                    LOG.info("removed {}, which an earlier copy had to leave", describe(leftover.path()));
                }
            } catch (IOException e) {
                leftovers.add(identity(target), leftover);
                LOG.debug("{} stays, which an earlier copy had to leave", describe(leftover.path()), e);
            }
        }
    }

    private static boolean isSame(FileVersion there, Leftover leftover) {
        return there.fileId() == leftover.fileId()
                && there.fileSystemMajor() == leftover.fileSystemMajor()
                && there.fileSystemMinor() == leftover.fileSystemMinor();
    }

    @Override
    public BlockSource read(String path) throws IOException {
        return mount.call(on -> {
            RemoteFile file = on.open(path, Set.of(StandardOpenOption.READ), 0);
            try {
                return new RemoteSource(file, FileVersion.of(on, file.attributes()));
            } catch (IOException e) {
                closeAfter(file, e);
                throw e;
            }
        });
    }

    private static void closeAfter(RemoteFile file, IOException failure) {
        try {
            file.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public BlockSink write(String path, boolean isNew) throws IOException {
        if (!isNew) {
            return mount.call(on -> sink(on, on.open(path, Set.of(StandardOpenOption.WRITE), PRIVATE_FILE)));
        }
        Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        return mount.call(on -> {
            RemoteFile file = create(on, path, options);
            takeWhatIsThere(options);
            return sink(on, file);
        });
    }

    private static BlockSink sink(Mount on, RemoteFile file) throws IOException {
        try {
            return new RemoteSink(file, FileVersion.of(on, file.attributes()));
        } catch (IOException e) {
            closeAfter(file, e);
            throw e;
        }
    }

    private static void takeWhatIsThere(Set<OpenOption> options) {
        options.remove(StandardOpenOption.CREATE_NEW);
        options.add(StandardOpenOption.CREATE);
    }

    /** Once it is not known whether the file was made, one that is there is taken for it: its name is the caller's alone. */
    private static RemoteFile create(Mount on, String path, Set<OpenOption> options) throws IOException {
        try {
            return on.open(path, options, PRIVATE_FILE);
        } catch (MountReplacedException e) {
            if (e.isUndecided()) {
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
        return mount.now().state() == MountState.MOUNTED;
    }

    @Override
    public List<Mount> successors() {
        return mount.successors();
    }
}
