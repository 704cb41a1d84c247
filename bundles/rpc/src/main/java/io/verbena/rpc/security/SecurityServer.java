package io.verbena.rpc.security;

import io.verbena.rpc.RpcProgram;
import org.osgi.annotation.versioning.ProviderType;

/** The security contexts of a server's callers. Thread safe. */
@ProviderType
public interface SecurityServer extends AutoCloseable {
    /**
     * A program that takes calls of this flavor, checks and unwraps them, and passes them on with
     * {@link io.verbena.rpc.Credential.Proved} as their credential. Calls of other flavors are passed on as they are.
     */
    RpcProgram protect(RpcProgram program);

    /** Forgets all contexts. */
    @Override
    void close();
}
