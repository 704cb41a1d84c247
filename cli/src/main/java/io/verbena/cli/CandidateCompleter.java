package io.verbena.cli;

import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A completer that adds candidates, as the shell requests. Plain strings are derived from the candidates. The shell
 * calls the completer on the thread of a session that waits for it, so the completer must not block for long.
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

    /** Adds the candidates for the word under the cursor. Adds none if they cannot be determined. */
    @Override
    public abstract void completeCandidates(Session session, CommandLine line, List<Candidate> candidates);
}
