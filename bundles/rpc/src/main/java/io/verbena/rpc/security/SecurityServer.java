package io.verbena.rpc.security;

import io.verbena.rpc.RpcProgram;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ProviderType;

/** The security contexts of a server's callers. Thread safe. */
@ProviderType
public interface SecurityServer extends AutoCloseable {
    /**
     * A program that takes calls of this flavor, checks and unwraps them, and passes them on with
     * {@link io.verbena.rpc.Credential.Proved} as their credential. Calls of other flavors are passed on as they are.
     * It may be called for several programs, which share the contexts.
     */
    RpcProgram protect(RpcProgram program);

    /**
     * Takes calls over TCP by which callers make their contexts, too, until this is closed. Linux's rpc.gssd makes the
     * contexts of mounts over RDMA in that way, at port 2049 of the server. A context that is made there is known to
     * all servers of this process with the same principal. Servers that listen at the same address share the port.
     * Procedure 0 of the program is served there, and nothing else.
     *
     * @param program the program whose calls are protected: has its number, and admits peers
     * @throws IOException where the address is of another host, another process has its port, or this is closed
     */
    void listen(InetSocketAddress local, RpcProgram program) throws IOException;

    /**
     * Ends what is listened for over TCP, and forgets all contexts but those that other servers of the same principal
     * share. It may be called when the bundle has gone, and again.
     */
    @Override
    void close();
}
