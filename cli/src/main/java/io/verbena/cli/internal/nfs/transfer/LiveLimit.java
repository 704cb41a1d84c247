package io.verbena.cli.internal.nfs.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Invocation;
import io.verbena.cli.Text;
import io.verbena.nfs.transfer.RateTimetable;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The limit of the rate of a running transfer: a rate, a timetable, or what a file says, which is read again every
 * second. So the file changes the limit of a transfer of any session and of any process. Thread safe.
 */
final class LiveLimit implements LongSupplier {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_SIZE = 1 << 16;
    private static final String STAYS = "the limit stays as it is: ";

    private final Path file;
    private final Consumer<String> told;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private long lastLook;

    @GuardedBy("this")
    private String text;

    @GuardedBy("this")
    private RateTimetable table;

    /** How often in succession the file had no content. */
    @GuardedBy("this")
    private int emptyLooks;

    private LiveLimit(Path file, String text, RateTimetable table, Consumer<String> told, LongSupplier nanoTime) {
        this.file = file;
        this.text = text;
        this.table = table;
        this.told = told;
        this.nanoTime = nanoTime;
        this.lastLook = nanoTime.getAsLong();
    }

    /**
     * Returns the limit that an option means.
     *
     * @param word a rate, a timetable, or {@code @} and a file; empty for no limit
     * @param invocation where the file is looked for
     * @param told receives a line on what is wrong with the file later, on a thread of the transfer
     * @param nanoTime the clock, as {@link System#nanoTime}
     */
    static LongSupplier of(String word, Invocation invocation, Consumer<String> told, LongSupplier nanoTime)
            throws CommandFailure {
        if (word.isEmpty()) {
            return () -> 0;
        }
        String said = "--bwlimit " + Text.printable(word) + ": ";
        try {
            if (!word.startsWith("@")) {
                RateTimetable table = RateTimetable.parse(word);
                return () -> table.rateAt(LocalDateTime.now(ZoneId.systemDefault()));
            }
            Path file = TransferWords.localPath(word.substring(1), invocation);
            String text = read(file);
            return new LiveLimit(file, text, RateTimetable.parse(text), told, nanoTime);
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

    /** Reads the file. What is no rate changes nothing, and is told once. */
    @GuardedBy("this")
    private void look() {
        String present = "";
        String fault = "is empty";
        try {
            present = read(file);
        } catch (IOException e) {
            fault = "cannot be read: " + TransferWords.reasonOf(e);
        }
        if (present.isEmpty()) {
            tellEmpty(fault);
            return;
        }
        emptyLooks = 0;
        if (present.equals(text)) {
            return;
        }
        text = present;
        try {
            table = RateTimetable.parse(present);
        } catch (IllegalArgumentException e) {
            told.accept(STAYS + e.getMessage());
        }
    }

    /** Tells that there is no content, at the second look only: a file that is just being written has none either. */
    @GuardedBy("this")
    private void tellEmpty(String fault) {
        if (emptyLooks < 2) {
            emptyLooks++;
            if (emptyLooks == 2) {
                told.accept(STAYS + "the file " + LocalNames.shown(file) + " " + fault);
            }
        }
    }
}
