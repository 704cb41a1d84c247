package io.verbena.verbs.natives.internal.library;

import java.util.function.Consumer;

/**
 * The calls of libibverbs that are used. An object of the library is named by its address. Any thread. A call that
 * fails throws, except for calls of the hot path, which return the error number.
 */
public interface Ibverbs {
    /** The name of a device, such as {@code rxe0}. */
    String deviceName(long context);

    /** The address of the name of an {@code ibv_device} ({@code ibv_get_device_name}). */
    long deviceNameAddress(long device);

    /** Device limits and capabilities ({@code ibv_query_device}). */
    DeviceAttributes queryDevice(long context) throws NativeException;

    /** State, MTU and link layer of a port ({@code ibv_query_port}), and its first GIDs. */
    PortAttributes queryPort(long context, int port) throws NativeException;

    long allocPd(long context) throws NativeException;

    void deallocPd(long pd) throws NativeException;

    long createCompChannel(long context) throws NativeException;

    /** The non-blocking descriptor of the channel, readable when there is a completion event. */
    int compChannelFd(long channel);

    void destroyCompChannel(long channel) throws NativeException;

    /**
     * Creates a completion queue. Successive queues use the completion vectors of the device in turn; each vector has
     * an interrupt, and so a processor.
     */
    long createCq(long context, int entries, long channel) throws NativeException;

    void destroyCq(long cq) throws NativeException;

    /**
     * Takes one completion event from the channel where there is one; see {@code CqEvents}. Hot path.
     *
     * @param result the address of two pointers, the first of which is set to the completion queue
     */
    boolean takeCqEvent(long channel, long result) throws NativeException;

    /** Acknowledges events. Destroying a completion queue waits until all events that were taken are acknowledged. */
    void ackCqEvents(long cq, int count);

    /** Asks for an event at the next completion. Hot path; 0 or an error number. */
    int reqNotifyCq(long cq);

    /**
     * Polls completions.
     *
     * @param completions the address of an array of {@code ibv_wc}; see {@code WorkCompletions}
     * @return their number; negative for an error. Hot path
     */
    int pollCq(long cq, int max, long completions);

    /**
     * Posts a list of send work requests; see {@code SendRequests}. Hot path.
     *
     * @param badRequest the address of a pointer that is set to the request that failed
     * @return 0 or an error number
     */
    int postSend(long qp, long firstRequest, long badRequest);

    /** Posts a list of receive work requests; see {@code ReceiveRequests}. Otherwise as {@link #postSend}. */
    int postReceive(long qp, long firstRequest, long badRequest);

    /** Whether a queue pair has failed: its state is {@code IBV_QPS_ERR} ({@code ibv_query_qp}). */
    boolean qpFailed(long qp) throws NativeException;

    /**
     * Registers memory ({@code ibv_reg_mr_iova}).
     *
     * @param iova the address of the first octet for peers; equal to {@code address} in the bits of the offset in a
     *     page, 16 bits at most
     * @param access bits {@code IBV_ACCESS_} of {@link io.verbena.verbs.natives.internal.struct.NativeConstants}
     */
    long regMr(long pd, long address, long length, long iova, int access) throws NativeException;

    int lkey(long mr);

    int rkey(long mr);

    void deregMr(long mr) throws NativeException;

    /** Allocates a type-2 memory window. */
    long allocMw(long pd) throws NativeException;

    int mwRkey(long mw);

    /** Sets the key that a window was bound with: the library reads the window's present key from there. */
    void setMwRkey(long mw, int rkey);

    void deallocMw(long mw) throws NativeException;

    /** The non-blocking descriptor of the context's asynchronous events. */
    int asyncFd(long context) throws NativeException;

    /**
     * Takes one asynchronous event where there is one. It is acknowledged when {@code target} has returned. Until then
     * its element is not destroyed, so the element's address is not reused.
     */
    boolean takeAsyncEvent(long context, Consumer<AsyncEvent> target) throws NativeException;

    /** The library's name for a {@code ibv_wc_status}. */
    String statusName(int status);
}
