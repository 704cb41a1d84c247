package io.verbena.verbs.natives.internal.library;

import io.verbena.verbs.natives.internal.struct.Layout;
import io.verbena.verbs.natives.internal.struct.Layout.CompChannel;
import io.verbena.verbs.natives.internal.struct.Layout.Context;
import io.verbena.verbs.natives.internal.struct.Layout.Cq;
import io.verbena.verbs.natives.internal.struct.Layout.Device;
import io.verbena.verbs.natives.internal.struct.Layout.DeviceAttr;
import io.verbena.verbs.natives.internal.struct.Layout.Mr;
import io.verbena.verbs.natives.internal.struct.Layout.Mw;
import io.verbena.verbs.natives.internal.struct.Layout.Pd;
import io.verbena.verbs.natives.internal.struct.Layout.PortAttr;
import io.verbena.verbs.natives.internal.struct.Layout.Qp;
import io.verbena.verbs.natives.internal.struct.Layout.QpAttr;
import io.verbena.verbs.natives.internal.struct.Layout.QpInitAttr;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.ScratchMemory;
import java.net.Inet6Address;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** {@link Ibverbs} through jnr-ffi. */
final class JnrIbverbs implements Ibverbs {
    private static final int NAME_OCTETS = 64;
    private static final int MAX_TEXT = 256;
    private static final int GID_OCTETS = 16;
    private static final int MAX_GIDS = 16;

    private final IbverbsLibrary library;
    private final Posix posix;
    private final CallErrors errors;
    private final AtomicInteger createdCqs = new AtomicInteger();

    JnrIbverbs(IbverbsLibrary library, Posix posix) {
        this.library = library;
        this.posix = posix;
        errors = new CallErrors(posix);
    }

    @Override
    public String deviceName(long context) {
        return NativeMemory.getString(NativeMemory.getLong(context + Context.DEVICE) + Device.NAME, NAME_OCTETS);
    }

    @Override
    public long deviceNameAddress(long device) {
        return library.ibv_get_device_name(device);
    }

    @Override
    public DeviceAttributes queryDevice(long context) throws NativeException {
        long device = NativeMemory.getLong(context + Context.DEVICE);
        try (ScratchMemory attr = new ScratchMemory(DeviceAttr.SIZE)) {
            errors.checkNumber("ibv_query_device", library.ibv_query_device(context, attr.address()));
            return new DeviceAttributes(
                    NativeMemory.getInt(device + Device.TRANSPORT_TYPE) == NativeConstants.IBV_TRANSPORT_IWARP,
                    NativeMemory.getString(attr.address() + DeviceAttr.FW_VER, NAME_OCTETS),
                    attr.getLong(DeviceAttr.MAX_MR_SIZE),
                    attr.getInt(DeviceAttr.VENDOR_ID),
                    attr.getInt(DeviceAttr.MAX_QP_WR),
                    attr.getInt(DeviceAttr.MAX_SGE),
                    attr.getInt(DeviceAttr.MAX_CQE),
                    attr.getInt(DeviceAttr.MAX_MR),
                    attr.getInt(DeviceAttr.MAX_MW),
                    attr.getInt(DeviceAttr.MAX_QP_RD_ATOM),
                    attr.getInt(DeviceAttr.MAX_QP_INIT_RD_ATOM),
                    attr.getUnsignedByte(DeviceAttr.PHYS_PORT_CNT),
                    Integer.toUnsignedLong(attr.getInt(DeviceAttr.DEVICE_CAP_FLAGS)));
        }
    }

    @Override
    public PortAttributes queryPort(long context, int port) throws NativeException {
        try (ScratchMemory attr = new ScratchMemory(PortAttr.SIZE)) {
            errors.checkNumber("ibv_query_port", library.ibv_query_port(context, port, attr.address()));
            return new PortAttributes(
                    portState(attr.getInt(PortAttr.STATE)),
                    attr.getInt(PortAttr.ACTIVE_MTU),
                    attr.getUnsignedByte(PortAttr.LINK_LAYER) == NativeConstants.IBV_LINK_LAYER_ETHERNET,
                    gids(context, port, Math.min(attr.getInt(PortAttr.GID_TBL_LEN), MAX_GIDS)));
        }
    }

    private static String portState(int state) {
        return switch (state) {
            case NativeConstants.IBV_PORT_NOP -> "NOP";
            case NativeConstants.IBV_PORT_DOWN -> "DOWN";
            case NativeConstants.IBV_PORT_INIT -> "INIT";
            case NativeConstants.IBV_PORT_ARMED -> "ARMED";
            case NativeConstants.IBV_PORT_ACTIVE -> "ACTIVE";
            case NativeConstants.IBV_PORT_ACTIVE_DEFER -> "ACTIVE_DEFER";
            default -> "state " + state;
        };
    }

    /** Reads a GID. A table entry that cannot be read holds no GID. */
    private List<String> gids(long context, int port, int places) {
        List<String> gids = new ArrayList<>();
        try (ScratchMemory gid = new ScratchMemory(GID_OCTETS)) {
            for (int index = 0; index < places; index++) {
                if (library.ibv_query_gid(context, port, index, gid.address()) == 0
                        && (gid.getLong(0) | gid.getLong(Long.BYTES)) != 0) {
                    gids.add(text(NativeMemory.getBytes(gid.address(), GID_OCTETS)));
                }
            }
        }
        return gids;
    }

    private static String text(byte[] gid) {
        try {
            return Inet6Address.getByAddress(null, gid, -1).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("A GID has " + GID_OCTETS + " octets", e);
        }
    }

    @Override
    public long allocPd(long context) throws NativeException {
        return errors.checkPointer("ibv_alloc_pd", library.ibv_alloc_pd(context));
    }

    @Override
    public void deallocPd(long pd) throws NativeException {
        errors.checkNumber("ibv_dealloc_pd", library.ibv_dealloc_pd(pd));
    }

    @Override
    public long createCompChannel(long context) throws NativeException {
        long channel = errors.checkPointer("ibv_create_comp_channel", library.ibv_create_comp_channel(context));
        try {
            posix.setNonBlocking(compChannelFd(channel));
        } catch (NativeException e) {
            library.ibv_destroy_comp_channel(channel);
            throw e;
        }
        return channel;
    }

    @Override
    public int compChannelFd(long channel) {
        return NativeMemory.getInt(channel + CompChannel.FD);
    }

    @Override
    public void destroyCompChannel(long channel) throws NativeException {
        errors.checkNumber("ibv_destroy_comp_channel", library.ibv_destroy_comp_channel(channel));
    }

    @Override
    public long createCq(long context, int entries, long channel) throws NativeException {
        int vectors = Math.max(1, NativeMemory.getInt(context + Context.NUM_COMP_VECTORS));
        // a connection makes two queues, one after the other: they share a vector
        int vector = Math.floorMod(createdCqs.getAndIncrement() / 2, vectors);
        return errors.checkPointer("ibv_create_cq", library.ibv_create_cq(context, entries, 0, channel, vector));
    }

    @Override
    public void destroyCq(long cq) throws NativeException {
        errors.checkNumber("ibv_destroy_cq", library.ibv_destroy_cq(cq));
    }

    @Override
    public boolean takeCqEvent(long channel, long result) throws NativeException {
        if (library.ibv_get_cq_event(channel, result, result + Long.BYTES) != 0) {
            requireNoneWaits("ibv_get_cq_event");
            return false;
        }
        return true;
    }

    @Override
    public void ackCqEvents(long cq, int count) {
        library.ibv_ack_cq_events(cq, count);
    }

    private void requireNoneWaits(String call) throws NativeException {
        int errno = CallErrors.last();
        if (errno != NativeConstants.EAGAIN && errno != NativeConstants.EINTR) {
            throw errors.of(call, errno);
        }
    }

    @Override
    public int reqNotifyCq(long cq) {
        return FunctionPointer.call2(operation(NativeMemory.getLong(cq + Cq.CONTEXT), Context.REQ_NOTIFY_CQ), cq, 0);
    }

    @Override
    public int pollCq(long cq, int max, long completions) {
        return FunctionPointer.call3(
                operation(NativeMemory.getLong(cq + Cq.CONTEXT), Context.POLL_CQ), cq, max, completions);
    }

    @Override
    public int postSend(long qp, long firstRequest, long badRequest) {
        return FunctionPointer.call3(
                operation(NativeMemory.getLong(qp + Qp.CONTEXT), Context.POST_SEND), qp, firstRequest, badRequest);
    }

    @Override
    public int postReceive(long qp, long firstRequest, long badRequest) {
        return FunctionPointer.call3(
                operation(NativeMemory.getLong(qp + Qp.CONTEXT), Context.POST_RECV), qp, firstRequest, badRequest);
    }

    /** The address of an operation. It is read for each call, as a driver may change it. */
    private static long operation(long context, int offset) {
        return NativeMemory.getLong(context + offset);
    }

    @Override
    public boolean qpFailed(long qp) throws NativeException {
        try (ScratchMemory attributes = new ScratchMemory(QpAttr.SIZE);
                ScratchMemory initial = new ScratchMemory(QpInitAttr.SIZE)) {
            errors.checkNumber(
                    "ibv_query_qp",
                    library.ibv_query_qp(qp, attributes.address(), NativeConstants.IBV_QP_STATE, initial.address()));
            return attributes.getInt(QpAttr.QP_STATE) == NativeConstants.IBV_QPS_ERR;
        }
    }

    @Override
    public long regMr(long pd, long address, long length, long iova, int access) throws NativeException {
        return iova == address
                ? errors.checkPointer("ibv_reg_mr", library.ibv_reg_mr(pd, address, length, access))
                : errors.checkPointer("ibv_reg_mr_iova", library.ibv_reg_mr_iova(pd, address, length, iova, access));
    }

    @Override
    public int lkey(long mr) {
        return NativeMemory.getInt(mr + Mr.LKEY);
    }

    @Override
    public int rkey(long mr) {
        return NativeMemory.getInt(mr + Mr.RKEY);
    }

    @Override
    public void deregMr(long mr) throws NativeException {
        errors.checkNumber("ibv_dereg_mr", library.ibv_dereg_mr(mr));
    }

    @Override
    public long allocMw(long pd) throws NativeException {
        long function = operation(NativeMemory.getLong(pd + Pd.CONTEXT), Context.ALLOC_MW);
        if (function == 0) {
            throw errors.of("ibv_alloc_mw", NativeConstants.EOPNOTSUPP);
        }
        return errors.checkPointer(
                "ibv_alloc_mw", FunctionPointer.pointer2(function, pd, NativeConstants.IBV_MW_TYPE_2));
    }

    @Override
    public int mwRkey(long mw) {
        return NativeMemory.getInt(mw + Mw.RKEY);
    }

    @Override
    public void setMwRkey(long mw, int rkey) {
        NativeMemory.putInt(mw + Mw.RKEY, rkey);
    }

    @Override
    public void deallocMw(long mw) throws NativeException {
        long function = operation(NativeMemory.getLong(mw + Mw.CONTEXT), Context.DEALLOC_MW);
        errors.checkNumber("ibv_dealloc_mw", FunctionPointer.call1(function, mw));
    }

    @Override
    public int asyncFd(long context) throws NativeException {
        int fd = NativeMemory.getInt(context + Context.ASYNC_FD);
        posix.setNonBlocking(fd);
        return fd;
    }

    @Override
    public boolean takeAsyncEvent(long context, Consumer<AsyncEvent> target) throws NativeException {
        try (ScratchMemory event = new ScratchMemory(Layout.AsyncEvent.SIZE)) {
            if (library.ibv_get_async_event(context, event.address()) != 0) {
                requireNoneWaits("ibv_get_async_event");
                return false;
            }
            try {
                int type = event.getInt(Layout.AsyncEvent.EVENT_TYPE);
                String name = NativeMemory.getString(library.ibv_event_type_str(type), MAX_TEXT);
                target.accept(new AsyncEvent(type, name, event.getLong(Layout.AsyncEvent.ELEMENT)));
            } finally {
                library.ibv_ack_async_event(event.address());
            }
            return true;
        }
    }

    @Override
    public String statusName(int status) {
        return NativeMemory.getString(library.ibv_wc_status_str(status), MAX_TEXT);
    }
}
