package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.RemotePaths;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.FileCompleter;

/** Completes remote paths, and local ones where the word is not remote. */
@Service
public final class AnyPathCompleter extends CandidateCompleter {
    private final FileCompleter files = new FileCompleter();

    @Reference
    private Mounts mounts;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        candidates.addAll(new RemoteCandidates(mounts, session, line).besideLocal());
        if (!RemotePaths.isRemote(RemoteCandidates.typed(line))) {
            files.completeCandidates(session, line, candidates);
        }
    }
}
