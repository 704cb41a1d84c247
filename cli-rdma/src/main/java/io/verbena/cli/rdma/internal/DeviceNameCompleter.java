package io.verbena.cli.rdma.internal;

import io.verbena.cli.CandidateCompleter;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes names of RDMA devices. */
@Service
public final class DeviceNameCompleter extends CandidateCompleter {
    @Reference
    private RdmaServices services;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        services.providers().forEach(provider -> provider.devices()
                .forEach(device -> candidates.add(new Candidate(device.name(), true))));
    }
}
