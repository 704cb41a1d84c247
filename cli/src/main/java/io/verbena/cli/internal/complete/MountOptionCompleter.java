package io.verbena.cli.internal.complete;

import io.verbena.cli.CandidateCompleter;
import io.verbena.cli.internal.Providers;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.util.Collection;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Session;

/** Completes the argument of {@code -o}: the word after the last comma, which is a key or the value of a key. */
@Service
public final class MountOptionCompleter extends CandidateCompleter {
    @Reference
    private Providers providers;

    @Override
    public void completeCandidates(Session session, CommandLine line, List<Candidate> candidates) {
        String typed = new PathWord(line, session).typed();
        String before = typed.substring(0, typed.lastIndexOf(',') + 1);
        int equals = typed.indexOf('=', before.length());
        if (equals >= 0) {
            addValues(typed.substring(before.length(), equals), typed.substring(0, equals + 1), candidates);
            return;
        }
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

    private void addValues(String key, String before, List<Candidate> candidates) {
        for (MountOption option : MountOption.values()) {
            if (option.key().equals(key) && option.kind() != MountOption.Kind.FLAG) {
                Collection<String> words = option == MountOption.PROVIDER ? providers.names() : option.words();
                words.forEach(
                        word -> candidates.add(new Candidate(before + word, word, null, null, null, null, false)));
            }
        }
    }
}
