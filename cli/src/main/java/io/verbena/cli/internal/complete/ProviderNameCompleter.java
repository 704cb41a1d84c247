package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.internal.Providers;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes names of RDMA providers. */
@Service
public final class ProviderNameCompleter extends CandidateCompleter {
    @Reference
    private Providers providers;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        providers.names().forEach(name -> candidates.add(new Candidate(name, true)));
    }
}
