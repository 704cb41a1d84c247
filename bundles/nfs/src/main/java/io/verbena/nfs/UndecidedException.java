package io.verbena.nfs;

/**
 * Whether the server has done the operation is not known: it may have done it, its answer did not come, and what it
 * answered when it was asked again can be the effect of the operation itself. For example the server has lost the
 * session before it answered, and then says that the directory to create exists. The caller looks, and decides.
 *
 * <p>{@link MountReplacedException#isUndecided} tells the same where nobody has asked again.
 */
public final class UndecidedException extends NfsException {
    private static final long serialVersionUID = 1L;

    /**
     * @param path the object, as {@code NAME:/path} if that is known, or null
     * @param status what the server has answered when it was asked again, as in {@link NfsException#status}
     * @param reason what has happened, for people
     */
    public UndecidedException(String path, String status, String reason) {
        super(path, status, reason);
    }
}
