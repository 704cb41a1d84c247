package io.verbena.nfs41.client.internal;

import java.io.File;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a mount that is replaced leaves to the one that takes its place: a note in the bundle's own storage, which outlives
 * its class loader. Only a mount of the same source in the same process takes it, and it is read once.
 */
final class Handover {
    private static final Logger LOG = LoggerFactory.getLogger(Handover.class);

    private final Optional<Path> note;
    private final String source;

    /**
     * @param file null where the framework has no storage
     * @param source the mount's
     */
    Handover(File file, String source) {
        this.note = Optional.ofNullable(file).map(File::toPath);
        this.source = source;
    }

    /** The note's, whatever characters the mount's name has. */
    static String fileName(String mountName) {
        return "replaced-" + URLEncoder.encode(mountName, StandardCharsets.UTF_8);
    }

    /** The mount goes now. */
    void leave() {
        if (note.isEmpty()) {
            return;
        }
        try {
            Files.write(note.get(), List.of(process(), source, Long.toString(System.currentTimeMillis())));
        } catch (IOException e) {
            LOG.debug("the next mount of {} will not know when this one went", source, e);
        }
    }

    /** When the mount before went, in milliseconds since 1970; empty where there was none. */
    Optional<Long> take() {
        if (note.isEmpty()) {
            return Optional.empty();
        }
        try {
            List<String> lines = Files.readAllLines(note.get());
            Files.delete(note.get());
            boolean mine = lines.size() == 3
                    && lines.get(0).equals(process())
                    && lines.get(1).equals(source);
            return mine ? Optional.of(Long.valueOf(lines.get(2))) : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | NumberFormatException e) {
            LOG.debug("what the mount of {} before has left cannot be read", source, e);
            return Optional.empty();
        }
    }

    private static String process() {
        ProcessHandle process = ProcessHandle.current();
        return process.pid() + "/" + process.info().startInstant().orElse(Instant.EPOCH);
    }
}
