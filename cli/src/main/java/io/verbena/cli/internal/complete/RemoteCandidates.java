package io.verbena.cli.internal.complete;

import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePath;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.transfer.walk.EntryNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.Session;

/** Finds the candidates for a word that is a remote path or the start of one. */
final class RemoteCandidates {
    private static final int MAX_CANDIDATES = 1_000;

    /** The longest wait for a completion. People hardly notice such a delay. */
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

    /** Returns the candidates for an argument that may also be a local path. */
    List<Candidate> besideLocal() {
        return RemotePaths.isRemote(typed) ? entries() : roots();
    }

    /** Returns the candidates for an argument that is always a remote path. */
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
                .flatMap(mount -> word.whole(mount.name() + ":/", null, false).stream())
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
                // A mount that is not usable now is not worth a wait for a completion.
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
                word.with(directory, shown, entry.isDirectory()).ifPresent(found::add);
            }
            return found.size() < MAX_CANDIDATES;
        });
        if (!found.isEmpty() && !isWhole) {
            // With it, the shell does not insert the common prefix of the found part.
            found.add(word.more("... and more: type on, or TAB again"));
        }
        return found;
    }
}
