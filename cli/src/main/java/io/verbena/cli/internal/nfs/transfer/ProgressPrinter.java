package io.verbena.cli.internal.nfs.transfer;

import io.verbena.nfs.transfer.CopyListener;
import io.verbena.nfs.transfer.Progress;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a copy. On a terminal, it is one line that is redrawn. Elsewhere it is a new line every few
 * seconds. Belongs to the thread that runs the copy.
 */
final class ProgressPrinter implements CopyListener {
    private static final long BAR_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * The weight of the latest rate in the shown rate. The rest is the previous rate, which keeps the shown rate
     * readable.
     */
    private static final double WEIGHT = 0.2;

    private static final int MIN_BAR = 5;
    private static final int MAX_BAR = 40;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECONDS_PER_HOUR = 3600;
    private static final long MAX_SECONDS = 100 * SECONDS_PER_HOUR;
    /** The time without progress after which the remaining time is not estimated. */
    private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final String CLEAR = "\r\u001b[K";

    private final PrintStream out;
    private final int width;
    private final Function<Progress, Optional<String>> trouble;
    private final LongSupplier nanoTime;
    private Progress progress;
    private long lastTime;
    private long movedTime;
    private long lastOctets;
    private double rate = -1;
    private boolean isDrawn;

    /**
     * Creates a printer.
     *
     * @param width the width of the terminal in columns; 0 if there is no terminal that can redraw a line
     * @param trouble returns the text to show in place of rate and remaining time, if there is one
     * @param nanoTime the clock, as {@link System#nanoTime}
     */
    ProgressPrinter(PrintStream out, int width, Function<Progress, Optional<String>> trouble, LongSupplier nanoTime) {
        this.out = out;
        this.width = width;
        this.trouble = trouble;
        this.nanoTime = nanoTime;
        this.lastTime = nanoTime.getAsLong();
        this.movedTime = lastTime;
    }

    /** Prints the progress of the copy, if the next update is due. */
    @Override
    public void progressed(Progress present) {
        long now = nanoTime.getAsLong();
        if (now - lastTime < (width > 0 ? BAR_NANOS : LINE_NANOS)) {
            return;
        }
        progress = present;
        long octets = progress.octets();
        double latest = Math.max(0, octets - lastOctets) / ((now - lastTime) / NANOS_PER_SECOND);
        rate = rate < 0 ? latest : WEIGHT * latest + (1 - WEIGHT) * rate;
        movedTime = octets == lastOctets ? movedTime : now;
        lastTime = now;
        lastOctets = octets;
        if (width > 0) {
            out.print(CLEAR + bar());
            isDrawn = true;
        } else {
            out.println(text());
        }
        out.flush();
    }

    /** Clears the line. */
    void end() {
        if (isDrawn) {
            out.print(CLEAR);
            out.flush();
        }
    }

    private String bar() {
        String text = text();
        int room = Math.min(MAX_BAR, width - 1 - text.length() - "[] ".length());
        if (room < MIN_BAR) {
            return text.length() < width ? text : text.substring(0, Math.max(0, width - 1));
        }
        int done = (int) (fraction() * room);
        String head = done > 0 && done < room ? ">" : "";
        return "[" + "=".repeat(done - head.length()) + head + " ".repeat(room - done) + "] " + text;
    }

    private double fraction() {
        double total = progress.plannedOctets() > 0 ? progress.plannedOctets() : progress.plannedFiles();
        double done = progress.plannedOctets() > 0 ? progress.octets() : progress.files();
        return total == 0 ? 1 : Math.min(1, done / total);
    }

    private String text() {
        long left = Math.max(0, progress.plannedOctets() - progress.octets());
        return String.format(
                Locale.ROOT,
                "%3d%% %s of %s, %s, %d/%d files",
                (int) (100 * fraction()),
                size(progress.octets()),
                size(progress.plannedOctets()),
                trouble.apply(progress).orElseGet(() -> pace(left)),
                progress.files(),
                progress.plannedFiles());
    }

    private String pace(long left) {
        boolean stalled = left > 0 && lastTime - movedTime >= STALLED_NANOS;
        return stalled ? "stalled" : size((long) rate) + "/s, " + left(left / Math.max(rate, 1));
    }

    private static String left(double seconds) {
        if (seconds >= MAX_SECONDS) {
            return "long to go";
        }
        long whole = (long) Math.ceil(seconds);
        String minutes = String.format(
                whole < SECONDS_PER_HOUR ? "%d:%02d" : "%02d:%02d",
                whole % SECONDS_PER_HOUR / SECONDS_PER_MINUTE,
                whole % SECONDS_PER_MINUTE);
        return (whole < SECONDS_PER_HOUR ? "" : whole / SECONDS_PER_HOUR + ":") + minutes + " left";
    }

    /** Formats a size in decimal multiples, like rates. */
    private static String size(long octets) {
        String[] units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
        double value = octets;
        int unit = 0;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    }
}
