package io.verbena.rpcrdma;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** Tells of the transport's connections; a service. May be called from any thread. */
@ProviderType
public interface ConnectionMonitor {
    /** The connections that there are now, in the order of their numbers. */
    List<ConnectionStatus> connections();
}
