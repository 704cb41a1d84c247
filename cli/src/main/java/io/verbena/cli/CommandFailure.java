package io.verbena.cli;

import org.apache.karaf.shell.support.CommandException;

/** A command's failure of which the exit status is known. */
public final class CommandFailure extends CommandException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus status;

    /**
     * @param status with which a script ends that this failure ends
     * @param message the line that the user reads
     */
    public CommandFailure(ExitStatus status, String message) {
        this(status, message, null);
    }

    /** As above, with a cause. */
    public CommandFailure(ExitStatus status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    public ExitStatus status() {
        return status;
    }
}
