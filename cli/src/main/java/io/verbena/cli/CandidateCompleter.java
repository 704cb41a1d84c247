package io.verbena.cli;

import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A completer by candidates, which is what the shell asks for; plain strings are drawn from them. Called by the shell on
 * the thread of a session that waits for it, so it must not block for long.
 */
@ConsumerType
public abstract class CandidateCompleter implements Completer {
    @Override
    public final int complete(Session session, CommandLine line, List<String> candidates) {
        List<Candidate> found = new ArrayList<>();
        completeCandidates(session, line, found);
        found.forEach(candidate -> candidates.add(candidate.value()));
        return found.isEmpty() ? -1 : line.getBufferPosition() - line.getArgumentPosition();
    }

    /** Adds what may stand where the cursor is; adds nothing where that cannot be told. */
    @Override
    public abstract void completeCandidates(Session session, CommandLine line, List<Candidate> candidates);
}
