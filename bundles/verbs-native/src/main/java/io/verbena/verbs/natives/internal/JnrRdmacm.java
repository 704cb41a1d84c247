package io.verbena.verbs.natives.internal;

import io.verbena.verbs.natives.internal.Layout.CmId;
import io.verbena.verbs.natives.internal.Layout.ConnParam;
import io.verbena.verbs.natives.internal.Layout.EventChannel;
import io.verbena.verbs.natives.internal.Layout.Qp;
import io.verbena.verbs.natives.internal.Layout.QpInitAttr;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@link Rdmacm} through jnr-ffi. */
final class JnrRdmacm implements Rdmacm {
    private static final int MAX_PRIVATE_DATA = 255;
    private static final CmEvent.Type[] TYPES = CmEvent.Type.values();

    private final RdmacmLibrary library;
    private final Posix posix;
    private final Errors errors;

    /** Held while a queue pair goes: the library sets queue pairs' states as it takes events. */
    private final Object queuePairs = new Object();

    // guarded by lists
    private final List<Long> lists = new ArrayList<>();
    private final Set<Long> held = new HashSet<>();

    JnrRdmacm(RdmacmLibrary library, Posix posix) {
        this.library = library;
        this.posix = posix;
        errors = new Errors(posix);
    }

    /**
     * A list counts as a use of its devices, and librdmacm closes a context that nothing uses once its device is gone:
     * a list that has new contexts is kept, so that no address is another device's later.
     */
    @Override
    public long[] devices() throws NativeException {
        try (Scratch count = new Scratch(Integer.BYTES)) {
            long list = library.rdma_get_devices(count.address());
            if (list == 0 && Errors.last() == Layout.ENODEV) {
                return new long[0];
            }
            errors.checkPointer("rdma_get_devices", list);
            long[] contexts = new long[count.getInt(0)];
            boolean isNew = false;
            synchronized (lists) {
                for (int i = 0; i < contexts.length; i++) {
                    contexts[i] = NativeMemory.getLong(list + (long) i * Long.BYTES);
                    isNew |= held.add(contexts[i]);
                }
                if (isNew) {
                    lists.add(list);
                }
            }
            if (!isNew) {
                library.rdma_free_devices(list);
            }
            return contexts;
        }
    }

    @Override
    public void releaseDevices() {
        List<Long> last;
        synchronized (lists) {
            last = List.copyOf(lists);
            lists.clear();
            held.clear();
        }
        last.forEach(library::rdma_free_devices);
    }

    @Override
    public long createEventChannel() throws NativeException {
        long channel = errors.checkPointer("rdma_create_event_channel", library.rdma_create_event_channel());
        try {
            posix.setNonBlocking(eventChannelFd(channel));
        } catch (NativeException e) {
            library.rdma_destroy_event_channel(channel);
            throw e;
        }
        return channel;
    }

    @Override
    public int eventChannelFd(long channel) {
        return NativeMemory.getInt(channel + EventChannel.FD);
    }

    @Override
    public void destroyEventChannel(long channel) {
        library.rdma_destroy_event_channel(channel);
    }

    @Override
    public long createId(long channel, long token) throws NativeException {
        try (Scratch id = new Scratch(Long.BYTES)) {
            errors.check("rdma_create_id", library.rdma_create_id(channel, id.address(), token, Layout.RDMA_PS_TCP));
            return id.getLong(0);
        }
    }

    @Override
    public void setToken(long id, long token) {
        NativeMemory.putLong(id + CmId.CONTEXT, token);
    }

    @Override
    public void destroyId(long id) throws NativeException {
        errors.check("rdma_destroy_id", library.rdma_destroy_id(id));
    }

    @Override
    public int localPort(long id) {
        return Short.toUnsignedInt(Short.reverseBytes(library.rdma_get_src_port(id)));
    }

    @Override
    public void bindAddr(long id, InetSocketAddress local) throws NativeException {
        try (Scratch address = SocketAddresses.write(local)) {
            errors.check("rdma_bind_addr", library.rdma_bind_addr(id, address.address()));
        }
    }

    @Override
    public void resolveAddr(long id, InetSocketAddress remote, int timeoutMillis) throws NativeException {
        try (Scratch address = SocketAddresses.write(remote)) {
            errors.check("rdma_resolve_addr", library.rdma_resolve_addr(id, 0, address.address(), timeoutMillis));
        }
    }

    @Override
    public void resolveRoute(long id, int timeoutMillis) throws NativeException {
        errors.check("rdma_resolve_route", library.rdma_resolve_route(id, timeoutMillis));
    }

    @Override
    public long verbs(long id) {
        return NativeMemory.getLong(id + CmId.VERBS);
    }

    @Override
    public int portNumber(long id) {
        return NativeMemory.getUnsignedByte(id + CmId.PORT_NUM);
    }

    @Override
    public CreatedQueuePair createQp(long id, long pd, long cq, QueueLimits limits) throws NativeException {
        try (Scratch attr = new Scratch(QpInitAttr.SIZE)) {
            attr.putLong(QpInitAttr.SEND_CQ, cq);
            attr.putLong(QpInitAttr.RECV_CQ, cq);
            attr.putInt(QpInitAttr.MAX_SEND_WR, limits.sends());
            attr.putInt(QpInitAttr.MAX_RECV_WR, limits.receives());
            attr.putInt(QpInitAttr.MAX_SEND_SGE, 1);
            attr.putInt(QpInitAttr.MAX_RECV_SGE, 1);
            attr.putInt(QpInitAttr.MAX_INLINE_DATA, limits.inlineBytes());
            attr.putInt(QpInitAttr.QP_TYPE, Layout.IBV_QPT_RC);
            attr.putInt(QpInitAttr.SQ_SIG_ALL, 0);
            errors.check("rdma_create_qp", library.rdma_create_qp(id, pd, attr.address()));
            QueueLimits granted = new QueueLimits(
                    attr.getInt(QpInitAttr.MAX_SEND_WR),
                    attr.getInt(QpInitAttr.MAX_RECV_WR),
                    attr.getInt(QpInitAttr.MAX_INLINE_DATA));
            return new CreatedQueuePair(found(id, NativeMemory.getLong(id + CmId.QP), pd, cq), granted);
        }
    }

    /** Posts go through what a queue pair holds: it is to hold what it was made with, or its layout is not known. */
    private long found(long id, long qp, long pd, long cq) throws NativeException {
        if (qp != 0
                && NativeMemory.getLong(qp + Qp.CONTEXT) == verbs(id)
                && NativeMemory.getLong(qp + Qp.PD) == pd
                && NativeMemory.getLong(qp + Qp.SEND_CQ) == cq
                && NativeMemory.getLong(qp + Qp.RECV_CQ) == cq) {
            return qp;
        }
        destroyQp(id);
        throw new NativeException("rdma_create_qp", Layout.EPROTO, "ibv_qp is laid out in a way that is not known");
    }

    @Override
    public void destroyQp(long id) {
        synchronized (queuePairs) {
            library.rdma_destroy_qp(id);
        }
    }

    @Override
    public void connect(long id, ConnectParameters parameters) throws NativeException {
        try (Scratch data = privateData(parameters);
                Scratch param = write(parameters, data)) {
            errors.check("rdma_connect", library.rdma_connect(id, param.address()));
        }
    }

    @Override
    public void listen(long id, int backlog) throws NativeException {
        errors.check("rdma_listen", library.rdma_listen(id, backlog));
    }

    @Override
    public void accept(long id, ConnectParameters parameters) throws NativeException {
        try (Scratch data = privateData(parameters);
                Scratch param = write(parameters, data)) {
            errors.check("rdma_accept", library.rdma_accept(id, param.address()));
        }
    }

    private static Scratch privateData(ConnectParameters parameters) {
        byte[] octets = new byte[parameters.privateData().remaining()];
        parameters.privateData().duplicate().get(octets);
        return Scratch.of(limited(octets));
    }

    private static byte[] limited(byte[] privateData) {
        if (privateData.length > MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    privateData.length + " octets of private data; " + MAX_PRIVATE_DATA + " are the most");
        }
        return privateData;
    }

    private static Scratch write(ConnectParameters parameters, Scratch data) {
        Scratch param = new Scratch(ConnParam.SIZE);
        int length = parameters.privateData().remaining();
        param.putLong(ConnParam.PRIVATE_DATA, length == 0 ? 0 : data.address());
        param.putByte(ConnParam.PRIVATE_DATA_LEN, length);
        param.putByte(ConnParam.RESPONDER_RESOURCES, parameters.responderResources());
        param.putByte(ConnParam.INITIATOR_DEPTH, parameters.initiatorDepth());
        param.putByte(ConnParam.RETRY_COUNT, parameters.retryCount());
        param.putByte(ConnParam.RNR_RETRY_COUNT, parameters.rnrRetryCount());
        return param;
    }

    @Override
    public void reject(long id, byte[] privateData) throws NativeException {
        try (Scratch data = Scratch.of(limited(privateData))) {
            errors.check("rdma_reject", library.rdma_reject(id, data.address(), privateData.length));
        }
    }

    @Override
    public void disconnect(long id) throws NativeException {
        errors.check("rdma_disconnect", library.rdma_disconnect(id));
    }

    @Override
    public CmEvent takeEvent(long channel) throws NativeException {
        try (Scratch result = new Scratch(Long.BYTES)) {
            while (getEvent(channel, result.address()) == 0) {
                CmEvent copy = copyAndAcknowledge(result.getLong(0));
                if (copy != null) {
                    return copy;
                }
            }
            int errno = Errors.last();
            if (errno != Layout.EAGAIN && errno != Layout.EINTR) {
                throw errors.of("rdma_get_cm_event", errno);
            }
            return null;
        }
    }

    private int getEvent(long channel, long result) {
        synchronized (queuePairs) {
            return library.rdma_get_cm_event(channel, result);
        }
    }

    /** An id whose event is not acknowledged could never be destroyed. */
    private CmEvent copyAndAcknowledge(long event) throws NativeException {
        CmEvent copy;
        int acknowledged;
        try {
            int type = NativeMemory.getInt(event + Layout.CmEvent.EVENT);
            copy = type >= 0 && type < TYPES.length ? copy(event, TYPES[type]) : null;
        } finally {
            acknowledged = library.rdma_ack_cm_event(event);
        }
        errors.check("rdma_ack_cm_event", acknowledged);
        return copy;
    }

    private static CmEvent copy(long event, CmEvent.Type type) {
        long id = NativeMemory.getLong(event + Layout.CmEvent.ID);
        long token = NativeMemory.getLong(id + CmId.CONTEXT);
        boolean request = type == CmEvent.Type.CONNECT_REQUEST;
        if (request) {
            // a new id has its listener's token: until it gets its own, nobody is to take its events for the listener's
            NativeMemory.putLong(id + CmId.CONTEXT, 0);
        }
        boolean parameters = request
                || type == CmEvent.Type.CONNECT_RESPONSE
                || type == CmEvent.Type.ESTABLISHED
                || type == CmEvent.Type.REJECTED;
        long conn = event + Layout.CmEvent.CONN;
        return new CmEvent(
                type,
                id,
                request ? 0 : token,
                request
                        ? NativeMemory.getLong(NativeMemory.getLong(event + Layout.CmEvent.LISTEN_ID) + CmId.CONTEXT)
                        : 0,
                NativeMemory.getInt(event + Layout.CmEvent.STATUS),
                ByteBuffer.wrap(parameters ? privateData(conn) : new byte[0]),
                parameters ? NativeMemory.getUnsignedByte(conn + ConnParam.RESPONDER_RESOURCES) : 0,
                parameters ? NativeMemory.getUnsignedByte(conn + ConnParam.INITIATOR_DEPTH) : 0);
    }

    private static byte[] privateData(long conn) {
        long data = NativeMemory.getLong(conn + ConnParam.PRIVATE_DATA);
        int length = NativeMemory.getUnsignedByte(conn + ConnParam.PRIVATE_DATA_LEN);
        return data == 0 ? new byte[0] : NativeMemory.getBytes(data, length);
    }

    @Override
    public InetSocketAddress localAddress(long id) {
        return SocketAddresses.read(id + CmId.SRC_ADDR);
    }

    @Override
    public InetSocketAddress remoteAddress(long id) {
        return SocketAddresses.read(id + CmId.DST_ADDR);
    }
}
