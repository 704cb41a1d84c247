package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.Invocation;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes paths of this host. */
@Service
public final class LocalPathCompleter extends CandidateCompleter {
    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        candidates.addAll(LocalCandidates.of(new PathWord(line, session), Invocation.of(session)));
    }
}
