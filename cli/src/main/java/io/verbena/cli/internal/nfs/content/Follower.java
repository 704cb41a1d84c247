package io.verbena.cli.internal.nfs.content;

import io.verbena.cli.internal.MountedPath;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Prints the end of a file, and then the octets that are appended to it. */
final class Follower {
    private final MountedPath path;
    private final ContentReader reader;
    private final PrintStream out;
    private final Consumer<String> notes;
    private final Runnable show;
    private final Excerpt excerpt;
    private long fileId;
    private long position;
    private boolean isGone;

    /**
     * Creates a follower.
     *
     * @param excerpt prints parts of the file to the output
     * @param notes receives notes about changes of the file
     * @param show makes a terminal show the printed output
     */
    Follower(
            MountedPath path,
            Excerpt excerpt,
            ContentReader reader,
            PrintStream out,
            Consumer<String> notes,
            Runnable show) {
        this.path = path;
        this.reader = reader;
        this.out = out;
        this.notes = notes;
        this.show = show;
        this.excerpt = excerpt;
    }

    /** Prints an amount from the end of the file. */
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

    /** Prints appended octets until the output has no reader, or until Ctrl-C, which is the usual end. */
    void follow(Duration pause) throws IOException {
        try {
            while (!out.checkError()) { // checkError also flushes the stream
                show.run();
                reader.close();
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
                look();
            }
        } catch (InterruptedException | InterruptedIOException e) {
            boolean unused = Thread.interrupted(); // Ctrl-C is the usual end, and the files must be closed normally
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
            notes.accept("nfs:tail: " + path + " " + what);
        }
    }
}
