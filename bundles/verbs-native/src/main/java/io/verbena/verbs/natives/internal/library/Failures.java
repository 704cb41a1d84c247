package io.verbena.verbs.natives.internal.library;

import io.verbena.verbs.Addresses;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Translates the errors of the libraries into the exceptions and completion states that users of the provider see. */
public final class Failures {
    /** Reject reasons of InfiniBand's connection manager (InfiniBand specification volume 1, table 108). */
    private static final int IB_CM_REJ_INVALID_SERVICE_ID = 8;

    private static final int IB_CM_REJ_STALE_CONNECTION = 10;

    private Failures() {}

    /** For a call that failed while connecting. */
    public static RdmaException connecting(NativeException e) {
        Kind kind = kindOf(e.errno(), Kind.RESOURCES);
        String what =
                switch (kind) {
                    case REFUSED -> "nobody listens there; check the port, and that the server listens for RDMA: ";
                    case TIMED_OUT -> "the peer does not answer: ";
                    case UNREACHABLE -> "no RDMA device has a route there: ";
                    default -> "the connection cannot be made: ";
                };
        return new RdmaException(kind, what + e.getMessage(), e);
    }

    /** For a step without an event in its time. */
    public static RdmaException late(CmEvent.Type expected) {
        return new RdmaException(
                Kind.TIMED_OUT,
                switch (expected) {
                    case ADDR_RESOLVED -> "no host answers at that address in time; check the address and the network";
                    case ROUTE_RESOLVED -> "no route to that address is found in time; check the network";
                    default ->
                        "the peer does not answer the connection request in time; check that its server listens"
                                + " for RDMA";
                });
    }

    /** For a call that failed to take a resource of the device. */
    public static RdmaException resources(NativeException e) {
        return new RdmaException(Kind.RESOURCES, e.getMessage(), e);
    }

    private static Kind kindOf(int errno, Kind otherwise) {
        return switch (errno) {
            case NativeConstants.ECONNREFUSED -> Kind.REFUSED;
            case NativeConstants.ETIMEDOUT -> Kind.TIMED_OUT;
            case NativeConstants.EHOSTUNREACH,
                    NativeConstants.ENETUNREACH,
                    NativeConstants.ENODEV,
                    NativeConstants.ENETDOWN -> Kind.UNREACHABLE;
            case NativeConstants.EADDRINUSE, NativeConstants.EADDRNOTAVAIL -> Kind.ADDRESS_UNAVAILABLE;
            case NativeConstants.ECONNRESET, NativeConstants.ENOTCONN, NativeConstants.ECONNABORTED ->
                Kind.DISCONNECTED;
            case NativeConstants.EPROTO -> Kind.PROTOCOL;
            default -> otherwise;
        };
    }

    /** For a call that failed while an address was resolved or an end was created. */
    public static RdmaException opening(NativeException e) {
        boolean there = e.call().equals("rdma_resolve_addr") || e.call().equals("rdma_resolve_route");
        String what = there
                ? "no RDMA device has a route there; check the address, and that the device's interface is up: "
                : "the connection cannot be made: ";
        return new RdmaException(there ? Kind.UNREACHABLE : Kind.RESOURCES, what + e.getMessage(), e);
    }

    /** For an address at which listening failed. */
    public static RdmaException listening(NativeException e, InetSocketAddress address) {
        String why =
                switch (e.errno()) {
                    case NativeConstants.EADDRINUSE -> "somebody listens there already; take another port";
                    case NativeConstants.EADDRNOTAVAIL, NativeConstants.ENODEV ->
                        "no RDMA device of this host has that address; take one that rdma:devices shows";
                    default -> "the device or the system refuses";
                };
        return new RdmaException(
                Kind.ADDRESS_UNAVAILABLE,
                "cannot listen at " + Addresses.numeric(address) + ": " + why + " (" + e.getMessage() + ")",
                e);
    }

    /** For a loopback address, which no device has: peers cannot reach it. */
    public static RdmaException loopback(InetSocketAddress address) {
        return new RdmaException(
                Kind.ADDRESS_UNAVAILABLE,
                "cannot listen at " + Addresses.numeric(address)
                        + ": no RDMA device reaches the loopback address; take the address"
                        + " of a device, as rdma:devices shows it (nfs:export --address), or provider iwarp");
    }

    /** For an event that reports the failure of a step. */
    public static RdmaException step(CmEvent event, boolean iwarp) {
        String what = event.type() + " with status " + event.status();
        return switch (event.type()) {
            case ADDR_ERROR, ROUTE_ERROR ->
                new RdmaException(
                        Kind.UNREACHABLE,
                        "no RDMA device has a route there; check the address and the network: " + what);
            case UNREACHABLE -> new RdmaException(Kind.TIMED_OUT, "the peer does not answer: " + what);
            case REJECTED -> rejected(event, iwarp, what);
            case CONNECT_ERROR ->
                new RdmaException(kindOf(Math.abs(event.status()), Kind.PROTOCOL), "connecting failed: " + what);
            default -> new RdmaException(Kind.DISCONNECTED, "the connection ended while it was made: " + what);
        };
    }

    private static RdmaException rejected(CmEvent event, boolean iwarp, String what) {
        int status = event.status();
        byte[] data = bytes(event.privateData());
        boolean refused = iwarp
                ? status == -NativeConstants.ECONNREFUSED && data.length == 0
                : status == IB_CM_REJ_INVALID_SERVICE_ID;
        if (refused) {
            return new RdmaException(
                    Kind.REFUSED,
                    "nobody listens there; check the port, and that the server listens for RDMA: " + what);
        }
        if (!iwarp && status == IB_CM_REJ_STALE_CONNECTION) {
            return new RdmaException(Kind.DISCONNECTED, "the peer regards the connection as stale: " + what);
        }
        return new RdmaException(Kind.REJECTED, "the peer rejected the connection: " + what, null, data);
    }

    /** A copy of the octets; empty where there is no buffer. */
    public static byte[] bytes(ByteBuffer data) {
        if (data == null) {
            return new byte[0];
        }
        byte[] bytes = new byte[data.remaining()];
        data.duplicate().get(bytes);
        return bytes;
    }

    /** The completion status that the handler gets for a work request with that {@code ibv_wc_status}. */
    public static Completion.Status statusOf(int status, boolean receive) {
        return switch (status) {
            case NativeConstants.IBV_WC_SUCCESS -> Completion.Status.SUCCESS;
            case NativeConstants.IBV_WC_REM_ACCESS_ERR -> Completion.Status.REMOTE_ACCESS_ERROR;
            case NativeConstants.IBV_WC_LOC_LEN_ERR ->
                receive ? Completion.Status.LENGTH_ERROR : Completion.Status.FLUSHED;
            default -> Completion.Status.FLUSHED;
        };
    }

    /** Why the connection ends when a work request has failed with that {@code ibv_wc_status}. */
    public static RdmaException failed(String name, int status, int vendorError) {
        String what = "a work request failed: " + name + " (status " + status + ", vendor error " + vendorError + ")";
        return switch (status) {
            case NativeConstants.IBV_WC_REM_ACCESS_ERR ->
                new RdmaException(Kind.ACCESS, "the peer refused an access; " + what);
            case NativeConstants.IBV_WC_LOC_PROT_ERR,
                    NativeConstants.IBV_WC_LOC_ACCESS_ERR,
                    NativeConstants.IBV_WC_MW_BIND_ERR -> new RdmaException(Kind.LOCAL_PROTECTION, what);
            case NativeConstants.IBV_WC_RETRY_EXC_ERR, NativeConstants.IBV_WC_RESP_TIMEOUT_ERR ->
                new RdmaException(Kind.DISCONNECTED, "the peer does not answer any more; " + what);
            case NativeConstants.IBV_WC_RNR_RETRY_EXC_ERR ->
                new RdmaException(Kind.PROTOCOL, "the peer has posted nothing to receive with; " + what);
            case NativeConstants.IBV_WC_LOC_LEN_ERR,
                    NativeConstants.IBV_WC_REM_INV_REQ_ERR,
                    NativeConstants.IBV_WC_BAD_RESP_ERR -> new RdmaException(Kind.PROTOCOL, what);
            default -> new RdmaException(Kind.DISCONNECTED, what);
        };
    }

    /** Why a connection ends after an asynchronous event; null for an event that ends no connection. */
    public static RdmaException async(AsyncEvent event) {
        String what = "the device reports " + event.name();
        return switch (event.type()) {
            case NativeConstants.IBV_EVENT_QP_ACCESS_ERR ->
                new RdmaException(Kind.ACCESS, "the peer was refused an access: " + what);
            case NativeConstants.IBV_EVENT_QP_REQ_ERR -> new RdmaException(Kind.PROTOCOL, what);
            case NativeConstants.IBV_EVENT_QP_FATAL,
                    NativeConstants.IBV_EVENT_CQ_ERR,
                    NativeConstants.IBV_EVENT_DEVICE_FATAL,
                    NativeConstants.IBV_EVENT_PORT_ERR -> new RdmaException(Kind.DISCONNECTED, what);
            default -> null;
        };
    }
}
