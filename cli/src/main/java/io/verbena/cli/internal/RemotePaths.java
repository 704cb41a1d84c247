package io.verbena.cli.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.nfs.DirectoryEntry;
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
 * Remote paths as users write them: {@code NAME:/path}; and where a session has a current directory, {@code :path} seen
 * from there, {@code :/path} on its mount, and both without the colon where nothing but a remote path can stand. Names
 * may be patterns, see {@link Globs}.
 */
public final class RemotePaths {
    /** The session's variable that holds the current directory. */
    public static final String CURRENT = "NFS_PWD";

    /** The session's variable that holds the one before. */
    public static final String PREVIOUS = "NFS_OLDPWD";

    private RemotePaths() {}

    /** Whether the text is a remote path where a local one may stand too. */
    public static boolean isRemote(String text) {
        return text.startsWith(":") || RemotePath.isRemote(text);
    }

    /** The session's current directory. */
    public static Optional<RemotePath> current(Session session) {
        return session.get(CURRENT) instanceof String text ? Optional.of(RemotePath.parse(text)) : Optional.empty();
    }

    /**
     * The path that the text stands for, where only a remote one can stand. Patterns are left as they are.
     *
     * @throws IllegalArgumentException where it is none
     */
    public static RemotePath resolve(String text, Session session) {
        return RemotePath.isRemote(text)
                ? RemotePath.parse(text)
                : RemotePath.parse(absolute(text, session).replaceAll("/\\.(?=/|$)", ""));
    }

    /**
     * As {@link #resolve}, as it is written: {@code NAME:/path}, with what stands at its end.
     *
     * @throws IllegalArgumentException where it is none
     */
    public static String absolute(String text, Session session) {
        if (RemotePath.isRemote(text)) {
            return text;
        }
        if (text.startsWith("-")) { // a name like that is ./-name
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

    /** As {@link #resolve}, with its mount. */
    public static MountedPath one(String text, Session session, Mounts mounts) throws CommandException {
        RemotePath remote = resolve(text, session);
        return new MountedPath(mounts, mounts.get(remote.mount()), remote);
    }

    /** As {@link #one}, where a mount's name alone stands for its root. */
    public static MountedPath oneOrRoot(String text, Session session, Mounts mounts) throws CommandException {
        boolean isName = text.indexOf(':') < 0 && text.indexOf('/') < 0;
        return one(isName ? text + ":/" : text, session, mounts);
    }

    /**
     * What the text stands for, by name. A path that is there as it is shown is that; else one with patterns in it is
     * all that match, where names that begin with a dot want one in the pattern. Otherwise it is the path, there or not.
     *
     * @throws CommandFailure with {@link ExitStatus#NOT_FOUND} where nothing matches
     */
    public static List<MountedPath> expand(String text, Session session, Mounts mounts)
            throws IOException, CommandException {
        MountedPath whole = one(text, session, mounts);
        if (!Globs.isPattern(text) || isThere(whole)) {
            return List.of(whole);
        }
        String typed = RemotePath.isRemote(text) ? text.substring(text.indexOf(':')) : text;
        String path = typed.startsWith(":") ? typed.substring(1) : typed;
        // of the current directory the names are known: there are no patterns in them
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

    /** As {@link #expand(String, Session, Mounts)}, of several in their order. */
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
        if (!unlisted.isEmpty()) { // whether it would match nobody can tell
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

    /** A link may lead to one, which shows when it is gone through. */
    private static boolean mayBeDirectory(DirectoryEntry entry) {
        return entry.attributes().isDirectory() || entry.attributes().isSymbolicLink();
    }
}
