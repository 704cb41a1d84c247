package io.verbena.verbs.natives.internal;

import io.verbena.verbs.natives.internal.Layout.CmId;
import io.verbena.verbs.natives.internal.Layout.CompChannel;
import io.verbena.verbs.natives.internal.Layout.Context;
import io.verbena.verbs.natives.internal.Layout.Cq;
import io.verbena.verbs.natives.internal.Layout.Mr;
import io.verbena.verbs.natives.internal.Layout.Pd;
import java.nio.ByteBuffer;

/**
 * Refuses libraries whose structures are not those of {@link Layout}: values that are known because this end gave them
 * must be found where the table says. What cannot be made on this host, as it has no device, is not looked at.
 */
final class SelfCheck {
    private static final long TOKEN = 0x5645_5242_454e_4121L;
    private static final int CQ_ENTRIES = 16;
    private static final int MR_OCTETS = 4096;
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

    void run() throws NativeUnavailableException {
        try {
            checkChannel();
            for (long context : rdmacm.devices()) {
                checkDevice(context);
            }
        } catch (NativeException e) {
            if (!isAbsence(e.errno())) {
                throw new NativeUnavailableException("RDMA devices cannot be used: " + e.getMessage(), e);
            }
        }
    }

    /** The kernel has no RDMA connection manager, or no device. */
    private static boolean isAbsence(int errno) {
        return errno == Layout.ENODEV || errno == Layout.ENOENT || errno == Layout.ENOSYS;
    }

    private void checkChannel() throws NativeException, NativeUnavailableException {
        long channel = rdmacm.createEventChannel();
        try {
            long id = rdmacm.createId(channel, TOKEN);
            try {
                expect(channel, reader.getLong(id + CmId.CHANNEL), "rdma_cm_id.channel");
                expect(TOKEN, reader.getLong(id + CmId.CONTEXT), "rdma_cm_id.context");
                expect(Layout.RDMA_PS_TCP, reader.getInt(id + CmId.PS), "rdma_cm_id.ps");
            } finally {
                rdmacm.destroyId(id);
            }
        } finally {
            rdmacm.destroyEventChannel(channel);
        }
    }

    private void checkDevice(long context) throws NativeException, NativeUnavailableException {
        for (int operation : OPERATIONS) {
            if (reader.getLong(context + operation) == 0) {
                throw unknown("ibv_context.ops");
            }
        }
        long pd = ibverbs.allocPd(context);
        try {
            expect(context, reader.getLong(pd + Pd.CONTEXT), "ibv_pd.context");
            checkRegion(pd);
            checkQueue(context);
        } finally {
            ibverbs.deallocPd(pd);
        }
    }

    private void checkRegion(long pd) throws NativeException, NativeUnavailableException {
        ByteBuffer memory = NativeMemory.allocate(MR_OCTETS);
        long address = NativeMemory.addressOf(memory);
        long mr = ibverbs.regMr(pd, address, memory.capacity(), address, Layout.IBV_ACCESS_LOCAL_WRITE);
        try {
            expect(pd, reader.getLong(mr + Mr.PD), "ibv_mr.pd");
            expect(address, reader.getLong(mr + Mr.ADDR), "ibv_mr.addr");
            expect(memory.capacity(), reader.getLong(mr + Mr.LENGTH), "ibv_mr.length");
        } finally {
            ibverbs.deregMr(mr);
        }
    }

    private void checkQueue(long context) throws NativeException, NativeUnavailableException {
        long channel = ibverbs.createCompChannel(context);
        try {
            expect(context, reader.getLong(channel + CompChannel.CONTEXT), "ibv_comp_channel.context");
            long cq = ibverbs.createCq(context, CQ_ENTRIES, channel);
            try {
                expect(context, reader.getLong(cq + Cq.CONTEXT), "ibv_cq.context");
                expect(channel, reader.getLong(cq + Cq.CHANNEL), "ibv_cq.channel");
                int entries = reader.getInt(cq + Cq.CQE);
                if (entries < CQ_ENTRIES) {
                    throw unknown("ibv_cq.cqe");
                }
            } finally {
                ibverbs.destroyCq(cq);
            }
        } finally {
            ibverbs.destroyCompChannel(channel);
        }
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
