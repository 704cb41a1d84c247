package io.verbena.nfs41.client.internal;

import io.verbena.rpc.RpcTransport;

/** Does to a mount without OSGi what Declarative Services do where the transport's bundle is replaced. */
public final class TransportSwitch {
    private TransportSwitch() {}

    /** The transport is about to go; returns when nothing of the mount's uses it any more. */
    public static void gone(NfsMount mount, RpcTransport transport) {
        mount.transportGone(transport);
    }

    /** Another transport has come. */
    public static void came(NfsMount mount, RpcTransport transport) {
        mount.transportCame(transport);
    }
}
