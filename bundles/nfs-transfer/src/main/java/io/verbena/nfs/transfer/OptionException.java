package io.verbena.nfs.transfer;

import java.io.IOException;

/** Thrown if a file is not copied because an option is set or missing. The caller may try again with other options. */
public final class OptionException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String path;
    private final CopyOptions.Flag flag;

    /**
     * Creates an exception.
     *
     * @param path the readable path of the file
     * @param reason the reason why the file is not copied
     * @param flag the flag to set if it is missing, or to clear if it is set
     * @param cause the underlying failure, or null
     */
    public OptionException(String path, String reason, CopyOptions.Flag flag, Throwable cause) {
        super(path + ": " + reason, cause);
        this.path = path;
        this.flag = flag;
    }

    /** Returns the readable path of the file. */
    public String path() {
        return path;
    }

    /** Returns the flag that prevents the copy: a flag that is missing, or a flag that is set. */
    public CopyOptions.Flag flag() {
        return flag;
    }
}
