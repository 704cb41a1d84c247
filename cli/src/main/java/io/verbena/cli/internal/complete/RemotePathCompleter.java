package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.internal.Mounts;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/**
 * Completes remote paths: first names of mounts, then entries of the directory. Without a mount, completes entries of
 * the current directory.
 */
@Service
public final class RemotePathCompleter extends CandidateCompleter {
    @Reference
    private Mounts mounts;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        candidates.addAll(new RemoteCandidates(mounts, session, new PathWord(line, session)).onlyRemote());
    }
}
