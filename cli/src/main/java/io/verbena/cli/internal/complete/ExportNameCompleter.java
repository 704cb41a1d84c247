package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.internal.Exports;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes names of exports. */
@Service
public final class ExportNameCompleter extends CandidateCompleter {
    @Reference
    private Exports exports;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        exports.all().forEach(export -> candidates.add(new Candidate(export.name(), true)));
    }
}
