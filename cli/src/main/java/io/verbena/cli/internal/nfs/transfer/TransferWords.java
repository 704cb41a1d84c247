package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.OptionException;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats the words of the commands that copy. */
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

    /** Parses a limit in octets a second; an empty text is no limit. */
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

    /** Returns a step in one line. */
    static String step(CopyStep step) {
        return switch (step.kind()) {
            case MAKE_DIRECTORY -> "make " + step.path() + "/";
            case COPY -> "copy " + step.path() + " to " + step.target();
            case LINK -> "link " + step.path() + " to " + step.target();
            case REMOVE -> "remove " + step.path();
        };
    }

    /** Returns the reason why a file was not copied in one line, with the option of the command that would help. */
    static String reason(CopyFailure failure) {
        return new CopyFailure(failure.path(), worded(failure.cause())).reason();
    }

    /** Returns a failure that names the option of the command, if an option caused it; otherwise the failure itself. */
    static IOException worded(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(failure.getMessage());
            if (cause instanceof OptionException option && message.endsWith(option.getMessage())) {
                String start = message.substring(
                        0, message.length() - option.getMessage().length());
                return new IOException(start + option.path() + ": " + words(option), failure);
            }
        }
        return failure;
    }

    private static String words(OptionException option) {
        return switch (option.flag()) {
            case RECURSIVE -> "is a directory; -r copies it with all that is in it";
            case FORCE -> "permission denied to write; -f replaces it all the same";
            case VERIFY -> "is no regular file, so that --verify cannot read it back";
            default -> option.getMessage().substring(option.path().length() + 2);
        };
    }

    /** Returns a word quoted for the shell. */
    static String quoted(String word) {
        return Text.printable(word).replaceAll("[^\\p{L}\\p{N}_./:@%+=,~-]", "\\\\$0");
    }
}
