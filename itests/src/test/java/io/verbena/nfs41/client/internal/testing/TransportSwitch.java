package io.verbena.nfs41.client.internal.testing;

import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.rpc.RpcTransport;

/**
 * Replaces the transport of a mount without OSGi, as Declarative Services do when the transport's bundle is replaced.
 */
public final class TransportSwitch {
    private TransportSwitch() {}

    /** Removes a transport. Returns when the mount no longer uses it. */
    public static void gone(NfsMount mount, RpcTransport transport) {
        mount.transportGone(transport);
    }

    /** Sets another transport. */
    public static void came(NfsMount mount, RpcTransport transport) {
        mount.transportCame(transport);
    }
}
