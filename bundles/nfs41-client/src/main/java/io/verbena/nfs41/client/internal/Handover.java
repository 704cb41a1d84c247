package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opaque;
import java.io.File;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a mount that is replaced leaves to the one that takes its place: a note in the bundle's own storage, which outlives
 * its class loader. Only a mount of the same source and options in the same process takes it: others may have
 * another server, or another user. It is read once.
 */
final class Handover {
    private static final Logger LOG = LoggerFactory.getLogger(Handover.class);

    /**
     * The mount before.
     *
     * @param owner the name that it had with its server: whoever goes on by it takes its place there at once, and does
     *     not have the server wait for it after a restart (RFC 8881 sections 2.4 and 8.4.2.1)
     * @param wentMillis when it went, since 1970
     * @param past what was replaced under it, and under those before it
     */
    record Predecessor(Opaque owner, long wentMillis, Swaps.Past past) {}

    private final Optional<Path> note;
    private final String identity;

    /**
     * @param file null where the framework has no storage
     * @param identity the mount's source and options
     */
    Handover(File file, String identity) {
        this.note = Optional.ofNullable(file).map(File::toPath);
        this.identity = identity;
    }

    /** The note's, whatever characters the mount's name has. */
    static String fileName(String mountName) {
        return "replaced-" + URLEncoder.encode(mountName, StandardCharsets.UTF_8);
    }

    /** The mount goes now, whose name with its server that is. */
    void leave(Opaque owner, Swaps.Past past) {
        if (note.isEmpty()) {
            return;
        }
        try {
            Files.write(
                    note.get(),
                    List.of(
                            process(),
                            identity,
                            owner.toString(),
                            Long.toString(System.currentTimeMillis()),
                            Long.toString(past.swaps()),
                            Long.toString(past.replayed())));
        } catch (IOException e) {
            LOG.debug("the next mount of {} will not know when this one went", identity, e);
        }
    }

    /** The mount before; empty where there was none. */
    Optional<Predecessor> take() {
        if (note.isEmpty()) {
            return Optional.empty();
        }
        try {
            List<String> lines = Files.readAllLines(note.get());
            Files.delete(note.get());
            boolean mine = lines.size() == 6
                    && lines.get(0).equals(process())
                    && lines.get(1).equals(identity);
            return mine
                    ? Optional.of(new Predecessor(
                            Opaque.of(HexFormat.of().parseHex(lines.get(2))),
                            Long.parseLong(lines.get(3)),
                            new Swaps.Past(Long.parseLong(lines.get(4)), Long.parseLong(lines.get(5)), null)))
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug("what the mount of {} before has left cannot be read", identity, e);
            return Optional.empty();
        }
    }

    private static String process() {
        ProcessHandle process = ProcessHandle.current();
        return process.pid() + "/" + process.info().startInstant().orElse(Instant.EPOCH);
    }
}
