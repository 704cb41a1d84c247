package io.verbena.cli;

import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.karaf.shell.support.CommandException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes of any failure the one line that a user reads. Karaf shows its own {@link CommandException} as that line, and
 * every other exception as an error of the program, with a stack trace in the log; so that is what commands throw.
 */
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final Map<Class<? extends FileSystemException>, String> REASONS = Map.of(
            NoSuchFileException.class, "no such file or directory",
            FileAlreadyExistsException.class, "already exists",
            AccessDeniedException.class, "permission denied",
            NotDirectoryException.class, "not a directory",
            DirectoryNotEmptyException.class, "directory not empty",
            NotLinkException.class, "not a symbolic link",
            FileSystemLoopException.class, "too many levels of symbolic links");

    /** Something that may fail. */
    @FunctionalInterface
    public interface Call<T> {
        T get() throws IOException;
    }

    /** Something that may fail, without a result. */
    @FunctionalInterface
    public interface Task {
        void run() throws IOException;
    }

    private Failures() {}

    /** Runs what is done to one file; a failure names the file as {@link #about} does. */
    public static <T> T get(String subject, Call<T> call) throws IOException {
        try {
            return call.get();
        } catch (IOException | UncheckedIOException e) {
            throw about(subject, e);
        }
    }

    /** As {@link #get}, without a result. */
    public static void run(String subject, Task task) throws IOException {
        try {
            task.run();
        } catch (IOException | UncheckedIOException e) {
            throw about(subject, e);
        }
    }

    /** The failure as the shell should throw it. */
    public static CommandException of(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof CommandException known) {
            return known;
        }
        if (isInterruption(cause)) {
            return new CommandException("interrupted", cause);
        }
        if (cause instanceof RuntimeException && !(cause instanceof IllegalArgumentException)) {
            LOG.error("command failed", cause);
            return new CommandException("internal error, see the log: " + cause, cause);
        }
        return new CommandException(line(cause), cause);
    }

    /** The failure of what was done to one file, named as the user names it. */
    public static IOException about(String subject, Throwable failure) {
        Throwable cause = unwrap(failure);
        if (isInterruption(cause)) {
            InterruptedIOException interrupted = new InterruptedIOException("interrupted");
            interrupted.initCause(cause);
            return interrupted;
        }
        if (cause instanceof FileSystemException e) {
            return new IOException(subject + ": " + reason(e), cause);
        }
        String message = message(cause);
        return new IOException(message.startsWith(subject) ? message : subject + ": " + message, cause);
    }

    private static String line(Throwable cause) {
        if (cause instanceof FileSystemException e && e.getFile() != null) {
            return Text.name(e.getFile()) + ": " + reason(e);
        }
        return message(cause);
    }

    private static String reason(FileSystemException e) {
        String known = REASONS.get(e.getClass());
        if (known != null) {
            return known;
        }
        if (e.getReason() != null) {
            return Text.printable(e.getReason());
        }
        return e.getClass() == FileSystemException.class
                ? "failed"
                : e.getClass().getSimpleName();
    }

    private static String message(Throwable cause) {
        if (cause instanceof MountReplacedException replaced) {
            return "mount " + Text.printable(replaced.mount()) + " was replaced, "
                    + (replaced.isUndecided()
                            ? "and this may have been done or not: look, and run it again if not"
                            : "and this was not done: run it again");
        }
        String message = cause.getMessage();
        if (message == null || message.isBlank()) {
            return cause instanceof TimeoutException
                    ? "timed out"
                    : cause.getClass().getSimpleName();
        }
        return Text.printable(message.strip().replaceAll("\\s*\\R\\s*", " "));
    }

    /** What went wrong, without the wrappings of futures and streams. */
    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof ExecutionException
                        || cause instanceof CompletionException
                        || cause instanceof UncheckedIOException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static boolean isInterruption(Throwable cause) {
        return cause instanceof InterruptedException
                || cause instanceof InterruptedIOException
                || cause instanceof ClosedByInterruptException
                || cause instanceof CancellationException;
    }
}
