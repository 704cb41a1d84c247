package io.verbena.verbs.natives.internal.library;

/**
 * The functions of librdmacm that are called; pointers are longs. Public, because jnr-ffi generates a class that
 * implements it.
 */
public interface RdmacmLibrary {
    long rdma_get_devices(long count);

    void rdma_free_devices(long list);

    long rdma_create_event_channel();

    void rdma_destroy_event_channel(long channel);

    int rdma_create_id(long channel, long id, long context, int portSpace);

    int rdma_destroy_id(long id);

    /** The port in network byte order. */
    short rdma_get_src_port(long id);

    int rdma_bind_addr(long id, long address);

    int rdma_resolve_addr(long id, long source, long destination, int timeoutMillis);

    int rdma_resolve_route(long id, int timeoutMillis);

    int rdma_create_qp(long id, long pd, long attributes);

    void rdma_destroy_qp(long id);

    int rdma_connect(long id, long parameters);

    int rdma_listen(long id, int backlog);

    int rdma_accept(long id, long parameters);

    int rdma_reject(long id, long privateData, int length);

    int rdma_disconnect(long id);

    int rdma_get_cm_event(long channel, long event);

    int rdma_ack_cm_event(long event);
}
