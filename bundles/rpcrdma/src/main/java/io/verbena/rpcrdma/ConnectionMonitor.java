package io.verbena.rpcrdma;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** A service that lists the transport's connections. Any thread may call it. */
@ProviderType
public interface ConnectionMonitor {
    /** The current connections, in the order of their numbers. */
    List<ConnectionStatus> connections();
}
