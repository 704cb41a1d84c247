package io.verbena.verbs.natives.internal.library;

import io.verbena.verbs.natives.internal.struct.CmLayout.CmId;
import io.verbena.verbs.natives.internal.struct.Layout;
import io.verbena.verbs.natives.internal.struct.Layout.CompChannel;
import io.verbena.verbs.natives.internal.struct.Layout.Context;
import io.verbena.verbs.natives.internal.struct.Layout.Cq;
import io.verbena.verbs.natives.internal.struct.Layout.Device;
import io.verbena.verbs.natives.internal.struct.Layout.Mr;
import io.verbena.verbs.natives.internal.struct.Layout.Pd;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.WorkCompletions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Refuses libraries whose structures differ from {@link Layout}: values that this process passed in must be found at
 * the offsets of the table. Structures that need a device are checked for each device, when it is first seen. The
 * operations that post lie between operations that are called here and {@code async_fd}. {@link JnrRdmacm#createQp}
 * checks queue pairs, which need an address of the device.
 */
public final class LayoutCheck {
    private static final long TOKEN = 0x5645_5242_454e_4121L;
    private static final int CQ_ENTRIES = 16;
    private static final int MR_OCTETS = 4096;
    private static final InetSocketAddress ANY = new InetSocketAddress("0.0.0.0", 0);
    private static final int[] OPERATIONS = {
        Context.POLL_CQ, Context.REQ_NOTIFY_CQ, Context.POST_SEND, Context.POST_RECV
    };

    private final Ibverbs ibverbs;
    private final Rdmacm rdmacm;
    private final Reader reader;

    /** Reads memory by its address. */
    public interface Reader {
        Reader OF_THIS_PROCESS = new Reader() {
            @Override
            public int getInt(long address) {
                return NativeMemory.getInt(address);
            }

            @Override
            public long getLong(long address) {
                return NativeMemory.getLong(address);
            }
        };

        int getInt(long address);

        long getLong(long address);
    }

    public LayoutCheck(Ibverbs ibverbs, Rdmacm rdmacm, Reader reader) {
        this.ibverbs = ibverbs;
        this.rdmacm = rdmacm;
        this.reader = reader;
    }

    /** A step of the check, or the step that undoes it. */
    private interface Step {
        void run() throws NativeException, NativeUnavailableException;
    }

    /** A call that fails where the kernel has no RDMA connection manager, or no device. */
    private interface First<T> {
        T call() throws NativeException;
    }

    /** Runs the check with the present devices, if any. */
    void run() throws NativeUnavailableException {
        try {
            Long channel = unlessAbsent(rdmacm::createEventChannel);
            if (channel == null) {
                return;
            }
            undoing(() -> checkChannel(channel), () -> rdmacm.destroyEventChannel(channel));
            undoing(this::checkDevices, rdmacm::releaseDevices);
        } catch (NativeException e) {
            throw failed(e);
        }
    }

    private static <T> T unlessAbsent(First<T> first) throws NativeException {
        try {
            return first.call();
        } catch (NativeException e) {
            if (e.errno() == NativeConstants.ENODEV
                    || e.errno() == NativeConstants.ENOENT
                    || e.errno() == NativeConstants.ENOSYS) {
                return null;
            }
            throw e;
        }
    }

    /** Runs a step and undoes it. A failure of the undoing does not hide a failure of the step. */
    private static void undoing(Step step, Step undo) throws NativeException, NativeUnavailableException {
        try {
            step.run();
        } catch (Throwable e) {
            try {
                undo.run();
            } catch (Throwable second) {
                e.addSuppressed(second);
            }
            throw e;
        }
        undo.run();
    }

    private void checkChannel(long channel) throws NativeException, NativeUnavailableException {
        Long id = unlessAbsent(() -> rdmacm.createId(channel, TOKEN));
        if (id != null) {
            undoing(() -> checkId(channel, id), () -> rdmacm.destroyId(id));
        }
    }

    private void checkId(long channel, long id) throws NativeException, NativeUnavailableException {
        expect(channel, reader.getLong(id + CmId.CHANNEL), "rdma_cm_id.channel");
        expect(TOKEN, reader.getLong(id + CmId.CONTEXT), "rdma_cm_id.context");
        expect(NativeConstants.RDMA_PS_TCP, reader.getInt(id + CmId.PS), "rdma_cm_id.ps");
        expect(0, reader.getLong(id + CmId.VERBS), "rdma_cm_id.verbs");
        expect(0, reader.getLong(id + CmId.QP), "rdma_cm_id.qp");
        rdmacm.bindAddr(id, ANY);
        InetSocketAddress local = rdmacm.localAddress(id);
        expect(rdmacm.localPort(id), local == null ? 0 : local.getPort(), "rdma_cm_id.route.addr.src_addr");
    }

    private void checkDevices() throws NativeException, NativeUnavailableException {
        long[] contexts = unlessAbsent(rdmacm::devices);
        if (contexts != null) {
            for (long context : contexts) {
                checkDevice(context);
            }
        }
    }

    /** Checks one device; called before any other use of it. */
    public void check(long context) throws NativeUnavailableException {
        try {
            checkDevice(context);
        } catch (NativeException e) {
            throw failed(e);
        }
    }

    private static NativeUnavailableException failed(NativeException e) {
        return new NativeUnavailableException("RDMA devices cannot be used: " + e.getMessage(), e);
    }

    private void checkDevice(long context) throws NativeException, NativeUnavailableException {
        long device = reader.getLong(context + Context.DEVICE);
        if (device == 0) {
            throw unknown("ibv_context.device");
        }
        expect(device + Device.NAME, ibverbs.deviceNameAddress(device), "ibv_device.name");
        int transport = reader.getInt(device + Device.TRANSPORT_TYPE);
        if (transport < NativeConstants.IBV_TRANSPORT_UNKNOWN
                || transport > NativeConstants.IBV_TRANSPORT_UNSPECIFIED) {
            throw unknown("ibv_device.transport_type");
        }
        for (int operation : OPERATIONS) {
            if (reader.getLong(context + operation) == 0) {
                throw unknown("ibv_context.ops");
            }
        }
        checkAsyncFd(context);
        long pd = ibverbs.allocPd(context);
        undoing(
                () -> {
                    expect(context, reader.getLong(pd + Pd.CONTEXT), "ibv_pd.context");
                    checkRegion(pd);
                    checkQueue(context);
                },
                () -> ibverbs.deallocPd(pd));
    }

    private void checkAsyncFd(long context) throws NativeUnavailableException {
        try {
            ibverbs.asyncFd(context);
        } catch (NativeException e) {
            NativeUnavailableException refusal = unknown("ibv_context.async_fd");
            refusal.addSuppressed(e);
            throw refusal;
        }
    }

    private void checkRegion(long pd) throws NativeException, NativeUnavailableException {
        ByteBuffer memory = NativeMemory.allocate(MR_OCTETS);
        long address = NativeMemory.addressOf(memory);
        long mr = ibverbs.regMr(pd, address, memory.capacity(), address, NativeConstants.IBV_ACCESS_LOCAL_WRITE);
        undoing(
                () -> {
                    expect(pd, reader.getLong(mr + Mr.PD), "ibv_mr.pd");
                    expect(address, reader.getLong(mr + Mr.ADDR), "ibv_mr.addr");
                    expect(memory.capacity(), reader.getLong(mr + Mr.LENGTH), "ibv_mr.length");
                },
                () -> ibverbs.deregMr(mr));
    }

    private void checkQueue(long context) throws NativeException, NativeUnavailableException {
        long channel = ibverbs.createCompChannel(context);
        undoing(
                () -> {
                    expect(context, reader.getLong(channel + CompChannel.CONTEXT), "ibv_comp_channel.context");
                    long cq = ibverbs.createCq(context, CQ_ENTRIES, channel);
                    undoing(() -> checkCq(context, channel, cq), () -> ibverbs.destroyCq(cq));
                },
                () -> ibverbs.destroyCompChannel(channel));
    }

    /** Checks a new completion queue: it is empty, and accepts a request for an event. */
    private void checkCq(long context, long channel, long cq) throws NativeUnavailableException {
        expect(context, reader.getLong(cq + Cq.CONTEXT), "ibv_cq.context");
        expect(channel, reader.getLong(cq + Cq.CHANNEL), "ibv_cq.channel");
        if (reader.getInt(cq + Cq.CQE) < CQ_ENTRIES) {
            throw unknown("ibv_cq.cqe");
        }
        WorkCompletions completions = new WorkCompletions(1);
        expect(0, ibverbs.pollCq(cq, completions.capacity(), completions.address()), "ibv_context.ops.poll_cq");
        expect(0, ibverbs.reqNotifyCq(cq), "ibv_context.ops.req_notify_cq");
    }

    private static void expect(long known, long found, String member) throws NativeUnavailableException {
        if (known != found) {
            throw unknown(member);
        }
    }

    private static NativeUnavailableException unknown(String member) {
        return new NativeUnavailableException("RDMA devices cannot be used: the installed libibverbs and librdmacm lay "
                + "out their structures in a way that is not known (" + member + ")");
    }
}
