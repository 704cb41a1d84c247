package io.verbena.cli.internal.transfer;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Shows how far a copy is: in a terminal as one line that is drawn again and again, elsewhere as a line every few seconds.
 * Belongs to the thread that ticks.
 */
public final class ProgressPrinter {
    private static final long BAR_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double NANOS_PER_SECOND = 1e9;

    /** How much of the rate shown is that of the last moment; the rest is that of before, so that it can be read. */
    private static final double WEIGHT = 0.2;

    private static final int MIN_BAR = 5;
    private static final int MAX_BAR = 40;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECONDS_PER_HOUR = 3600;
    private static final long MAX_SECONDS = 100 * SECONDS_PER_HOUR;
    private static final String CLEAR = "\r\u001b[K";

    private final Progress progress;
    private final PrintStream out;
    private final int width;
    private final TransferClock clock;
    private long lastTime;
    private long lastOctets;
    private double rate = -1;
    private boolean isDrawn;

    /**
     * @param width of the terminal in columns; 0 where there is none that could draw a line again
     */
    public ProgressPrinter(Progress progress, PrintStream out, int width) {
        this(progress, out, width, TransferClock.SYSTEM);
    }

    ProgressPrinter(Progress progress, PrintStream out, int width, TransferClock clock) {
        this.progress = progress;
        this.out = out;
        this.width = width;
        this.clock = clock;
        this.lastTime = clock.nanos();
    }

    /** Prints if it is time to. */
    public void tick() {
        long now = clock.nanos();
        if (now - lastTime < (width > 0 ? BAR_NANOS : LINE_NANOS)) {
            return;
        }
        long octets = progress.octetsDone();
        double present = Math.max(0, octets - lastOctets) / ((now - lastTime) / NANOS_PER_SECOND);
        rate = rate < 0 ? present : WEIGHT * present + (1 - WEIGHT) * rate;
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

    /** Leaves the line as it was found. */
    public void end() {
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
        double done = progress.plannedOctets() > 0 ? progress.octetsDone() : progress.filesDone();
        return total == 0 ? 1 : Math.min(1, done / total);
    }

    private String text() {
        long left = Math.max(0, progress.plannedOctets() - progress.octetsDone());
        return String.format(
                Locale.ROOT,
                "%3d%% %s of %s, %s/s, %s, %d/%d files",
                (int) (100 * fraction()),
                size(progress.octetsDone()),
                size(progress.plannedOctets()),
                size((long) rate),
                left(left / Math.max(rate, 1)),
                progress.filesDone(),
                progress.plannedFiles());
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

    /** In decimal multiples, as rates are. */
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
