package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.Invocation;
import io.verbena.cli.internal.hosts.Fstab;
import io.verbena.cli.internal.hosts.HostAliases;
import java.io.IOException;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Completes what can be mounted: aliases of servers, and directories of fstab. A file with a fault has none. */
@Service
public final class MountSourceCompleter extends CandidateCompleter {
    private static final Logger LOG = LoggerFactory.getLogger(MountSourceCompleter.class);

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        PathWord word = new PathWord(line, session);
        if (word.isPassed()) {
            candidates.addAll(word.itself());
            return;
        }
        try {
            HostAliases.of(session).all().forEach(alias -> {
                boolean isWhole = !alias.export().isEmpty();
                String value = alias.name() + (isWhole ? "" : ":/");
                word.whole(value, alias.server() + alias.export(), isWhole).ifPresent(candidates::add);
            });
        } catch (IOException | CommandException e) {
            LOG.debug("no aliases are read", e);
        }
        try {
            Fstab.read(Fstab.SYSTEM, Invocation.of(session)).lines().stream()
                    .filter(each -> each.directory().startsWith("/"))
                    .forEach(each ->
                            word.whole(each.directory(), each.source(), true).ifPresent(candidates::add));
        } catch (IOException | CommandException e) {
            LOG.debug("no lines of {} are read", Fstab.SYSTEM, e);
        }
    }
}
