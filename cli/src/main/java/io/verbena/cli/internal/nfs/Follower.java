package io.verbena.cli.internal.nfs;

import io.verbena.cli.internal.MountedPath;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Prints the end of a file, and then what is added to it. */
final class Follower {
    private final MountedPath path;
    private final ContentReader reader;
    private final PrintStream out;
    private final PrintStream notes;
    private final Runnable show;
    private final Excerpt excerpt;
    private long fileId;
    private long position;
    private boolean isGone;

    /**
     * @param notes where it tells what has become of the file
     * @param show has a terminal show what was printed
     */
    Follower(MountedPath path, ContentReader reader, PrintStream out, PrintStream notes, Runnable show) {
        this.path = path;
        this.reader = reader;
        this.out = out;
        this.notes = notes;
        this.show = show;
        this.excerpt = new Excerpt(reader, out);
    }

    /** Prints so much of the end. */
    void begin(long amount, boolean isLines) throws IOException {
        FileAttributes attributes = reader.attributes();
        if (attributes.isDirectory()) {
            throw new IOException(path + ": is a directory");
        }
        fileId = attributes.fileId();
        long size = attributes.size();
        long start = isLines ? excerpt.startOfLast(amount, size) : Math.max(0, size - amount);
        position = excerpt.print(start, size - start);
    }

    /** Prints what comes, until nobody reads it any more, or until Ctrl-C, which is how it is meant to end. */
    void follow(Duration pause) throws IOException {
        try {
            while (!out.checkError()) { // which flushes it too
                show.run();
                reader.close();
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
                look();
            }
        } catch (InterruptedException | InterruptedIOException e) {
            boolean unused = Thread.interrupted(); // enough was seen, and what is still to close is closed in order
        }
    }

    private void look() throws IOException {
        FileAttributes attributes;
        try {
            attributes = reader.attributes();
        } catch (IOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) {
                throw e;
            }
            note(!isGone, "has gone, and is waited for");
            isGone = true;
            return;
        }
        boolean isOther = attributes.fileId() != fileId;
        if (isOther || attributes.size() < position) {
            note(true, isOther ? "is another file now, from its beginning" : "was truncated, from its beginning");
            fileId = attributes.fileId();
            position = 0;
        } else {
            note(isGone, "is there again");
        }
        isGone = false;
        position = excerpt.print(position, attributes.size() - position);
    }

    private void note(boolean isNews, String what) {
        if (isNews) {
            out.flush();
            notes.println("nfs:tail: " + path + " " + what);
        }
    }
}
