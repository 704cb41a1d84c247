package io.verbena.verbs.natives.internal.struct;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The structures of libibverbs: offsets and sizes in the C headers of rdma-core, on Linux with 64-bit pointers and
 * little-endian integers (x86_64, aarch64). {@link CmLayout} has the structures of librdmacm and the C library, {@link
 * NativeConstants} the constants. A test compares all three with the installed headers: a nested class is a structure,
 * each {@link Member} an offset in it, and {@code SIZE} the size of a structure that is created here. No member behind
 * a {@code pthread_mutex_t} is listed, as the size of that type differs between the two architectures.
 */
public final class Layout {
    private Layout() {}

    /** A C structure. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface Struct {
        String value();
    }

    /** The offset of a member, which has that many octets. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @interface Member {
        String value();

        int octets();
    }

    @Struct("ibv_context")
    public static final class Context {
        @Member(value = "device", octets = 8)
        public static final int DEVICE = 0;

        @Member(value = "ops.alloc_mw", octets = 8)
        public static final int ALLOC_MW = 64;

        @Member(value = "ops.dealloc_mw", octets = 8)
        public static final int DEALLOC_MW = 80;

        @Member(value = "ops.poll_cq", octets = 8)
        public static final int POLL_CQ = 96;

        @Member(value = "ops.req_notify_cq", octets = 8)
        public static final int REQ_NOTIFY_CQ = 104;

        @Member(value = "ops.post_send", octets = 8)
        public static final int POST_SEND = 208;

        @Member(value = "ops.post_recv", octets = 8)
        public static final int POST_RECV = 216;

        @Member(value = "async_fd", octets = 4)
        public static final int ASYNC_FD = 268;

        @Member(value = "num_comp_vectors", octets = 4)
        public static final int NUM_COMP_VECTORS = 272;

        private Context() {}
    }

    @Struct("ibv_device")
    public static final class Device {
        @Member(value = "transport_type", octets = 4)
        public static final int TRANSPORT_TYPE = 20;

        @Member(value = "name", octets = 64)
        public static final int NAME = 24;

        private Device() {}
    }

    @Struct("ibv_device_attr")
    public static final class DeviceAttr {
        public static final int SIZE = 232;

        @Member(value = "fw_ver", octets = 64)
        public static final int FW_VER = 0;

        @Member(value = "max_mr_size", octets = 8)
        public static final int MAX_MR_SIZE = 80;

        @Member(value = "vendor_id", octets = 4)
        public static final int VENDOR_ID = 96;

        @Member(value = "max_qp_wr", octets = 4)
        public static final int MAX_QP_WR = 112;

        @Member(value = "device_cap_flags", octets = 4)
        public static final int DEVICE_CAP_FLAGS = 116;

        @Member(value = "max_sge", octets = 4)
        public static final int MAX_SGE = 120;

        @Member(value = "max_cqe", octets = 4)
        public static final int MAX_CQE = 132;

        @Member(value = "max_mr", octets = 4)
        public static final int MAX_MR = 136;

        @Member(value = "max_qp_rd_atom", octets = 4)
        public static final int MAX_QP_RD_ATOM = 144;

        @Member(value = "max_qp_init_rd_atom", octets = 4)
        public static final int MAX_QP_INIT_RD_ATOM = 156;

        @Member(value = "max_mw", octets = 4)
        public static final int MAX_MW = 176;

        @Member(value = "phys_port_cnt", octets = 1)
        public static final int PHYS_PORT_CNT = 227;

        private DeviceAttr() {}
    }

    @Struct("ibv_port_attr")
    public static final class PortAttr {
        public static final int SIZE = 52;

        @Member(value = "state", octets = 4)
        public static final int STATE = 0;

        @Member(value = "active_mtu", octets = 4)
        public static final int ACTIVE_MTU = 8;

        @Member(value = "gid_tbl_len", octets = 4)
        public static final int GID_TBL_LEN = 12;

        @Member(value = "link_layer", octets = 1)
        public static final int LINK_LAYER = 46;

        private PortAttr() {}
    }

    @Struct("ibv_pd")
    public static final class Pd {
        @Member(value = "context", octets = 8)
        public static final int CONTEXT = 0;

        private Pd() {}
    }

    @Struct("ibv_comp_channel")
    public static final class CompChannel {
        @Member(value = "context", octets = 8)
        public static final int CONTEXT = 0;

        @Member(value = "fd", octets = 4)
        public static final int FD = 8;

        private CompChannel() {}
    }

    @Struct("ibv_cq")
    public static final class Cq {
        @Member(value = "context", octets = 8)
        public static final int CONTEXT = 0;

        @Member(value = "channel", octets = 8)
        public static final int CHANNEL = 8;

        @Member(value = "cqe", octets = 4)
        public static final int CQE = 28;

        private Cq() {}
    }

    @Struct("ibv_qp")
    public static final class Qp {
        @Member(value = "context", octets = 8)
        public static final int CONTEXT = 0;

        @Member(value = "pd", octets = 8)
        public static final int PD = 16;

        @Member(value = "send_cq", octets = 8)
        public static final int SEND_CQ = 24;

        @Member(value = "recv_cq", octets = 8)
        public static final int RECV_CQ = 32;

        private Qp() {}
    }

    @Struct("ibv_mr")
    public static final class Mr {
        @Member(value = "pd", octets = 8)
        public static final int PD = 8;

        @Member(value = "addr", octets = 8)
        public static final int ADDR = 16;

        @Member(value = "length", octets = 8)
        public static final int LENGTH = 24;

        @Member(value = "lkey", octets = 4)
        public static final int LKEY = 36;

        @Member(value = "rkey", octets = 4)
        public static final int RKEY = 40;

        private Mr() {}
    }

    @Struct("ibv_mw")
    public static final class Mw {
        @Member(value = "context", octets = 8)
        public static final int CONTEXT = 0;

        @Member(value = "rkey", octets = 4)
        public static final int RKEY = 16;

        private Mw() {}
    }

    @Struct("ibv_qp_attr")
    public static final class QpAttr {
        public static final int SIZE = 144;

        @Member(value = "qp_state", octets = 4)
        public static final int QP_STATE = 0;

        private QpAttr() {}
    }

    @Struct("ibv_qp_init_attr")
    public static final class QpInitAttr {
        public static final int SIZE = 64;

        @Member(value = "send_cq", octets = 8)
        public static final int SEND_CQ = 8;

        @Member(value = "recv_cq", octets = 8)
        public static final int RECV_CQ = 16;

        @Member(value = "cap.max_send_wr", octets = 4)
        public static final int MAX_SEND_WR = 32;

        @Member(value = "cap.max_recv_wr", octets = 4)
        public static final int MAX_RECV_WR = 36;

        @Member(value = "cap.max_send_sge", octets = 4)
        public static final int MAX_SEND_SGE = 40;

        @Member(value = "cap.max_recv_sge", octets = 4)
        public static final int MAX_RECV_SGE = 44;

        @Member(value = "cap.max_inline_data", octets = 4)
        public static final int MAX_INLINE_DATA = 48;

        @Member(value = "qp_type", octets = 4)
        public static final int QP_TYPE = 52;

        @Member(value = "sq_sig_all", octets = 4)
        public static final int SQ_SIG_ALL = 56;

        private QpInitAttr() {}
    }

    @Struct("ibv_sge")
    public static final class Sge {
        static final int SIZE = 16;

        @Member(value = "addr", octets = 8)
        public static final int ADDR = 0;

        @Member(value = "length", octets = 4)
        static final int LENGTH = 8;

        @Member(value = "lkey", octets = 4)
        static final int LKEY = 12;

        private Sge() {}
    }

    @Struct("ibv_send_wr")
    public static final class SendWr {
        static final int SIZE = 128;

        @Member(value = "wr_id", octets = 8)
        static final int WR_ID = 0;

        @Member(value = "next", octets = 8)
        static final int NEXT = 8;

        @Member(value = "sg_list", octets = 8)
        public static final int SG_LIST = 16;

        @Member(value = "num_sge", octets = 4)
        static final int NUM_SGE = 24;

        @Member(value = "opcode", octets = 4)
        static final int OPCODE = 28;

        @Member(value = "send_flags", octets = 4)
        public static final int SEND_FLAGS = 32;

        @Member(value = "invalidate_rkey", octets = 4)
        static final int INVALIDATE_RKEY = 36;

        @Member(value = "wr.rdma.remote_addr", octets = 8)
        static final int RDMA_REMOTE_ADDR = 40;

        @Member(value = "wr.rdma.rkey", octets = 4)
        static final int RDMA_RKEY = 48;

        @Member(value = "bind_mw.mw", octets = 8)
        static final int BIND_MW = 80;

        @Member(value = "bind_mw.rkey", octets = 4)
        static final int BIND_RKEY = 88;

        @Member(value = "bind_mw.bind_info.mr", octets = 8)
        static final int BIND_MR = 96;

        @Member(value = "bind_mw.bind_info.addr", octets = 8)
        static final int BIND_ADDR = 104;

        @Member(value = "bind_mw.bind_info.length", octets = 8)
        static final int BIND_LENGTH = 112;

        @Member(value = "bind_mw.bind_info.mw_access_flags", octets = 4)
        static final int BIND_ACCESS = 120;

        private SendWr() {}
    }

    @Struct("ibv_recv_wr")
    static final class RecvWr {
        static final int SIZE = 32;

        @Member(value = "wr_id", octets = 8)
        static final int WR_ID = 0;

        @Member(value = "next", octets = 8)
        static final int NEXT = 8;

        @Member(value = "sg_list", octets = 8)
        static final int SG_LIST = 16;

        @Member(value = "num_sge", octets = 4)
        static final int NUM_SGE = 24;

        private RecvWr() {}
    }

    @Struct("ibv_wc")
    public static final class Wc {
        static final int SIZE = 48;

        @Member(value = "wr_id", octets = 8)
        public static final int WR_ID = 0;

        @Member(value = "status", octets = 4)
        public static final int STATUS = 8;

        @Member(value = "vendor_err", octets = 4)
        static final int VENDOR_ERR = 16;

        @Member(value = "byte_len", octets = 4)
        static final int BYTE_LEN = 20;

        @Member(value = "invalidated_rkey", octets = 4)
        static final int INVALIDATED_RKEY = 24;

        @Member(value = "wc_flags", octets = 4)
        static final int WC_FLAGS = 36;

        private Wc() {}
    }

    @Struct("ibv_async_event")
    public static final class AsyncEvent {
        public static final int SIZE = 16;

        @Member(value = "element.qp", octets = 8)
        public static final int ELEMENT = 0;

        @Member(value = "event_type", octets = 4)
        public static final int EVENT_TYPE = 8;

        private AsyncEvent() {}
    }
}
