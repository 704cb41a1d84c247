package io.verbena.cli.internal.complete;

import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePath;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a word may become that is, or begins, {@code NAME:/path}. */
final class RemoteCandidates {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteCandidates.class);
    private static final int MAX_CANDIDATES = 1_000;
    private static final String PLAIN_PUNCTUATION = "._-+@,%";

    private RemoteCandidates() {}

    /** The word under the cursor, as far as the cursor. */
    static String typed(CommandLine line) {
        String word = line.getCursorArgument();
        return word == null ? "" : word.substring(0, Math.min(word.length(), line.getArgumentPosition()));
    }

    /** What the word may become. */
    static List<Candidate> of(Mounts mounts, String typed) {
        List<Candidate> found = new ArrayList<>();
        for (Mount mount : mounts.all()) {
            String root = mount.name() + ":/";
            if (!RemotePath.isRemote(typed)) {
                found.add(open(root, root));
            } else if (typed.startsWith(mount.name() + ":") && mount.state() == MountState.MOUNTED) {
                // a mount that has to be waited for would make the shell hang at the touch of a key
                found.addAll(entries(mount, typed.substring(0, Math.max(typed.lastIndexOf('/') + 1, 0))));
            }
        }
        return found;
    }

    private static List<Candidate> entries(Mount mount, String typed) {
        String directory = typed.isEmpty() ? mount.name() + ":/" : typed;
        List<Candidate> found = new ArrayList<>();
        try {
            for (DirectoryEntry entry :
                    mount.entries(RemotePath.parse(directory).path())) {
                if (!isPlain(entry.name())) {
                    continue;
                }
                String value = directory + entry.name();
                found.add(
                        entry.attributes().isDirectory()
                                ? open(value + "/", entry.name() + "/")
                                : new Candidate(value, entry.name(), null, null, null, null, true));
                if (found.size() == MAX_CANDIDATES) {
                    break;
                }
            }
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("nothing to complete {} with", directory, e);
        }
        return found;
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
