package io.verbena.rpc.security;

import io.verbena.rpc.CallSecurity;
import io.verbena.rpc.RpcConnection;
import java.io.IOException;
import java.time.Duration;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The calls of one user to one server: a security context that is made before the first call, and made again before it
 * expires. Any connection to the server may carry the calls. Thread safe.
 */
@ProviderType
public interface SecurityClient extends CallSecurity, AutoCloseable {
    /**
     * Makes a context, unless there is one that lasts. Blocks. Calls fail as long as there is none.
     *
     * @param program the program and its version that the connection serves, whose NULL procedure carries the context
     * @throws SecurityUnavailableException where the user or the server has no usable credentials
     */
    void establish(RpcConnection by, int program, int version, Duration timeout) throws IOException;

    /** Whether there is a context that lasts. Does not block. */
    boolean isEstablished();

    /**
     * Tells of the failure of a call.
     *
     * @return whether the server does not know the context any more, so that the same call may be made again after
     *     {@link #establish} has made another one: the server has not executed it
     */
    boolean isContextLost(Throwable failure);

    /**
     * As {@link #close}, and has the server forget the context, where it answers in time. Blocks.
     *
     * @param program as of {@link #establish}
     */
    void end(RpcConnection by, int program, int version, Duration timeout);

    /** Ends the context; the server forgets it in its time. */
    @Override
    void close();
}
