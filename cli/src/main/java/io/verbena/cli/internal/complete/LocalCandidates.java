package io.verbena.cli.internal.complete;

import io.verbena.cli.Invocation;
import io.verbena.cli.Text;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.console.Candidate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the candidates for a word that is a path of this host or the start of one. Karaf's own completer supports only
 * names in the character set of the locale.
 */
final class LocalCandidates {
    private static final Logger LOG = LoggerFactory.getLogger(LocalCandidates.class);
    private static final int MAX_CANDIDATES = 1_000;

    private LocalCandidates() {}

    static List<Candidate> of(PathWord word, Invocation invocation) {
        if (word.isPassed()) {
            return word.itself();
        }
        if (!word.canGoOn()) {
            return List.of();
        }
        String typed = word.typed();
        String directory = typed.substring(0, typed.lastIndexOf('/') + 1);
        String begun = typed.substring(directory.length());
        List<Candidate> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(invocation.path(directory))) {
            for (Path entry : entries) {
                String shown = Text.name(LocalNames.name(entry));
                boolean isWanted =
                        PathWord.isBegunBy(begun, shown) && (begun.startsWith(".") || !shown.startsWith("."));
                if (isWanted && found.size() < MAX_CANDIDATES) {
                    word.with(directory, shown, Files.isDirectory(entry)).ifPresent(found::add);
                }
            }
        } catch (IOException | DirectoryIteratorException | IllegalArgumentException e) {
            LOG.debug("{} is not read", directory, e);
        }
        if (found.size() == MAX_CANDIDATES) {
            found.add(word.more("... and more: type on"));
        }
        return found;
    }
}
