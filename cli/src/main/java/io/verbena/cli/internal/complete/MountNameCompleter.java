package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.internal.Mounts;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes names of mounts. */
@Service
public final class MountNameCompleter extends CandidateCompleter {
    @Reference
    private Mounts mounts;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        mounts.all().forEach(mount -> candidates.add(new Candidate(mount.name(), true)));
    }
}
