package io.verbena.nfs41.client.internal.mount;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import java.io.File;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the identity of a replaced mount to the mount that takes its place, by a file in the bundle's storage, which
 * outlives the class loader. Only a mount with the same source and options in the same process takes it: another mount
 * may have another server or user. The file is read once.
 */
final class MountHandover {
    private static final Logger LOG = LoggerFactory.getLogger(MountHandover.class);

    /**
     * The mount before.
     *
     * @param owner its client owner. A mount that uses it again replaces the old client at once, and the server does
     *     not wait for the old client after a restart (RFC 8881 sections 2.4 and 8.4.2.1)
     * @param wentMillis when the mount before ended, in milliseconds since 1970
     * @param past the replacements under it and under the mounts before it
     * @param known what its transport had found out about the server, as options for the next connection
     */
    record Predecessor(Opaque owner, long wentMillis, SwapRecorder.Past past, Map<String, String> known) {}

    /** The lines before the options. */
    private static final int FIXED = 6;

    private final Optional<Path> note;
    private final String identity;

    /**
     * @param file null where the framework has no storage
     * @param identity the mount's source and options
     */
    MountHandover(File file, String identity) {
        this.note = Optional.ofNullable(file).map(File::toPath);
        this.identity = identity;
    }

    /** The name of the file; the mount's name may have any characters. */
    static String fileName(String mountName) {
        return "replaced-" + URLEncoder.encode(mountName, StandardCharsets.UTF_8);
    }

    /** Writes the file for a mount that ends now. */
    void leave(Predecessor gone) {
        if (note.isEmpty()) {
            return;
        }
        try {
            List<String> lines = new ArrayList<>(List.of(
                    process(),
                    identity,
                    gone.owner().toString(),
                    Long.toString(gone.wentMillis()),
                    Long.toString(gone.past().swaps()),
                    Long.toString(gone.past().replayed())));
            gone.known().forEach((option, value) -> lines.add(option + "=" + value));
            Files.write(note.get(), lines);
        } catch (IOException e) {
            LOG.debug("the next mount of {} will not know when this one went", identity, e);
        }
    }

    /** Reads and deletes the file; empty where there is none. */
    Optional<Predecessor> take() {
        if (note.isEmpty()) {
            return Optional.empty();
        }
        try {
            List<String> lines = Files.readAllLines(note.get());
            Files.delete(note.get());
            boolean mine = lines.size() >= FIXED
                    && lines.get(0).equals(process())
                    && lines.get(1).equals(identity);
            return mine
                    ? Optional.of(new Predecessor(
                            Opaque.of(HexFormat.of().parseHex(lines.get(2))),
                            Long.parseLong(lines.get(3)),
                            new SwapRecorder.Past(Long.parseLong(lines.get(4)), Long.parseLong(lines.get(5)), null),
                            known(lines.subList(FIXED, lines.size()))))
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug("the file of the mount of {} before this one cannot be read", identity, e);
            return Optional.empty();
        }
    }

    private static Map<String, String> known(List<String> lines) {
        Map<String, String> known = new HashMap<>();
        for (String line : lines) {
            int end = line.indexOf('=');
            if (end > 0) {
                known.put(line.substring(0, end), line.substring(end + 1));
            }
        }
        return Map.copyOf(known);
    }

    private static String process() {
        ProcessHandle process = ProcessHandle.current();
        return process.pid() + "/" + process.info().startInstant().orElse(Instant.EPOCH);
    }
}
