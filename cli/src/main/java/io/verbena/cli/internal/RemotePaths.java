package io.verbena.cli.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.text.Globs;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/**
 * Parses remote paths as users write them. The full form is {@code NAME:/path}. In a session with a current directory,
 * {@code :path} is relative to that directory, and {@code :/path} is a path on its mount. The colon is optional where
 * only a remote path is allowed. Names may be patterns, see {@link Globs}.
 */
public final class RemotePaths {
    /** The variable of the session that contains the current directory. */
    public static final String CURRENT = "NFS_PWD";

    /** The variable of the session that contains the previous directory. */
    public static final String PREVIOUS = "NFS_OLDPWD";

    private RemotePaths() {}

    /** Returns whether the text is a remote path, for arguments that may be local or remote. */
    public static boolean isRemote(String text) {
        return text.startsWith(":") || RemotePath.isRemote(text);
    }

    /** Returns the current directory of the session. */
    public static Optional<RemotePath> current(Session session) {
        return session.get(CURRENT) instanceof String text ? Optional.of(RemotePath.parse(text)) : Optional.empty();
    }

    /**
     * Returns the path of a text in an argument that is always remote. Patterns are not expanded.
     *
     * @throws IllegalArgumentException if the text is not a remote path
     */
    public static RemotePath resolve(String text, Session session) {
        return RemotePath.isRemote(text)
                ? RemotePath.parse(text)
                : RemotePath.parse(absolute(text, session).replaceAll("/\\.(?=/|$)", ""));
    }

    /**
     * Returns the path as {@link #resolve} does, written as {@code NAME:/path} with the end of the text unchanged.
     *
     * @throws IllegalArgumentException if the text is not a remote path
     */
    public static String absolute(String text, Session session) {
        if (RemotePath.isRemote(text)) {
            return text;
        }
        if (text.startsWith("-")) { // such a name is written as ./-name
            throw new IllegalArgumentException(
                    "'" + Text.printable(text) + "' stands behind a path: options stand before");
        }
        RemotePath current = current(session)
                .orElseThrow(() -> new IllegalArgumentException("'" + Text.printable(text)
                        + "' is no remote path: it has the form NAME:/path, of which nfs:mounts lists the names; after"
                        + " nfs:cd it may be relative"));
        String path = text.startsWith(":") ? text.substring(1) : text;
        return current.mount() + ":" + (path.startsWith("/") ? path : Text.name(current.path()) + "/" + path);
    }

    /** Returns the path as {@link #resolve} does, with its mount. */
    public static MountedPath one(String text, Session session, Mounts mounts) throws CommandException {
        RemotePath remote = resolve(text, session);
        return new MountedPath(mounts, mounts.get(remote.mount()), remote);
    }

    /** Returns the path as {@link #one} does. The name of a mount alone is its root. */
    public static MountedPath oneOrRoot(String text, Session session, Mounts mounts) throws CommandException {
        boolean isName = text.indexOf(':') < 0 && text.indexOf('/') < 0;
        return one(isName ? text + ":/" : text, session, mounts);
    }

    /**
     * Returns the paths that a text matches, sorted by name. If a path with exactly this name exists, it is the only
     * match. Otherwise a text with patterns is expanded. A name that begins with a dot matches only a pattern that
     * begins with a dot. A text without patterns is returned as a path, whether or not the path exists.
     *
     * @throws CommandFailure with {@link ExitStatus#NOT_FOUND} if nothing matches
     */
    public static List<MountedPath> expand(String text, Session session, Mounts mounts)
            throws IOException, CommandException {
        MountedPath whole = one(text, session, mounts);
        if (!Globs.isPattern(text) || isThere(whole)) {
            return List.of(whole);
        }
        String typed = RemotePath.isRemote(text) ? text.substring(text.indexOf(':')) : text;
        String path = typed.startsWith(":") ? typed.substring(1) : typed;
        // The names in the current directory are literal, and contain no patterns.
        boolean isFromHere = !RemotePath.isRemote(text) && !path.startsWith("/");
        String start = isFromHere ? current(session).orElseThrow().path() : "/";
        List<MountedPath> found = List.of(whole.at(new RemotePath(whole.remote().mount(), start)));
        List<String> names = Stream.of(path.split("/", -1))
                .filter(name -> !name.isEmpty() && !name.equals("."))
                .toList();
        for (int i = 0; i < names.size(); i++) {
            boolean isLast = i == names.size() - 1;
            List<MountedPath> next = new ArrayList<>();
            for (MountedPath directory : found) {
                addMatches(directory, names.get(i), isLast, next);
            }
            found = next;
        }
        if (found.isEmpty()) {
            throw new CommandFailure(ExitStatus.NOT_FOUND, whole + ": nothing matches");
        }
        return found;
    }

    /** Expands several texts as {@link #expand(String, Session, Mounts)} does, in their order. */
    public static List<MountedPath> expand(List<String> texts, Session session, Mounts mounts)
            throws IOException, CommandException {
        List<MountedPath> found = new ArrayList<>();
        for (String text : texts) {
            found.addAll(expand(text, session, mounts));
        }
        return found;
    }

    private static void addMatches(MountedPath directory, String name, boolean isLast, List<MountedPath> matches)
            throws IOException {
        if (!Globs.isPattern(name)) {
            MountedPath child = directory.child(Globs.unescaped(name));
            if (!isLast || isThere(child)) {
                matches.add(child);
            }
            return;
        }
        Pattern pattern = Globs.pattern(name);
        List<MountedPath> found = new ArrayList<>();
        List<IOException> unlisted = new ArrayList<>();
        try {
            directory.forEach(
                    entry -> {
                        if (isMatch(entry, pattern, name.startsWith(".")) && (isLast || mayBeDirectory(entry))) {
                            found.add(directory.child(entry.name()));
                        }
                    },
                    unlisted::add);
        } catch (IOException e) {
            if (!(e.getCause() instanceof NoSuchFileException) && !(e.getCause() instanceof NotDirectoryException)) {
                throw e;
            }
        }
        if (!unlisted.isEmpty()) { // an unlisted entry may or may not match
            throw unlisted.get(0);
        }
        found.sort(Comparator.comparing(MountedPath::path));
        matches.addAll(found);
    }

    private static boolean isThere(MountedPath path) throws IOException {
        try {
            return path.find(false).isPresent();
        } catch (IOException e) {
            if (e.getCause() instanceof NotDirectoryException) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isMatch(DirectoryEntry entry, Pattern pattern, boolean hidden) {
        return (hidden || !entry.name().startsWith("."))
                && pattern.matcher(entry.name()).matches();
    }

    /** Returns whether an entry may be a directory. A link may lead to a directory, which only a lookup shows. */
    private static boolean mayBeDirectory(DirectoryEntry entry) {
        return entry.attributes().isDirectory() || entry.attributes().isSymbolicLink();
    }
}
