package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A Unix path: names between slashes. The empty path has one name, which is empty. Names are octets, which
 * {@link OctetText} keeps in Strings; {@link #toString} returns such a String, and the file system's {@code getPath}
 * takes it. Immutable, except for the attributes of a listing.
 */
public final class NfsPath implements Path {
    private static final String HERE = ".";
    private static final String UP = "..";
    private static final List<String> EMPTY = List.of("");

    private final MountTree fileSystem;
    private final boolean absolute;
    private final List<String> names;
    private final String text;
    /** The directory that holds the last name, as it was seen; null for whichever the path leads to. */
    private final FileKey directory;

    private volatile ListedAttributes listed;

    private NfsPath(MountTree fileSystem, boolean absolute, List<String> names, FileKey directory) {
        this.fileSystem = fileSystem;
        this.absolute = absolute;
        this.names = names;
        this.text = (absolute ? "/" : "") + String.join("/", names);
        this.directory = directory;
    }

    public static NfsPath parse(MountTree fileSystem, String given) {
        String text = canonical(given);
        List<String> names = new ArrayList<>();
        for (String name : text.split("/", -1)) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return of(fileSystem, text.startsWith("/"), names);
    }

    /** The path of a directory's entry. Empty if no file can have that name: the server's names are checked. */
    public static Optional<NfsPath> entry(MountTree fileSystem, String name) {
        boolean possible = !name.isEmpty() && !name.contains("/") && !name.equals(HERE) && !name.equals(UP);
        try {
            return possible ? Optional.of(parse(fileSystem, name)) : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static NfsPath of(MountTree fileSystem, boolean absolute, List<String> names) {
        return new NfsPath(fileSystem, absolute, names.isEmpty() && !absolute ? EMPTY : List.copyOf(names), null);
    }

    /** The canonical text of the octets: single octets that are valid UTF-8 together become characters. */
    private static String canonical(String text) {
        int nul = text.indexOf('\0');
        if (nul >= 0) {
            throw new InvalidPathException(text, "a name cannot hold a NUL character", nul);
        }
        if (!hasSurrogates(text)) {
            return text;
        }
        try {
            return OctetText.decode(OctetText.encode(text));
        } catch (IllegalArgumentException e) {
            InvalidPathException invalid = new InvalidPathException(text, e.getMessage());
            invalid.initCause(e);
            throw invalid;
        }
    }

    public static NfsPath of(Path path) {
        if (path instanceof NfsPath own) {
            return own;
        }
        Objects.requireNonNull(path);
        throw new ProviderMismatchException();
    }

    /** Attaches the attributes of the entry's listing, for the first reader. */
    public NfsPath withListed(ListedAttributes attributes) {
        listed = attributes;
        return this;
    }

    public ListedAttributes takeListed() {
        ListedAttributes taken = listed;
        listed = null;
        return taken;
    }

    /** The same name, in the directory that was seen. Paths that are made of it are of whichever is there. */
    public NfsPath in(FileKey seen) {
        return new NfsPath(fileSystem, absolute, names, seen);
    }

    /** The directory that holds the last name, as it was seen; null for whichever the path leads to. */
    public FileKey directory() {
        return directory;
    }

    public MountTree system() {
        return fileSystem;
    }

    /** The absolute path as text, as the methods of a mount take it. */
    public String mountPath() {
        return toAbsolutePath().text;
    }

    List<String> names() {
        return isEmpty() ? List.of() : names;
    }

    public boolean isEmpty() {
        return text.isEmpty();
    }

    /** Whether the path ends with a name, and not with dots: only then can an object be created or removed there. */
    public boolean isNamed() {
        String last = names.isEmpty() ? HERE : names.get(names.size() - 1);
        return !last.equals(HERE) && !endsUp() && !last.isEmpty();
    }

    /** Whether the path ends with {@code ..}. */
    public boolean endsUp() {
        return !names.isEmpty() && names.get(names.size() - 1).equals(UP);
    }

    private NfsPath relative(List<String> some) {
        return of(fileSystem, false, some);
    }

    @Override
    public FileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public NfsPath getRoot() {
        return absolute ? fileSystem.root() : null;
    }

    @Override
    public NfsPath getFileName() {
        return names.isEmpty() ? null : getName(names.size() - 1);
    }

    @Override
    public NfsPath getParent() {
        int count = names.size();
        return count == 0 || (count == 1 && !absolute) ? null : of(fileSystem, absolute, names.subList(0, count - 1));
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public NfsPath getName(int index) {
        return subpath(index, index + 1);
    }

    @Override
    public NfsPath subpath(int beginIndex, int endIndex) {
        if (beginIndex < 0 || endIndex > names.size() || beginIndex >= endIndex) {
            throw new IllegalArgumentException(
                    "names " + beginIndex + " to " + endIndex + " of '" + text + "', which has " + names.size());
        }
        return isEmpty() ? this : relative(names.subList(beginIndex, endIndex));
    }

    @Override
    public boolean startsWith(Path other) {
        if (!(Objects.requireNonNull(other) instanceof NfsPath that)
                || that.fileSystem != fileSystem
                || that.absolute != absolute) {
            return false;
        }
        return that.names.size() <= names.size()
                && names.subList(0, that.names.size()).equals(that.names);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!(Objects.requireNonNull(other) instanceof NfsPath that) || that.fileSystem != fileSystem) {
            return false;
        }
        if (that.absolute) {
            return equals(that);
        }
        int from = names.size() - that.names.size();
        return from >= 0 && names.subList(from, names.size()).equals(that.names);
    }

    @Override
    public NfsPath normalize() {
        List<String> kept = new ArrayList<>();
        for (String name : names()) {
            boolean last = !kept.isEmpty() && !kept.get(kept.size() - 1).equals(UP);
            if (name.equals(UP) && last) {
                kept.remove(kept.size() - 1);
            } else if (!name.equals(HERE) && !(name.equals(UP) && absolute)) {
                kept.add(name);
            }
        }
        return of(fileSystem, absolute, kept);
    }

    @Override
    public NfsPath resolve(Path other) {
        NfsPath that = of(other);
        if (that.absolute || isEmpty()) {
            return that;
        }
        if (that.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(names);
        all.addAll(that.names);
        return of(fileSystem, absolute, all);
    }

    @Override
    public NfsPath relativize(Path other) {
        NfsPath that = of(other);
        if (that.equals(this)) {
            return relative(List.of());
        }
        if (that.absolute != absolute) {
            throw new IllegalArgumentException("of '" + this + "' and '" + that + "' only one is absolute");
        }
        if (isEmpty()) {
            return that;
        }
        boolean dotted = hasDots() || that.hasDots();
        List<String> from = (dotted ? normalize() : this).names();
        List<String> to = (dotted ? that.normalize() : that).names();
        int common = 0;
        while (common < from.size() && common < to.size() && from.get(common).equals(to.get(common))) {
            common++;
        }
        List<String> steps = new ArrayList<>();
        for (String name : from.subList(common, from.size())) {
            if (name.equals(UP)) {
                throw new IllegalArgumentException(
                        "there is no telling how to come from '" + this + "' to '" + that + "'");
            }
            steps.add(UP);
        }
        steps.addAll(to.subList(common, to.size()));
        return relative(steps);
    }

    private boolean hasDots() {
        return names.contains(HERE) || names.contains(UP);
    }

    @Override
    public URI toUri() {
        return fileSystem.uri(this);
    }

    @Override
    public NfsPath toAbsolutePath() {
        return absolute ? this : of(fileSystem, true, names());
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        return new RealPath(fileSystem).of(this, LinkOptions.follows(options));
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        if (!(watcher instanceof DirectoryWatcher own)) {
            Objects.requireNonNull(watcher);
            throw new ProviderMismatchException();
        }
        return own.register(this, events, modifiers);
    }

    /** Compares octets. Strings with surrogates have another order. */
    @Override
    public int compareTo(Path other) {
        String that = ((NfsPath) other).text;
        boolean isPlain = !hasSurrogates(text) && !hasSurrogates(that);
        return isPlain ? text.compareTo(that) : Arrays.compareUnsigned(OctetText.encode(text), OctetText.encode(that));
    }

    private static boolean hasSurrogates(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (Character.isSurrogate(text.charAt(at))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NfsPath that && that.fileSystem == fileSystem && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
