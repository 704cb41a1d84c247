package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.internal.block.FileRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records the SHA-256 of each range of a source on a server, as the range was read for an incomplete file on this host.
 * A later copy need not read these ranges from the server again. The copy compares the content of the incomplete file
 * with the journal. Thread safe.
 */
final class Journal {
    private static final Pattern LINE = Pattern.compile("([0-9]{1,19}) ([0-9]{1,19}) ([0-9a-f]{64})");
    private static final long MAX_SIZE = 64 << 20;

    private final Path file;
    private final Map<String, String> digests = new ConcurrentHashMap<>();

    Journal(Path file) {
        this.file = file;
    }

    /** Reads the entries of an earlier copy. Incomplete lines are ignored. */
    void load() throws IOException {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= MAX_SIZE) {
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            text.lines().map(LINE::matcher).filter(Matcher::matches).forEach(this::take);
        }
    }

    private void take(Matcher line) {
        digests.put(line.group(1) + " " + line.group(2), line.group(3));
    }

    Optional<String> digest(FileRange stretch) {
        return Optional.ofNullable(digests.get(key(stretch)));
    }

    synchronized void add(FileRange stretch, String digest) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        // The entry begins with a line separator, because the last line of the journal may be truncated.
        Files.writeString(
                file, "\n" + key(stretch) + " " + digest + "\n", StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
    }

    private static String key(FileRange stretch) {
        return stretch.start() + " " + stretch.end();
    }

    void remove() throws IOException {
        Files.deleteIfExists(file);
    }
}
