package io.verbena.cli.internal.complete;

import io.verbena.cli.Text;
import io.verbena.cli.internal.EntryNames;
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
import org.apache.karaf.shell.api.console.Session;

/** What a word may become that is, or begins, a remote path. */
final class RemoteCandidates {
    private static final int MAX_CANDIDATES = 1_000;

    /** As long as people hardly notice. */
    private static final Duration PATIENCE = Duration.ofMillis(700);

    private final Mounts mounts;
    private final Session session;
    private final PathWord word;
    private final String typed;

    RemoteCandidates(Mounts mounts, Session session, PathWord word) {
        this.mounts = mounts;
        this.session = session;
        this.word = word;
        this.typed = word.typed();
    }

    /** What it may become where local paths may stand too. */
    List<Candidate> besideLocal() {
        return RemotePaths.isRemote(typed) ? entries() : roots();
    }

    /** What it may become where only remote paths may stand. */
    List<Candidate> onlyRemote() {
        if (word.isPassed()) {
            return word.itself();
        }
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
                .map(root -> PathWord.open(root, root))
                .toList();
    }

    private List<Candidate> entries() {
        if (word.isPassed()) {
            return word.itself();
        }
        if (!word.canGoOn()) {
            return List.of();
        }
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
            String shown = Text.name(entry.name());
            if (EntryNames.isUsable(entry.name()) && PathWord.isBegunBy(begun, shown)) {
                PathWord.with(directory, shown, entry.isDirectory()).ifPresent(found::add);
            }
            return found.size() < MAX_CANDIDATES;
        });
        if (!found.isEmpty() && !isWhole) {
            // as long as what was typed, so that the shell cannot go on to what only these have in common
            found.add(PathWord.open(directory + begun, "... and more: type on, or TAB again"));
        }
        return found;
    }
}
