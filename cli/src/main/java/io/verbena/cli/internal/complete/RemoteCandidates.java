package io.verbena.cli.internal.complete;

import io.verbena.cli.internal.DirectoryReading;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePath;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** What a word may become that is, or begins, a remote path. */
final class RemoteCandidates {
    private static final int MAX_CANDIDATES = 1_000;

    /** As long as people hardly notice. */
    private static final Duration PATIENCE = Duration.ofMillis(700);

    private static final String PLAIN_PUNCTUATION = "._-+@,%";

    private final Mounts mounts;
    private final Session session;
    private final String typed;

    /**
     * @param line whose word under the cursor it is, as far as the cursor
     */
    RemoteCandidates(Mounts mounts, Session session, CommandLine line) {
        this.mounts = mounts;
        this.session = session;
        this.typed = typed(line);
    }

    /** The word under the cursor, as far as the cursor. */
    static String typed(CommandLine line) {
        String word = line.getCursorArgument();
        return word == null ? "" : word.substring(0, Math.min(word.length(), line.getArgumentPosition()));
    }

    /** What it may become where local paths may stand too. */
    List<Candidate> besideLocal() {
        return RemotePaths.isRemote(typed) ? entries() : roots();
    }

    /** What it may become where only remote paths may stand. */
    List<Candidate> onlyRemote() {
        List<Candidate> found = new ArrayList<>();
        if (!RemotePaths.isRemote(typed) && typed.indexOf('/') < 0) {
            found.addAll(roots());
        }
        found.addAll(entries());
        return found;
    }

    private List<Candidate> roots() {
        return mounts.all().stream()
                .map(mount -> mount.name() + ":/")
                .map(root -> open(root, root))
                .toList();
    }

    private List<Candidate> entries() {
        int colon = typed.indexOf(':');
        boolean isName = RemotePath.isRemote(typed) && typed.indexOf('/') < 0;
        String directory = isName
                ? typed.substring(0, colon + 1) + "/"
                : typed.substring(0, Math.max(typed.lastIndexOf('/'), colon) + 1);
        if (!RemotePath.isRemote(directory) && RemotePaths.current(session).isEmpty()) {
            return List.of();
        }
        RemotePath remote = RemotePaths.resolve(directory, session);
        Optional<Mount> mount = mounts.all().stream()
                .filter(each -> each.name().equals(remote.mount()))
                // one that has to be waited for is not worth a wait at the touch of a key
                .filter(each -> each.state() == MountState.MOUNTED)
                .findFirst();
        return mount.map(on -> entries(on, remote.path(), directory)).orElse(List.of());
    }

    private List<Candidate> entries(Mount mount, String path, String directory) {
        String begun = typed.length() > directory.length() ? typed.substring(directory.length()) : "";
        List<Candidate> found = new ArrayList<>();
        boolean isWhole = mounts.listings().visit(mount, path, PATIENCE, entry -> {
            if (isBegunBy(begun, entry.name()) && isPlain(entry.name())) {
                found.add(candidate(directory, entry));
            }
            return found.size() < MAX_CANDIDATES;
        });
        if (!found.isEmpty() && !isWhole) {
            // as long as what was typed, so that the shell cannot go on to what only these have in common
            found.add(open(directory + begun, "... and more: type on, or TAB again"));
        }
        return found;
    }

    private static boolean isBegunBy(String begun, String name) {
        return name.regionMatches(true, 0, begun, 0, begun.length());
    }

    private static Candidate candidate(String directory, DirectoryReading.Entry entry) {
        String name = entry.name();
        return entry.isDirectory()
                ? open(directory + name + "/", name + "/")
                : new Candidate(directory + name, name, null, null, null, null, true);
    }

    /**
     * Whether the shell takes a name as it stands. What a server lists must never become commands, so that names which
     * would need quotes are left to those who type them.
     */
    private static boolean isPlain(String name) {
        return name.codePoints()
                .allMatch(each -> Character.isLetterOrDigit(each) || PLAIN_PUNCTUATION.indexOf(each) >= 0);
    }

    /** A candidate that more follows, without a space. */
    private static Candidate open(String value, String shown) {
        return new Candidate(value, shown, null, null, null, null, false);
    }
}
