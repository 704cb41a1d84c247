package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.FileCompleter;

/** Completes paths of this host: Karaf's completer, as a service that arguments can name. */
@Service
public final class LocalPathCompleter extends CandidateCompleter {
    private final FileCompleter files = new FileCompleter();

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        files.completeCandidates(session, line, candidates);
    }
}
