package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Invocation;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Locations;
import io.verbena.cli.internal.ShellWords;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.OptionException;
import io.verbena.nfs.transfer.walk.NamedFailures;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.Path;

/** Parses and formats the words of the commands that copy. */
final class TransferWords {
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

    /** Returns the local file that an option names. */
    static Path localPath(String text, Invocation invocation) {
        return LocalNames.path(Locations.local(text, invocation).path());
    }

    /** Returns the failure of a local file that an option names. */
    static IOException about(String option, String name, IOException failure) {
        return NamedFailures.about(option + " " + Text.printable(name), failure);
    }

    /** Returns the reason of a failure of a local file in words. */
    static String reasonOf(IOException failure) {
        return NamedFailures.about("", failure).getMessage().replaceFirst("^: ", "");
    }

    /** Returns a step in one line. */
    static String step(CopyStep step) {
        return switch (step.kind()) {
            case MAKE_DIRECTORY -> "make " + step.path() + "/";
            case COPY, REPLACE -> "copy " + step.path() + " to " + step.target();
            case LINK -> "link " + step.path() + " to " + step.target();
            case REMOVE -> "remove " + step.path();
            case KEEP -> "keep " + step.path() + " as " + step.target();
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
        return ShellWords.quoted(Text.printable(word));
    }
}
