package io.verbena.verbs.natives.internal;

import java.net.InetSocketAddress;

/**
 * The calls of librdmacm that are used. Ids and channels are named by their addresses. Any thread. A call that fails
 * throws.
 */
interface Rdmacm {
    /**
     * The contexts of the devices that there are now, maybe none ({@code rdma_get_devices}); each of use until
     * they are released, though its device may go.
     */
    long[] devices() throws NativeException;

    /** Gives back all contexts that there were. */
    void releaseDevices();

    long createEventChannel() throws NativeException;

    /** The channel's descriptor, not blocking. */
    int eventChannelFd(long channel);

    void destroyEventChannel(long channel);

    /**
     * An id of port space TCP.
     *
     * @param token comes back with each event of the id, and with the connection requests of a listening id as
     *     {@link CmEvent#listenToken}
     */
    long createId(long channel, long token) throws NativeException;

    /** Gives an id that came with a connection request a token of its own. */
    void setToken(long id, long token);

    void destroyId(long id) throws NativeException;

    /** The port that an id is bound to, as the library tells it ({@code rdma_get_src_port}). */
    int localPort(long id);

    void bindAddr(long id, InetSocketAddress local) throws NativeException;

    void resolveAddr(long id, InetSocketAddress remote, int timeoutMillis) throws NativeException;

    void resolveRoute(long id, int timeoutMillis) throws NativeException;

    /** The device of an id that is bound to one, else 0. */
    long verbs(long id);

    int portNumber(long id);

    /**
     * Makes a queue pair of the reliable, connected kind with that id; all completions go to {@code cq}. Devices refuse
     * more octets within a send than they have.
     */
    CreatedQueuePair createQp(long id, long pd, long cq, QueueLimits limits) throws NativeException;

    void destroyQp(long id);

    void connect(long id, ConnectParameters parameters) throws NativeException;

    void listen(long id, int backlog) throws NativeException;

    void accept(long id, ConnectParameters parameters) throws NativeException;

    void reject(long id, byte[] privateData) throws NativeException;

    void disconnect(long id) throws NativeException;

    /** Takes, copies and acknowledges one event if one waits, else null. */
    CmEvent takeEvent(long channel) throws NativeException;

    /** Null where the id has none. */
    InetSocketAddress localAddress(long id);

    InetSocketAddress remoteAddress(long id);
}
