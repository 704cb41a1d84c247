package io.verbena.cli.internal.complete;

import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;

/** A completer by candidates, which is what the shell asks for; plain strings are drawn from them. */
abstract class CandidateCompleter implements Completer {
    @Override
    public final int complete(Session session, CommandLine line, List<String> candidates) {
        List<Candidate> found = new ArrayList<>();
        completeCandidates(session, line, found);
        found.forEach(candidate -> candidates.add(candidate.value()));
        return found.isEmpty() ? -1 : line.getBufferPosition() - line.getArgumentPosition();
    }

    @Override
    public abstract void completeCandidates(Session session, CommandLine line, List<Candidate> candidates);
}
