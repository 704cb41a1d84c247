package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.OptionException;
import io.verbena.nfs.transfer.walk.NamedFailures;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A path of a local or remote tree, with the name that failures show. Immutable. May be used by several threads at the
 * same time.
 */
public final class TreePath {
    private final FileTree tree;
    private final String path;
    private final String shown;
    private final boolean isDirectory;
    private final boolean isContents;

    private TreePath(FileTree tree, String path, String shown, boolean isDirectory, boolean isContents) {
        this.tree = tree;
        this.path = path;
        this.shown = shown;
        this.isDirectory = isDirectory;
        this.isContents = isContents;
    }

    /** Returns the path of a location. */
    public static TreePath of(FileTree tree, Location location) {
        return new TreePath(tree, location.path(), location.toString(), location.isDirectory(), location.isContents());
    }

    /** Returns whether the user wrote the path as a directory, with a slash at the end. */
    public boolean isDirectory() {
        return isDirectory;
    }

    /**
     * Returns whether the user means the entries of the directory and not the directory: the path is a root or ends
     * with {@code .}.
     */
    public boolean isContents() {
        return isContents;
    }

    /** Returns the last name of the path. */
    public String name() {
        return tree.name(path);
    }

    /** Returns the path of another location, which is on the mount of this path, or on this host as this path is. */
    public TreePath inThisTree(Location location) {
        tree.addTop(location.path());
        return of(tree, location);
    }

    public TreePath child(String name) {
        String child = tree.child(path, name);
        return new TreePath(tree, child, tree.describe(child), false, false);
    }

    /** Returns another name in the same directory. Failures of the returned path show the name of this path. */
    public TreePath hiddenSibling(String name) {
        return new TreePath(tree, tree.sibling(path, name), shown, false, false);
    }

    /** Returns the target of a symbolic link if the target exists, otherwise this path. */
    public TreePath resolved() throws IOException {
        return NamedFailures.get(shown, () -> new TreePath(tree, tree.resolve(path), shown, isDirectory, isContents));
    }

    /** Returns the place of the path, even if failures show another name. */
    public String place() {
        return tree.describe(path);
    }

    /** See {@link FileTree#identity}. */
    public String identity() {
        return tree.identity(path);
    }

    /** Returns whether two paths certainly lead to the same file. Other names of the file are not recognised. */
    public boolean isSame(TreePath other) {
        return identity().equals(other.identity());
    }

    /** Returns whether this path is certainly below a directory. */
    public boolean isBelow(TreePath directory) {
        String top = directory.identity();
        return !isSame(directory) && identity().startsWith(top.endsWith("/") ? top : top + "/");
    }

    /** Returns the failure that reports a missing object. */
    public IOException missing() {
        return NamedFailures.about(shown, new NoSuchFileException(path));
    }

    public Optional<FileEntry> find(boolean followLink) throws IOException {
        return NamedFailures.get(shown, () -> tree.find(path, followLink));
    }

    /**
     * Returns the entries of the directory. Of a name that is listed more than once there is no entry: one of them
     * could be a link through which another of them would be written.
     *
     * @param seen the directory as it was found: another one in its place is not listed
     * @param unlisted receives the entries that cannot be read, and each name that is listed more than once
     */
    public List<FileEntry> list(FileEntry seen, List<UnreadableEntry> unlisted) throws IOException {
        List<FileEntry> entries = NamedFailures.get(
                shown,
                () -> tree.list(
                        path, seen, (name, reason) -> unlisted.add(new UnreadableEntry(name, failure(name, reason)))));
        Set<String> names = new HashSet<>();
        unlisted.forEach(entry -> names.add(entry.name()));
        Set<String> repeated = new LinkedHashSet<>();
        for (FileEntry entry : entries) {
            if (!names.add(entry.name())) {
                repeated.add(entry.name());
            }
        }
        if (repeated.isEmpty()) {
            return entries;
        }
        for (String name : repeated) {
            IOException reason = new IOException("the name is listed more than once, so that none of it is copied");
            unlisted.add(new UnreadableEntry(name, failure(name, reason)));
        }
        return entries.stream()
                .filter(entry -> !repeated.contains(entry.name()))
                .toList();
    }

    /** Returns a failure of an operation on this file. */
    public CopyFailure failure(IOException cause) {
        return new CopyFailure(shown, cause);
    }

    private CopyFailure failure(String name, Exception reason) {
        String file = tree.describe(tree.child(path, name));
        return new CopyFailure(file, NamedFailures.about(file, reason));
    }

    /** Throws if this user may not write to the existing object. Only {@code FORCE} replaces such an object. */
    public void checkMayWrite() throws IOException {
        if (!NamedFailures.get(shown, () -> tree.mayWrite(path))) {
            throw new OptionException(
                    shown, "permission denied to write", Flag.FORCE, new AccessDeniedException(shown));
        }
    }

    public void createDirectory() throws IOException {
        NamedFailures.run(shown, () -> tree.createDirectory(path));
    }

    public String readLink() throws IOException {
        return NamedFailures.get(shown, () -> tree.readLink(path));
    }

    public void createSymbolicLink(String target) throws IOException {
        NamedFailures.run(shown, () -> tree.createSymbolicLink(path, target));
    }

    /** See {@link FileTree#setLinkTime}. */
    public void setLinkTime(Instant modified) throws IOException {
        NamedFailures.run(shown, () -> tree.setLinkTime(path, modified));
    }

    /** Makes this path a further name of another file of the same tree. */
    public void createLink(TreePath existing) throws IOException {
        NamedFailures.run(shown, () -> tree.createLink(path, existing.path));
    }

    /** See {@link FileTree#createLink(String, String, Optional)}. */
    public void createLink(TreePath existing, Optional<FileEntry> directory) throws IOException {
        NamedFailures.run(shown, () -> tree.createLink(path, existing.path, directory));
    }

    /** See {@link FileTree#hasExtendedAttributes}. */
    public boolean hasExtendedAttributes() throws IOException {
        return NamedFailures.get(shown, () -> tree.hasExtendedAttributes(path));
    }

    /** See {@link FileTree#version}. */
    public Optional<FileVersion> version() throws IOException {
        return NamedFailures.get(shown, () -> tree.version(path));
    }

    /** See {@link FileTree#setAttributes}. */
    public Optional<FileVersion> setAttributes(FileType type, int mode, Instant modified) throws IOException {
        return NamedFailures.get(shown, () -> tree.setAttributes(path, type, mode, modified));
    }

    public PreservedAttributes extras() throws IOException {
        return NamedFailures.get(shown, () -> tree.extras(path));
    }

    /** See {@link FileTree#setExtras}. */
    public Optional<FileVersion> setExtras(FileType type, PreservedAttributes extras) throws IOException {
        return NamedFailures.get(shown, () -> tree.setExtras(path, type, extras));
    }

    /** Renames the file within its directory, and replaces a file with the new name. */
    public void renameTo(TreePath target, Optional<FileVersion> which) throws IOException {
        NamedFailures.run(shown, () -> tree.rename(path, target.path, which));
    }

    /** See {@link FileTree#rename(String, String, Optional, Optional)}. */
    public void renameTo(TreePath target, Optional<FileVersion> which, Optional<FileEntry> directory)
            throws IOException {
        NamedFailures.run(shown, () -> tree.rename(path, target.path, which, directory));
    }

    public void remove() throws IOException {
        NamedFailures.run(shown, () -> tree.remove(path));
    }

    /** See {@link FileTree#remove(String, FileEntry, Optional)}. */
    public void remove(FileEntry which, Optional<FileEntry> directory) throws IOException {
        NamedFailures.run(shown, () -> tree.remove(path, which, directory));
    }

    /** See {@link FileTree#leaveBehind}. */
    public void leaveBehind(Optional<FileVersion> which, TreePath target) {
        tree.leaveBehind(path, which, target.path);
    }

    /** See {@link FileTree#removeLeftovers}. */
    public void removeLeftovers() {
        tree.removeLeftovers(path);
    }

    /** See {@link FileTree#adopt}. */
    public Optional<FileEntry> adopt() throws IOException {
        return NamedFailures.get(shown, () -> tree.adopt(path));
    }

    /** See {@link FileTree#release}. */
    public void release() {
        tree.release(path);
    }

    /** See {@link FileTree#close}. */
    public void close() {
        tree.close();
    }

    /** Opens the file for reading. */
    public BlockSource read() throws IOException {
        return NamedFailures.get(shown, () -> tree.read(path));
    }

    /** See {@link FileTree#readWhole}. */
    public BlockSource readWhole(int size) throws IOException {
        return NamedFailures.get(shown, () -> tree.readWhole(path, size));
    }

    /** See {@link FileTree#writeWhole}. */
    public BlockSink writeWhole(int mode, Instant modified, Consumer<Optional<FileVersion>> made) throws IOException {
        return NamedFailures.get(shown, () -> tree.writeWhole(path, mode, modified, made));
    }

    /** See {@link FileTree#requestsAtOnce}. */
    public int requestsAtOnce() {
        return tree.requestsAtOnce();
    }

    /**
     * Opens the file for writing.
     *
     * @param isNew whether to create the file; otherwise it must exist
     */
    public BlockSink write(boolean isNew) throws IOException {
        return NamedFailures.get(shown, () -> tree.write(path, isNew));
    }

    /** Returns the directory that contains the path. */
    public TreePath directory() {
        String parent = tree.parent(path);
        return new TreePath(tree, parent, tree.describe(parent), true, false);
    }

    /** Returns the path of the directory that contains this path, which distinguishes directories of one tree. */
    public String directoryPath() {
        return tree.parent(path);
    }

    /** See {@link FileTree#temporaries}. */
    public Map<String, Instant> temporaries(int most) throws IOException {
        return NamedFailures.get(shown, () -> tree.temporaries(path, most));
    }

    /** See {@link FileTree#changed}. */
    public Instant changed() throws IOException {
        return NamedFailures.get(shown, () -> tree.changed(path));
    }

    /** See {@link FileTree#unresponsiveServer}. */
    public Optional<UnresponsiveServer> unresponsiveServer() {
        return tree.unresponsiveServer();
    }

    /** See {@link FileTree#isReachable}. */
    public boolean isReachable() {
        return tree.isReachable();
    }

    /** See {@link FileTree#isRemote}. */
    public boolean isRemote() {
        return tree.isRemote();
    }

    /** See {@link FileTree#successors}. */
    public List<Mount> successors() {
        return tree.successors();
    }

    /** Returns the name that the user gave. */
    @Override
    public String toString() {
        return shown;
    }
}
