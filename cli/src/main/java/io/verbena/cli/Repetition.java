package io.verbena.cli;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.support.CommandException;

/**
 * Looks at something again and again, as {@code [INTERVAL [COUNT]]} says: once without an interval, without an end where
 * there is no count, until Ctrl-C.
 */
public final class Repetition {
    private static final double MOST_SECONDS = 86_400;

    private final long intervalNanos;
    private final long count;

    private Repetition(long intervalNanos, long count) {
        this.intervalNanos = intervalNanos;
        this.count = count;
    }

    /** One look. */
    @FunctionalInterface
    public interface Look {
        /**
         * @param number 0 for the first
         */
        void run(long number) throws IOException, CommandException;
    }

    /**
     * Reads the arguments, either of which may be null.
     *
     * @throws CommandFailure for what makes no sense
     */
    public static Repetition of(String interval, String count) throws CommandFailure {
        if (interval == null) {
            return new Repetition(0, 1);
        }
        double seconds = interval.matches("[0-9]{1,5}(\\.[0-9]{1,3})?") ? Double.parseDouble(interval) : 0;
        if (seconds <= 0 || seconds > MOST_SECONDS) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "INTERVAL " + Text.printable(interval) + ": it is a number of seconds, from 0.001 to 86400");
        }
        if (count != null && !(count.matches("[0-9]{1,9}") && Long.parseLong(count) > 0)) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "COUNT " + Text.printable(count) + ": it is how many times to look, 1 or more");
        }
        return new Repetition((long) (seconds * 1e9), count == null ? Long.MAX_VALUE : Long.parseLong(count));
    }

    /** Looks as often as was said; returns at Ctrl-C, too, which is how a look without an end ends. */
    public void run(Look look) throws IOException, CommandException {
        try {
            for (long number = 0; number < count; number++) {
                if (number > 0) {
                    TimeUnit.NANOSECONDS.sleep(intervalNanos);
                }
                look.run(number);
            }
        } catch (InterruptedException e) {
            // Ctrl-C: enough was seen
            return;
        }
    }
}
