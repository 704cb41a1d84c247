package io.verbena.nfs;

import java.io.IOException;

/**
 * The server could not be reached, did not answer in time, or a service that is needed to reach it is missing; the
 * message says which. The mount goes on trying as its options say: the next operation may succeed.
 */
public final class ServerUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what failed, for people
     * @param cause the failure of the transport, or null
     */
    public ServerUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
