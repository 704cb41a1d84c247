package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.internal.block.FileRange;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    private static final int MAX_SIZE = 64 << 20;

    private final TreePath file;
    private final Map<String, String> digests = new ConcurrentHashMap<>();
    private long size = -1;

    /**
     * Creates a journal.
     *
     * @param file a path of this host
     */
    Journal(TreePath file) {
        this.file = file;
    }

    /** Reads the entries of an earlier copy. Incomplete lines are ignored. */
    synchronized void load() throws IOException {
        Optional<FileEntry> there = file.adopt();
        if (there.isEmpty()) {
            return;
        }
        size = there.get().size();
        if (size > MAX_SIZE) {
            return;
        }
        ByteBuffer content = ByteBuffer.allocate((int) size);
        try (BlockSource source = file.read()) {
            CompletableFuture<Integer> unused = source.read(content, 0); // of this host: complete at once
        }
        String text = new String(content.array(), 0, content.position(), StandardCharsets.ISO_8859_1);
        text.lines().map(LINE::matcher).filter(Matcher::matches).forEach(this::take);
    }

    private void take(Matcher line) {
        digests.put(line.group(1) + " " + line.group(2), line.group(3));
    }

    Optional<String> digest(FileRange stretch) {
        return Optional.ofNullable(digests.get(key(stretch)));
    }

    synchronized void add(FileRange stretch, String digest) throws IOException {
        // The entry begins with a line separator, because the last line of the journal may be truncated.
        byte[] line = ("\n" + key(stretch) + " " + digest + "\n").getBytes(StandardCharsets.ISO_8859_1);
        try (BlockSink sink = file.write(size < 0)) {
            size = Math.max(0, size);
            CompletableFuture<Void> unused = sink.write(ByteBuffer.wrap(line), size); // complete at once
        }
        size += line.length;
    }

    private static String key(FileRange stretch) {
        return stretch.start() + " " + stretch.end();
    }

    /** Gives the file up to a later copy. */
    void release() {
        file.release();
    }

    void remove() throws IOException {
        try {
            file.remove();
        } catch (IOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) {
                throw e;
            }
        }
    }
}
