package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.Invocation;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes remote paths, and local paths if the word is not remote. */
@Service
public final class AnyPathCompleter extends CandidateCompleter {
    @Reference
    private Mounts mounts;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        PathWord word = new PathWord(line, session);
        candidates.addAll(new RemoteCandidates(mounts, session, word).besideLocal());
        if (!RemotePaths.isRemote(word.typed())) {
            candidates.addAll(LocalCandidates.of(word, Invocation.of(session)));
        }
    }
}
