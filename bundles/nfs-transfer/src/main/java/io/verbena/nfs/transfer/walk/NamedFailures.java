package io.verbena.nfs.transfer.walk;

import io.verbena.nfs.MountReplacedException;
import io.verbena.text.OctetText;
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

/**
 * Creates failures of operations on one file. Each failure has a readable message of one line that begins with the name
 * of the file. The underlying failure is the cause.
 */
public final class NamedFailures {
    private static final Map<Class<? extends FileSystemException>, String> REASONS = Map.of(
            NoSuchFileException.class, "no such file or directory",
            FileAlreadyExistsException.class, "already exists",
            AccessDeniedException.class, "permission denied",
            NotDirectoryException.class, "not a directory",
            DirectoryNotEmptyException.class, "directory not empty",
            NotLinkException.class, "not a symbolic link",
            FileSystemLoopException.class, "too many levels of symbolic links");

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

    private NamedFailures() {}

    /**
     * Runs an operation on one file. A failure names the file as {@link #about} does.
     *
     * @param subject the readable name of the file
     * @param call the operation
     * @return the result of the operation
     * @throws IOException if the operation fails
     */
    public static <T> T get(String subject, Call<T> call) throws IOException {
        try {
            return call.get();
        } catch (IOException | UncheckedIOException e) {
            throw about(subject, e);
        }
    }

    /** Runs an operation without a result, as {@link #get} does. */
    public static void run(String subject, Task task) throws IOException {
        try {
            task.run();
        } catch (IOException | UncheckedIOException e) {
            throw about(subject, e);
        }
    }

    /**
     * Returns the failure of an operation on one file.
     *
     * @param subject the readable name of the file
     * @param failure the underlying failure
     */
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

    /** Returns the reason why an operation on a file failed, without the name of the file. */
    public static String reason(FileSystemException e) {
        String known = REASONS.get(e.getClass());
        if (known != null) {
            return known;
        }
        if (e.getReason() != null) {
            return OctetText.printable(e.getReason());
        }
        return e.getClass() == FileSystemException.class
                ? "failed"
                : e.getClass().getSimpleName();
    }

    /** Returns the message of a failure as one printable line, which is never empty. */
    public static String message(Throwable cause) {
        if (cause instanceof MountReplacedException replaced) {
            return "mount " + OctetText.printable(replaced.mount()) + " was replaced, "
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
        return OctetText.printable(message.strip().replaceAll("\\s*\\R\\s*", " "));
    }

    /** Returns the first cause that is not a wrapper of a future or a stream. */
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

    /** Returns whether a failure means that the thread was interrupted or the operation was cancelled. */
    public static boolean isInterruption(Throwable cause) {
        return cause instanceof InterruptedException
                || cause instanceof InterruptedIOException
                || cause instanceof ClosedByInterruptException
                || cause instanceof CancellationException;
    }
}
