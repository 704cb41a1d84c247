package io.verbena.cli;

import org.apache.karaf.shell.support.CommandException;

/** A failure of a command with a known exit status. */
public final class CommandFailure extends CommandException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus status;

    /**
     * Creates a failure.
     *
     * @param status the exit status of a script that this failure ends
     * @param message the line that the user reads
     */
    public CommandFailure(ExitStatus status, String message) {
        this(status, message, null);
    }

    /** Creates a failure with a cause. */
    public CommandFailure(ExitStatus status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** Returns the exit status of a script that this failure ends. */
    public ExitStatus status() {
        return status;
    }
}
