package io.verbena.cli;

import io.verbena.nfs.transfer.walk.NamedFailures;
import java.io.IOException;
import java.nio.file.FileSystemException;
import org.apache.karaf.shell.support.CommandException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts any failure to the one line that a user reads. Karaf prints a {@link CommandException} as that line. Karaf
 * prints every other exception as an error of the program and logs its stack trace. Commands therefore throw {@link
 * CommandException}.
 */
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    /** An operation that returns a result and may fail. */
    @FunctionalInterface
    public interface Call<T> {
        /** Runs the operation, and returns its result. */
        T get() throws IOException;
    }

    /** An operation without a result that may fail. */
    @FunctionalInterface
    public interface Task {
        /** Runs the operation. */
        void run() throws IOException;
    }

    private Failures() {}

    /** Runs an operation on one file. A failure names the file as {@link #about} does. */
    public static <T> T get(String subject, Call<T> call) throws IOException {
        return NamedFailures.get(subject, call::get);
    }

    /** Runs an operation without a result, as {@link #get} does. */
    public static void run(String subject, Task task) throws IOException {
        NamedFailures.run(subject, task::run);
    }

    /** Returns the exception that the shell should throw for a failure. */
    public static CommandException of(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof CommandException known) {
            return known;
        }
        if (NamedFailures.isInterruption(cause)) {
            return new CommandException("interrupted", cause);
        }
        if (cause instanceof RuntimeException && !(cause instanceof IllegalArgumentException)) {
            LOG.error("command failed", cause);
            return new CommandException("internal error, see the log: " + Text.printable(cause.toString()), cause);
        }
        return new CommandException(line(cause), cause);
    }

    /** Returns the failure of an operation on one file, with the name that the user uses for the file. */
    public static IOException about(String subject, Throwable failure) {
        return NamedFailures.about(subject, failure);
    }

    private static String line(Throwable cause) {
        if (cause instanceof FileSystemException e && e.getFile() != null) {
            return Text.name(e.getFile()) + ": " + NamedFailures.reason(e);
        }
        return NamedFailures.message(cause);
    }

    /** Returns the first cause that is not a wrapper of a future or a stream. */
    public static Throwable unwrap(Throwable failure) {
        return NamedFailures.unwrap(failure);
    }
}
