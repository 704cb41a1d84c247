package io.verbena.verbs.natives.internal;

import java.util.function.Consumer;

/**
 * The calls of libibverbs that are used. What the library made is named by its address. Any thread. A call that fails
 * throws, but for those of the hot path, which return the error number.
 */
interface Ibverbs {
    /** As {@code rxe0}. */
    String deviceName(long context);

    /** Where the library has a device's name ({@code ibv_get_device_name}); of an {@code ibv_device}. */
    long deviceNameAddress(long device);

    /** Device limits and capabilities ({@code ibv_query_device}). */
    DeviceAttributes queryDevice(long context) throws NativeException;

    /** State, MTU and link layer of a port ({@code ibv_query_port}), and its first GIDs. */
    PortAttributes queryPort(long context, int port) throws NativeException;

    long allocPd(long context) throws NativeException;

    void deallocPd(long pd) throws NativeException;

    long createCompChannel(long context) throws NativeException;

    /** The channel's descriptor, not blocking: readable when a completion event waits. */
    int compChannelFd(long channel);

    void destroyCompChannel(long channel) throws NativeException;

    /** Its events come by the device's completion vectors in turn: an interrupt, and so a processor, each. */
    long createCq(long context, int entries, long channel) throws NativeException;

    void destroyCq(long cq) throws NativeException;

    /**
     * Takes one completion event off the channel if one waits; see {@code CqEvents}. Hot path.
     *
     * @param result the address of two pointers, the first of which is set to the completion queue
     */
    boolean takeCqEvent(long channel, long result) throws NativeException;

    /** Acknowledges events: a completion queue is not destroyed before it has been done for all that were taken. */
    void ackCqEvents(long cq, int count);

    /** Asks for an event at the next completion. Hot path; 0 or an error number. */
    int reqNotifyCq(long cq);

    /**
     * Takes completions.
     *
     * @param completions the address of an array of {@code ibv_wc}; see {@code WorkCompletions}
     * @return how many; negative for an error. Hot path
     */
    int pollCq(long cq, int max, long completions);

    /**
     * Posts a list of send work requests; see {@code SendRequests}. Hot path.
     *
     * @param badRequest the address of a pointer that is set to the request that failed
     * @return 0 or an error number
     */
    int postSend(long qp, long firstRequest, long badRequest);

    /** The same for receives; see {@code ReceiveRequests}. */
    int postReceive(long qp, long firstRequest, long badRequest);

    /** Whether a queue pair has failed: its state is {@code IBV_QPS_ERR} ({@code ibv_query_qp}). */
    boolean qpFailed(long qp) throws NativeException;

    /**
     * Registers memory ({@code ibv_reg_mr_iova}).
     *
     * @param iova the address that the peer gives to the first octet; equal to {@code address} in the bits of the offset
     *     in a page of the system's, 16 at most
     * @param access {@code Layout}'s {@code IBV_ACCESS_} bits
     */
    long regMr(long pd, long address, long length, long iova, int access) throws NativeException;

    int lkey(long mr);

    int rkey(long mr);

    void deregMr(long mr) throws NativeException;

    /** A type-2 memory window. */
    long allocMw(long pd) throws NativeException;

    int mwRkey(long mw);

    /** Notes the key that a window was bound with: the library takes the window's present one from there. */
    void setMwRkey(long mw, int rkey);

    void deallocMw(long mw) throws NativeException;

    /** The descriptor of the context's asynchronous events, not blocking. */
    int asyncFd(long context) throws NativeException;

    /**
     * Takes one asynchronous event if one waits. It is acknowledged when {@code target} has returned: until then its
     * element is not destroyed, and its address not another's.
     */
    boolean takeAsyncEvent(long context, Consumer<AsyncEvent> target) throws NativeException;

    /** The library's name for a {@code ibv_wc_status}. */
    String statusName(int status);
}
