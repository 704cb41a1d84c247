package io.verbena.cli.internal.nfs.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.nfs.transfer.RateTimetable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.karaf.shell.support.CommandException;

/**
 * The limit of the rate of a running transfer: a rate, a timetable, or what a file says, which is read again every
 * second. So the file changes the limit of a transfer of any session and of any process. Thread safe.
 */
final class LiveLimit implements LongSupplier {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_SIZE = 1 << 16;

    private final Path file;
    private final PrintStream notes;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private long lastLook;

    @GuardedBy("this")
    private String text;

    @GuardedBy("this")
    private RateTimetable table;

    private LiveLimit(Path file, String text, RateTimetable table, PrintStream notes, LongSupplier nanoTime) {
        this.file = file;
        this.text = text;
        this.table = table;
        this.notes = notes;
        this.nanoTime = nanoTime;
        this.lastLook = nanoTime.getAsLong();
    }

    /**
     * Returns the limit that an option means.
     *
     * @param word a rate, a timetable, or {@code @} and a file; empty for no limit
     * @param notes the stream for what is wrong with the file later
     * @param nanoTime the clock, as {@link System#nanoTime}
     */
    static LongSupplier of(String word, PrintStream notes, LongSupplier nanoTime) throws CommandException {
        if (word.isEmpty()) {
            return () -> 0;
        }
        String said = "--bwlimit " + Text.printable(word) + ": ";
        try {
            if (!word.startsWith("@")) {
                RateTimetable table = RateTimetable.parse(word);
                return () -> table.rateAt(LocalDateTime.now(ZoneId.systemDefault()));
            }
            Path file = TransferWords.localPath(word.substring(1));
            String text = read(file);
            return new LiveLimit(file, text, RateTimetable.parse(text), notes, nanoTime);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, said + Text.printable(e.getMessage()), e);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitStatus.USAGE, said + "the file with the rate cannot be read: " + TransferWords.reasonOf(e), e);
        }
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_SIZE), StandardCharsets.UTF_8).strip();
        }
    }

    @Override
    public synchronized long getAsLong() {
        long now = nanoTime.getAsLong();
        if (now - lastLook >= LOOK_NANOS) {
            lastLook = now;
            look();
        }
        return table.rateAt(LocalDateTime.now(ZoneId.systemDefault()));
    }

    /** Reads the file. What is no rate, as a file that is just being written, changes nothing. */
    @GuardedBy("this")
    private void look() {
        String present;
        try {
            present = read(file);
        } catch (IOException e) {
            present = "";
        }
        if (present.equals(text)) {
            return;
        }
        text = present;
        if (present.isEmpty()) {
            return;
        }
        try {
            table = RateTimetable.parse(present);
        } catch (IllegalArgumentException e) {
            notes.println("the limit stays as it is: " + Text.printable(e.getMessage()));
            notes.flush();
        }
    }
}
