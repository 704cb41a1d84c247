package io.verbena.cli.internal.transfer;

import io.verbena.cli.Failures;
import io.verbena.cli.LocalNames;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePath;
import io.verbena.nfs.Mount;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.support.CommandException;

/** A local or remote file, by the name that the user gave it; failures are told by that name. */
public final class Location {
    private final FileTree tree;
    private final String path;
    private final String shown;
    private final boolean isDirectory;
    private final boolean isContents;

    private Location(FileTree tree, String path, String shown, boolean isDirectory, boolean isContents) {
        this.tree = tree;
        this.path = path;
        this.shown = shown;
        this.isDirectory = isDirectory;
        this.isContents = isContents;
    }

    /** Reads {@code NAME:/path}. */
    public static Location remote(String text, Mounts mounts) throws CommandException {
        return remote(RemotePath.parse(text), text.endsWith("/"), mounts);
    }

    public static Location remote(RemotePath remote, Mounts mounts) throws CommandException {
        return remote(remote, false, mounts);
    }

    private static Location remote(RemotePath remote, boolean isDirectory, Mounts mounts) throws CommandException {
        FileTree tree = new RemoteTree(mounts, mounts.get(remote.mount()));
        boolean isContents = remote.isRoot() || isDots(remote.name());
        return new Location(tree, remote.path(), remote.toString(), isDirectory, isContents);
    }

    /** Reads a local path. */
    public static Location local(String text) {
        Path path = LocalNames.parse(text);
        String name = LocalNames.name(path);
        boolean isContents = name.isEmpty() || isDots(name);
        String shown = LocalTree.INSTANCE.describe(OctetText.unescape(text));
        return new Location(LocalTree.INSTANCE, LocalNames.text(path), shown, text.endsWith("/"), isContents);
    }

    private static boolean isDots(String name) {
        return name.equals(".") || name.equals("..");
    }

    /** Whether the user wrote it as a directory, with a slash at the end. */
    boolean isDirectory() {
        return isDirectory;
    }

    /** Whether the user means what is in it and not the directory: a root, or with {@code .} at the end. */
    boolean isContents() {
        return isContents;
    }

    /** The last name of the path. */
    String name() {
        return tree.name(path);
    }

    Location child(String name) {
        String child = tree.child(path, name);
        return new Location(tree, child, tree.describe(child), false, false);
    }

    /** Another name beside this one, which failures do not tell: they speak of this one. */
    Location hiddenSibling(String name) {
        return new Location(tree, tree.sibling(path, name), shown, false, false);
    }

    /** Where it leads when it is a symbolic link that leads somewhere, else itself. */
    Location resolved() throws IOException {
        return Failures.get(shown, () -> new Location(tree, tree.resolve(path), shown, isDirectory, isContents));
    }

    /** Where it is, also where failures tell another name. */
    String place() {
        return tree.describe(path);
    }

    /** See {@link FileTree#identity}. */
    String identity() {
        return tree.identity(path);
    }

    /** Whether two names are surely of one file; not whether it has further names. */
    boolean isSame(Location other) {
        return identity().equals(other.identity());
    }

    /** Whether it is surely somewhere below a directory. */
    boolean isBelow(Location directory) {
        String top = directory.identity();
        return !isSame(directory) && identity().startsWith(top.endsWith("/") ? top : top + "/");
    }

    /** The failure that tells that nothing is there. */
    IOException missing() {
        return Failures.about(shown, new NoSuchFileException(path));
    }

    /** Where it is on this host, if it is. */
    Optional<Path> localPath() {
        return tree.isRemote() ? Optional.empty() : Optional.of(LocalNames.path(path));
    }

    Optional<Node> find(boolean followLink) throws IOException {
        return Failures.get(shown, () -> tree.find(path, followLink));
    }

    /** What is in the directory; what cannot be taken of it is added to the other list. */
    List<Node> list(List<Unlisted> unlisted) throws IOException {
        return Failures.get(
                shown,
                () -> tree.list(path, (name, reason) -> unlisted.add(new Unlisted(name, failure(name, reason)))));
    }

    private Failure failure(String name, Exception reason) {
        String file = tree.describe(tree.child(path, name));
        return new Failure(file, Failures.about(file, reason));
    }

    /** Fails where this user may not write to what is there, so that only force replaces it. */
    void checkMayWrite() throws IOException {
        if (!Failures.get(shown, () -> tree.mayWrite(path))) {
            throw new IOException(
                    shown + ": permission denied to write; -f replaces it all the same",
                    new AccessDeniedException(shown));
        }
    }

    void createDirectory() throws IOException {
        Failures.run(shown, () -> tree.createDirectory(path));
    }

    String readLink() throws IOException {
        return Failures.get(shown, () -> tree.readLink(path));
    }

    void createSymbolicLink(String target) throws IOException {
        Failures.run(shown, () -> tree.createSymbolicLink(path, target));
    }

    /** See {@link FileTree#setLinkTime}. */
    void setLinkTime(Instant modified) throws IOException {
        Failures.run(shown, () -> tree.setLinkTime(path, modified));
    }

    /** Makes it a further name of another file of the same tree. */
    void createLink(Location existing) throws IOException {
        Failures.run(shown, () -> tree.createLink(path, existing.path));
    }

    /** See {@link FileTree#hasExtendedAttributes}. */
    boolean hasExtendedAttributes() throws IOException {
        return Failures.get(shown, () -> tree.hasExtendedAttributes(path));
    }

    /** See {@link FileTree#version}. */
    Optional<FileVersion> version() throws IOException {
        return Failures.get(shown, () -> tree.version(path));
    }

    Optional<FileVersion> setAttributes(int mode, Instant modified) throws IOException {
        return Failures.get(shown, () -> tree.setAttributes(path, mode, modified));
    }

    Extras extras() throws IOException {
        return Failures.get(shown, () -> tree.extras(path));
    }

    Optional<FileVersion> setExtras(Extras extras) throws IOException {
        return Failures.get(shown, () -> tree.setExtras(path, extras));
    }

    /** Renames it to another name in the same directory; a file there is replaced. */
    void renameTo(Location target, Optional<FileVersion> which) throws IOException {
        Failures.run(shown, () -> tree.rename(path, target.path, which));
    }

    void remove() throws IOException {
        Failures.run(shown, () -> tree.remove(path));
    }

    /** See {@link FileTree#leaveBehind}. */
    void leaveBehind(FileVersion which, Location target) {
        tree.leaveBehind(path, which, target.path);
    }

    /** See {@link FileTree#removeLeftovers}. */
    void removeLeftovers() {
        tree.removeLeftovers(path);
    }

    /** Opens it for reading. */
    public BlockSource read() throws IOException {
        return Failures.get(shown, () -> tree.read(path));
    }

    /** Opens it for writing: a new file, or one that is there. */
    BlockSink write(boolean isNew) throws IOException {
        return Failures.get(shown, () -> tree.write(path, isNew));
    }

    /** See {@link FileTree#isReachable}. */
    boolean isReachable() {
        return tree.isReachable();
    }

    /** See {@link FileTree#isRemote}. */
    public boolean isRemote() {
        return tree.isRemote();
    }

    /** See {@link FileTree#successors}. */
    List<Mount> successors() {
        return tree.successors();
    }

    /** As the user names it. */
    @Override
    public String toString() {
        return shown;
    }
}
