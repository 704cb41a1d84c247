package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records the digest of each unit of a source on a server, as the unit was read for an incomplete file on this host. A
 * later copy need not read these units from the server again. The copy compares the content of the incomplete file with
 * the journal. Thread safe.
 */
final class Journal {
    private static final Pattern LINE = Pattern.compile("([0-9]{1,19} [0-9]{1,19}) ([0-9a-f]{64}|[0-9a-f]{8})");
    private static final int MAX_SIZE = 64 << 20;

    /** Asks the server. */
    @FunctionalInterface
    interface Present {
        Instant changed() throws IOException;
    }

    private final Optional<TreePath> file;
    private final Supplier<Optional<Instant>> changed;
    private final Map<String, String> digests = new ConcurrentHashMap<>();
    private long size = -1;

    private Journal(Optional<TreePath> file, Supplier<Optional<Instant>> changed) {
        this.file = file;
        this.changed = changed;
    }

    /**
     * Creates a journal that each entry is added to at once.
     *
     * @param file a path of this host
     * @param changed when the attributes of the source had been changed last as it was opened
     */
    static Journal in(TreePath file, Supplier<Optional<Instant>> changed) {
        return new Journal(Optional.of(file), changed);
    }

    /**
     * Creates a journal that is in memory until it is {@linkplain #save saved}.
     *
     * @param changed when the attributes of the source had been changed last as it was opened
     */
    static Journal inMemory(Supplier<Optional<Instant>> changed) {
        return new Journal(Optional.empty(), changed);
    }

    /**
     * Reads the entries of an earlier copy. Incomplete lines are ignored. A journal that is too large, or of another
     * version of the source, is removed.
     *
     * @param present tells when the attributes of the source were changed last; asked if there is a journal
     */
    synchronized void load(Present present) throws IOException {
        TreePath path = file.orElseThrow();
        Optional<FileEntry> there = path.adopt();
        if (there.isEmpty()) {
            return;
        }
        size = there.get().size();
        if (size > MAX_SIZE) {
            startAnew(path);
            return;
        }
        ByteBuffer content = ByteBuffer.allocate((int) size);
        try (BlockSource source = path.read()) {
            CompletableFuture<Integer> unused = source.read(content, 0); // of this host: complete at once
        }
        String text = new String(content.array(), 0, content.position(), StandardCharsets.ISO_8859_1);
        if (text.lines().noneMatch(versionLine(present.changed())::equals)) {
            startAnew(path);
            return;
        }
        text.lines().map(LINE::matcher).filter(Matcher::matches).forEach(this::take);
    }

    private void startAnew(TreePath path) throws IOException {
        remove(path);
        size = -1;
    }

    /** The line that tells which version of the source the entries are of. */
    private static String versionLine(Instant changed) {
        return "changed " + changed;
    }

    private String versionLines() {
        return changed.get().map(each -> versionLine(each) + "\n").orElse("");
    }

    private void take(Matcher line) {
        digests.put(line.group(1), line.group(2));
    }

    /** Returns the digest of a unit, in hexadecimal. */
    Optional<String> digest(long start, long end) {
        return Optional.ofNullable(digests.get(key(start, end)));
    }

    boolean isEmpty() {
        return digests.isEmpty();
    }

    synchronized void add(long start, long end, String digest) throws IOException {
        if (file.isEmpty()) {
            digests.put(key(start, end), digest);
            return;
        }
        // The entry begins with a line separator, because the last line of the journal may be truncated.
        String version = size < 0 ? versionLines() : "";
        byte[] line = (version + "\n" + key(start, end) + " " + digest + "\n").getBytes(StandardCharsets.ISO_8859_1);
        try (BlockSink sink = file.get().write(size < 0)) {
            size = Math.max(0, size);
            CompletableFuture<Void> unused = sink.write(ByteBuffer.wrap(line), size); // complete at once
        }
        size += line.length;
    }

    /**
     * Writes all entries to a file.
     *
     * @param target a path of this host; a file that is there is replaced
     */
    synchronized void save(TreePath target) throws IOException {
        StringBuilder text = new StringBuilder(versionLines());
        digests.forEach(
                (key, digest) -> text.append(key).append(' ').append(digest).append('\n'));
        remove(target);
        try (BlockSink sink = target.write(true)) {
            byte[] octets = text.toString().getBytes(StandardCharsets.ISO_8859_1);
            CompletableFuture<Void> unused = sink.write(ByteBuffer.wrap(octets), 0); // complete at once
        } finally {
            target.release();
        }
    }

    private static String key(long start, long end) {
        return start + " " + end;
    }

    /** Gives the file up to a later copy. */
    void release() {
        file.ifPresent(TreePath::release);
    }

    void remove() throws IOException {
        if (file.isPresent()) {
            remove(file.get());
        }
    }

    private static void remove(TreePath file) throws IOException {
        try {
            file.remove();
        } catch (IOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) {
                throw e;
            }
        }
    }
}
