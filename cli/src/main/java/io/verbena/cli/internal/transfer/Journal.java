package io.verbena.cli.internal.transfer;

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
 * What a file on this host that is not whole yet should hold: the SHA-256 of each stretch as it was read from the server,
 * so that it need not be read from there again. It proves nothing by itself: what the file holds is compared with it.
 * Thread safe.
 */
final class Journal {
    private static final Pattern LINE = Pattern.compile("([0-9]{1,19}) ([0-9]{1,19}) ([0-9a-f]{64})");
    private static final long MAX_SIZE = 64 << 20;

    private final Path file;
    private final Map<String, String> digests = new ConcurrentHashMap<>();

    Journal(Path file) {
        this.file = file;
    }

    /** Reads what an earlier copy wrote; lines that are not whole are left out. */
    void load() throws IOException {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= MAX_SIZE) {
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            text.lines().map(LINE::matcher).filter(Matcher::matches).forEach(this::take);
        }
    }

    private void take(Matcher line) {
        digests.put(line.group(1) + " " + line.group(2), line.group(3));
    }

    Optional<String> digest(Stretch stretch) {
        return Optional.ofNullable(digests.get(key(stretch)));
    }

    synchronized void add(Stretch stretch, String digest) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        // begins with a line's end, since the last one may have been cut off
        Files.writeString(
                file, "\n" + key(stretch) + " " + digest + "\n", StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
    }

    private static String key(Stretch stretch) {
        return stretch.start() + " " + stretch.end();
    }

    void remove() throws IOException {
        Files.deleteIfExists(file);
    }
}
