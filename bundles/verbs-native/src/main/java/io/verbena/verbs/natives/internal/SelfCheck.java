package io.verbena.verbs.natives.internal;

import io.verbena.verbs.natives.internal.Layout.CmId;
import io.verbena.verbs.natives.internal.Layout.CompChannel;
import io.verbena.verbs.natives.internal.Layout.Context;
import io.verbena.verbs.natives.internal.Layout.Cq;
import io.verbena.verbs.natives.internal.Layout.Device;
import io.verbena.verbs.natives.internal.Layout.Mr;
import io.verbena.verbs.natives.internal.Layout.Pd;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Refuses libraries whose structures are not those of {@link Layout}: values that are known because this end gave them
 * must be found where the table says. What takes a device is looked at for each, when it is first seen. The operations
 * that post stand between others that are called here and {@code async_fd}; {@link JnrRdmacm#createQp} looks at a queue
 * pair, which takes an address of the device's.
 */
final class SelfCheck {
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
    interface Reader {
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

    SelfCheck(Ibverbs ibverbs, Rdmacm rdmacm, Reader reader) {
        this.ibverbs = ibverbs;
        this.rdmacm = rdmacm;
        this.reader = reader;
    }

    /** A step of the check, or what undoes one. */
    private interface Step {
        void run() throws NativeException, NativeUnavailableException;
    }

    /** A call that there is no answer to where the kernel has no RDMA connection manager, or no device. */
    private interface First<T> {
        T call() throws NativeException;
    }

    /** With the devices that there are, maybe none. */
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
            if (e.errno() == Layout.ENODEV || e.errno() == Layout.ENOENT || e.errno() == Layout.ENOSYS) {
                return null;
            }
            throw e;
        }
    }

    /** What fails in undoing a step that has failed does not hide why it has. */
    private static void undoing(Step step, Step undo) throws NativeException, NativeUnavailableException {
        try {
            step.run();
        } catch (NativeException | NativeUnavailableException | RuntimeException e) {
            try {
                undo.run();
            } catch (NativeException | NativeUnavailableException | RuntimeException second) {
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
        expect(Layout.RDMA_PS_TCP, reader.getInt(id + CmId.PS), "rdma_cm_id.ps");
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

    /** One device; to be called before anything else is done with it. */
    void check(long context) throws NativeUnavailableException {
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
        if (transport < Layout.IBV_TRANSPORT_UNKNOWN || transport > Layout.IBV_TRANSPORT_UNSPECIFIED) {
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
        long mr = ibverbs.regMr(pd, address, memory.capacity(), address, Layout.IBV_ACCESS_LOCAL_WRITE);
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

    /** It is new: it is empty, and takes a request for an event. */
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
