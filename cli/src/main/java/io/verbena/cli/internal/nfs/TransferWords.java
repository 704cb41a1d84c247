package io.verbena.cli.internal.nfs;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.transfer.CopyOptions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Words of the commands that copy. */
final class TransferWords {
    private static final Pattern LIMIT = Pattern.compile("([1-9][0-9]{0,11})([kKMG]?)");

    private TransferWords() {}

    static int jobs(String text) throws CommandFailure {
        if (!text.matches("[0-9]{1,2}")
                || Integer.parseInt(text) < 1
                || Integer.parseInt(text) > CopyOptions.MAX_JOBS) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--jobs " + Text.printable(text) + ": it is a number from 1 to " + CopyOptions.MAX_JOBS);
        }
        return Integer.parseInt(text);
    }

    /** In octets a second; nothing is no limit. */
    static long limit(String text) throws CommandFailure {
        if (text.isEmpty()) {
            return 0;
        }
        Matcher matcher = LIMIT.matcher(text);
        if (!matcher.matches()) {
            throw noLimit(text);
        }
        long factor =
                switch (matcher.group(2)) {
                    case "k", "K" -> 1_000;
                    case "M" -> 1_000_000;
                    case "G" -> 1_000_000_000;
                    default -> 1;
                };
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), factor);
        } catch (ArithmeticException e) {
            throw noLimit(text);
        }
    }

    private static CommandFailure noLimit(String text) {
        return new CommandFailure(
                ExitStatus.USAGE,
                "--limit " + Text.printable(text)
                        + ": it is a number of octets a second, as 500k, 10M or 1G, in multiples of 1000");
    }

    /** A word as the shell reads it. */
    static String quoted(String word) {
        return Text.printable(word).replaceAll("[^\\p{L}\\p{N}_./:@%+=,~-]", "\\\\$0");
    }
}
