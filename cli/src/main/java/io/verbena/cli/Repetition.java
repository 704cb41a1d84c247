package io.verbena.cli;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.support.CommandException;

/**
 * Repeats an action as {@code [INTERVAL [COUNT]]} specifies. Without an interval, the action runs once. Without a
 * count, the action is repeated until Ctrl-C.
 */
public final class Repetition {
    private static final double MOST_SECONDS = 86_400;

    private final long intervalNanos;
    private final long count;

    private Repetition(long intervalNanos, long count) {
        this.intervalNanos = intervalNanos;
        this.count = count;
    }

    /** The action of one repetition. */
    @FunctionalInterface
    public interface Look {
        /**
         * Runs the action.
         *
         * @param number the number of the repetition, starting with 0
         */
        void run(long number) throws IOException, CommandException;
    }

    /**
     * Parses the arguments, either of which may be null.
     *
     * @throws CommandFailure if an argument is invalid
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

    /**
     * Runs the action as often as specified. Returns normally at Ctrl-C, which is the usual end of a repetition without
     * a count.
     */
    public void run(Look look) throws IOException, CommandException {
        try {
            for (long number = 0; number < count; number++) {
                if (number > 0) {
                    TimeUnit.NANOSECONDS.sleep(intervalNanos);
                }
                look.run(number);
            }
        } catch (InterruptedException e) {
            // Ctrl-C is the usual end of a repetition.
            return;
        }
    }
}
