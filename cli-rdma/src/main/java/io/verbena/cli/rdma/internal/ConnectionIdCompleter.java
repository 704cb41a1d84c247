package io.verbena.cli.rdma.internal;

import io.verbena.cli.CandidateCompleter;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes numbers of connections. */
@Service
public final class ConnectionIdCompleter extends CandidateCompleter {
    @Reference
    private RdmaServices services;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        candidates.add(new Candidate("all", true));
        services.monitors().forEach(monitor -> monitor.connections()
                .forEach(connection -> candidates.add(new Candidate(Long.toString(connection.id()), true))));
    }
}
