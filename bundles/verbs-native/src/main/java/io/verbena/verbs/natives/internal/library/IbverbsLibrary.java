package io.verbena.verbs.natives.internal.library;

/**
 * The functions of libibverbs that are called by name; pointers are longs. Public, because jnr-ffi generates a class
 * that implements it. The other functions are inline in the C headers and are called through {@code ibv_context}: see
 * {@link JnrIbverbs}.
 */
public interface IbverbsLibrary {
    long ibv_get_device_name(long device);

    int ibv_query_device(long context, long attributes);

    int ibv_query_port(long context, int port, long attributes);

    int ibv_query_gid(long context, int port, int index, long gid);

    long ibv_alloc_pd(long context);

    int ibv_dealloc_pd(long pd);

    long ibv_create_comp_channel(long context);

    int ibv_destroy_comp_channel(long channel);

    long ibv_create_cq(long context, int entries, long cqContext, long channel, int vector);

    int ibv_destroy_cq(long cq);

    int ibv_get_cq_event(long channel, long cq, long cqContext);

    void ibv_ack_cq_events(long cq, int count);

    int ibv_query_qp(long qp, long attributes, int mask, long initialAttributes);

    long ibv_reg_mr(long pd, long address, long length, int access);

    long ibv_reg_mr_iova(long pd, long address, long length, long iova, int access);

    int ibv_dereg_mr(long mr);

    int ibv_get_async_event(long context, long event);

    void ibv_ack_async_event(long event);

    long ibv_event_type_str(int type);

    long ibv_wc_status_str(int status);
}
