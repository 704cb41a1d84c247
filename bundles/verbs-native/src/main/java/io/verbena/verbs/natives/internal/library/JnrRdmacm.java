package io.verbena.verbs.natives.internal.library;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.natives.internal.struct.CmLayout;
import io.verbena.verbs.natives.internal.struct.CmLayout.CmId;
import io.verbena.verbs.natives.internal.struct.CmLayout.ConnParam;
import io.verbena.verbs.natives.internal.struct.CmLayout.EventChannel;
import io.verbena.verbs.natives.internal.struct.Layout.Qp;
import io.verbena.verbs.natives.internal.struct.Layout.QpInitAttr;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.ScratchMemory;
import io.verbena.verbs.natives.internal.struct.SocketAddresses;
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
    private final CallErrors errors;

    /** Held while a queue pair is destroyed: the library sets states of queue pairs while it takes events. */
    private final Object queuePairs = new Object();

    @GuardedBy("lists")
    private final List<Long> lists = new ArrayList<>();

    @GuardedBy("lists")
    private final Set<Long> held = new HashSet<>();

    JnrRdmacm(RdmacmLibrary library, Posix posix) {
        this.library = library;
        this.posix = posix;
        errors = new CallErrors(posix);
    }

    /**
     * Lists the devices. A list counts as a use of its devices, and librdmacm closes a context without a use once its
     * device is gone. So a list that has new contexts is kept, and the address of a context is never reused for another
     * device.
     */
    @Override
    public long[] devices() throws NativeException {
        try (ScratchMemory count = new ScratchMemory(Integer.BYTES)) {
            long list = library.rdma_get_devices(count.address());
            if (list == 0 && CallErrors.last() == NativeConstants.ENODEV) {
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
        try (ScratchMemory id = new ScratchMemory(Long.BYTES)) {
            errors.check(
                    "rdma_create_id",
                    library.rdma_create_id(channel, id.address(), token, NativeConstants.RDMA_PS_TCP));
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
        try (ScratchMemory address = SocketAddresses.write(local)) {
            errors.check("rdma_bind_addr", library.rdma_bind_addr(id, address.address()));
        }
    }

    @Override
    public void resolveAddr(long id, InetSocketAddress remote, int timeoutMillis) throws NativeException {
        try (ScratchMemory address = SocketAddresses.write(remote)) {
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
    public CreatedQueuePair createQp(long id, long pd, long sendCq, long receiveCq, QueueLimits limits)
            throws NativeException {
        try (ScratchMemory attr = new ScratchMemory(QpInitAttr.SIZE)) {
            attr.putLong(QpInitAttr.SEND_CQ, sendCq);
            attr.putLong(QpInitAttr.RECV_CQ, receiveCq);
            attr.putInt(QpInitAttr.MAX_SEND_WR, limits.sends());
            attr.putInt(QpInitAttr.MAX_RECV_WR, limits.receives());
            attr.putInt(QpInitAttr.MAX_SEND_SGE, 1);
            attr.putInt(QpInitAttr.MAX_RECV_SGE, 1);
            attr.putInt(QpInitAttr.MAX_INLINE_DATA, limits.inlineBytes());
            attr.putInt(QpInitAttr.QP_TYPE, NativeConstants.IBV_QPT_RC);
            attr.putInt(QpInitAttr.SQ_SIG_ALL, 0);
            errors.check("rdma_create_qp", library.rdma_create_qp(id, pd, attr.address()));
            QueueLimits granted = new QueueLimits(
                    attr.getInt(QpInitAttr.MAX_SEND_WR),
                    attr.getInt(QpInitAttr.MAX_RECV_WR),
                    attr.getInt(QpInitAttr.MAX_INLINE_DATA));
            return new CreatedQueuePair(found(id, NativeMemory.getLong(id + CmId.QP), pd, sendCq, receiveCq), granted);
        }
    }

    /**
     * Checks a new queue pair. Posts use its members: they must hold the values that it was created with, else its
     * layout is not known.
     */
    private long found(long id, long qp, long pd, long sendCq, long receiveCq) throws NativeException {
        if (qp != 0
                && NativeMemory.getLong(qp + Qp.CONTEXT) == verbs(id)
                && NativeMemory.getLong(qp + Qp.PD) == pd
                && NativeMemory.getLong(qp + Qp.SEND_CQ) == sendCq
                && NativeMemory.getLong(qp + Qp.RECV_CQ) == receiveCq) {
            return qp;
        }
        destroyQp(id);
        throw new NativeException(
                "rdma_create_qp", NativeConstants.EPROTO, "ibv_qp is laid out in a way that is not known");
    }

    @Override
    public void destroyQp(long id) {
        synchronized (queuePairs) {
            library.rdma_destroy_qp(id);
        }
    }

    @Override
    public void connect(long id, ConnectParameters parameters) throws NativeException {
        try (ScratchMemory data = privateData(parameters);
                ScratchMemory param = write(parameters, data)) {
            errors.check("rdma_connect", library.rdma_connect(id, param.address()));
        }
    }

    @Override
    public void listen(long id, int backlog) throws NativeException {
        errors.check("rdma_listen", library.rdma_listen(id, backlog));
    }

    @Override
    public void accept(long id, ConnectParameters parameters) throws NativeException {
        try (ScratchMemory data = privateData(parameters);
                ScratchMemory param = write(parameters, data)) {
            errors.check("rdma_accept", library.rdma_accept(id, param.address()));
        }
    }

    private static ScratchMemory privateData(ConnectParameters parameters) {
        byte[] octets = new byte[parameters.privateData().remaining()];
        parameters.privateData().duplicate().get(octets);
        return ScratchMemory.of(limited(octets));
    }

    private static byte[] limited(byte[] privateData) {
        if (privateData.length > MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    privateData.length + " octets of private data; " + MAX_PRIVATE_DATA + " are the most");
        }
        return privateData;
    }

    private static ScratchMemory write(ConnectParameters parameters, ScratchMemory data) {
        ScratchMemory param = new ScratchMemory(ConnParam.SIZE);
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
        try (ScratchMemory data = ScratchMemory.of(limited(privateData))) {
            errors.check("rdma_reject", library.rdma_reject(id, data.address(), privateData.length));
        }
    }

    @Override
    public void disconnect(long id) throws NativeException {
        errors.check("rdma_disconnect", library.rdma_disconnect(id));
    }

    @Override
    public CmEvent takeEvent(long channel) throws NativeException {
        try (ScratchMemory result = new ScratchMemory(Long.BYTES)) {
            while (getEvent(channel, result.address()) == 0) {
                CmEvent copy = copyAndAcknowledge(result.getLong(0));
                if (copy != null) {
                    return copy;
                }
            }
            int errno = CallErrors.last();
            if (errno != NativeConstants.EAGAIN && errno != NativeConstants.EINTR) {
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

    /** Acknowledges the event in any case: an id with an unacknowledged event could never be destroyed. */
    private CmEvent copyAndAcknowledge(long event) throws NativeException {
        CmEvent copy;
        int acknowledged;
        try {
            int type = NativeMemory.getInt(event + CmLayout.CmEvent.EVENT);
            copy = type >= 0 && type < TYPES.length ? copy(event, TYPES[type]) : null;
        } finally {
            acknowledged = library.rdma_ack_cm_event(event);
        }
        errors.check("rdma_ack_cm_event", acknowledged);
        return copy;
    }

    private static CmEvent copy(long event, CmEvent.Type type) {
        long id = NativeMemory.getLong(event + CmLayout.CmEvent.ID);
        long token = NativeMemory.getLong(id + CmId.CONTEXT);
        boolean request = type == CmEvent.Type.CONNECT_REQUEST;
        if (request) {
            // a new id has the token of its listener: until it gets its own, its events must not be taken for the
            // listener's
            NativeMemory.putLong(id + CmId.CONTEXT, 0);
        }
        boolean parameters = request
                || type == CmEvent.Type.CONNECT_RESPONSE
                || type == CmEvent.Type.ESTABLISHED
                || type == CmEvent.Type.REJECTED;
        long conn = event + CmLayout.CmEvent.CONN;
        return new CmEvent(
                type,
                id,
                request ? 0 : token,
                request
                        ? NativeMemory.getLong(NativeMemory.getLong(event + CmLayout.CmEvent.LISTEN_ID) + CmId.CONTEXT)
                        : 0,
                NativeMemory.getInt(event + CmLayout.CmEvent.STATUS),
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
