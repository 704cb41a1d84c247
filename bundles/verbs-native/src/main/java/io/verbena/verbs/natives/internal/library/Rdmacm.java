package io.verbena.verbs.natives.internal.library;

import java.net.InetSocketAddress;

/**
 * The calls of librdmacm that are used. Ids and channels are named by their addresses. Any thread. A call that fails
 * throws.
 */
public interface Rdmacm {
    /**
     * The contexts of the present devices, if any ({@code rdma_get_devices}). Each context is usable until {@link
     * #releaseDevices}, even where its device is removed.
     */
    long[] devices() throws NativeException;

    /** Releases all contexts that were returned. */
    void releaseDevices();

    long createEventChannel() throws NativeException;

    /** The non-blocking descriptor of the channel. */
    int eventChannelFd(long channel);

    void destroyEventChannel(long channel);

    /**
     * Creates an id of port space TCP.
     *
     * @param token returned with each event of the id, and with the connection requests of a listening id as {@link
     *     CmEvent#listenToken}
     */
    long createId(long channel, long token) throws NativeException;

    /** Gives an id that came with a connection request a token of its own. */
    void setToken(long id, long token);

    void destroyId(long id) throws NativeException;

    /** The port that an id is bound to ({@code rdma_get_src_port}). */
    int localPort(long id);

    void bindAddr(long id, InetSocketAddress local) throws NativeException;

    void resolveAddr(long id, InetSocketAddress remote, int timeoutMillis) throws NativeException;

    void resolveRoute(long id, int timeoutMillis) throws NativeException;

    /** The context of the device that an id is bound to; 0 where it is bound to none. */
    long verbs(long id);

    int portNumber(long id);

    /**
     * Creates a queue pair of the reliable connected type with that id; completions of sends and of
     * receives go to a completion queue each. A device refuses more inline octets than it supports.
     */
    CreatedQueuePair createQp(long id, long pd, long sendCq, long receiveCq, QueueLimits limits) throws NativeException;

    void destroyQp(long id);

    void connect(long id, ConnectParameters parameters) throws NativeException;

    void listen(long id, int backlog) throws NativeException;

    void accept(long id, ConnectParameters parameters) throws NativeException;

    void reject(long id, byte[] privateData) throws NativeException;

    void disconnect(long id) throws NativeException;

    /** Takes, copies and acknowledges one event; null where there is none. */
    CmEvent takeEvent(long channel) throws NativeException;

    /** The local address of an id; null where it has none. */
    InetSocketAddress localAddress(long id);

    InetSocketAddress remoteAddress(long id);
}
