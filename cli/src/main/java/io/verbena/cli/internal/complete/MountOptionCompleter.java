package io.verbena.cli.internal.complete;

import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes what {@code -o} takes: the word behind the last comma. */
@Service
public final class MountOptionCompleter extends CandidateCompleter {
    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        String typed = RemoteCandidates.typed(line);
        String before = typed.substring(0, typed.lastIndexOf(',') + 1);
        for (MountOption option : MountOption.values()) {
            boolean isFlag = option.kind() == MountOption.Kind.FLAG;
            String value = before + option.key() + (isFlag ? "" : "=");
            String meaning = option.meaning() + " (" + MountOptions.describe(option) + ")";
            candidates.add(new Candidate(value, option.key(), null, meaning, null, null, false));
            if (isFlag) {
                String opposite = option.words().get(0);
                candidates.add(new Candidate(before + opposite, opposite, null, null, null, null, false));
            }
        }
    }
}
