package io.verbena.verbs.natives.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The one table of what is taken from the C headers of rdma-core and the system: offsets, sizes and constants, on Linux
 * with 64-bit pointers and little-endian integers (x86_64, aarch64). It is compared with the installed headers by a
 * test: a nested class is a structure, each {@link Member} an offset in it, and {@code SIZE} the size of one that is made
 * here; a constant outside of these has C's name. No member behind a {@code pthread_mutex_t} is in it, as the size of
 * that differs between the two.
 */
final class Layout {
    // Transports and link layers
    static final int IBV_TRANSPORT_UNKNOWN = -1;
    static final int IBV_TRANSPORT_IWARP = 1;
    static final int IBV_TRANSPORT_UNSPECIFIED = 4;
    static final int IBV_LINK_LAYER_ETHERNET = 2;

    // Device capabilities
    static final int IBV_DEVICE_MEM_MGT_EXTENSIONS = 1 << 21;
    static final int IBV_DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23;
    static final int IBV_DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24;

    // Port states
    static final int IBV_PORT_NOP = 0;
    static final int IBV_PORT_DOWN = 1;
    static final int IBV_PORT_INIT = 2;
    static final int IBV_PORT_ARMED = 3;
    static final int IBV_PORT_ACTIVE = 4;
    static final int IBV_PORT_ACTIVE_DEFER = 5;

    // Access rights of regions and windows
    static final int IBV_ACCESS_LOCAL_WRITE = 1;
    static final int IBV_ACCESS_REMOTE_WRITE = 2;
    static final int IBV_ACCESS_REMOTE_READ = 4;
    static final int IBV_ACCESS_MW_BIND = 16;

    // Queue pairs' states, and the bits that name a queue pair's attributes
    static final int IBV_QP_STATE = 1;
    static final int IBV_QPS_ERR = 6;

    // Kinds of queue pair and of window
    static final int IBV_QPT_RC = 2;
    static final int IBV_MW_TYPE_2 = 2;

    // Opcodes of send work requests
    static final int IBV_WR_RDMA_WRITE = 0;
    static final int IBV_WR_SEND = 2;
    static final int IBV_WR_RDMA_READ = 4;
    static final int IBV_WR_LOCAL_INV = 7;
    static final int IBV_WR_BIND_MW = 8;
    static final int IBV_WR_SEND_WITH_INV = 9;

    // Flags of send work requests
    static final int IBV_SEND_SIGNALED = 2;
    static final int IBV_SEND_SOLICITED = 4;
    static final int IBV_SEND_INLINE = 8;

    // States of work completions
    static final int IBV_WC_SUCCESS = 0;
    static final int IBV_WC_LOC_LEN_ERR = 1;
    static final int IBV_WC_LOC_PROT_ERR = 4;
    static final int IBV_WC_WR_FLUSH_ERR = 5;
    static final int IBV_WC_MW_BIND_ERR = 6;
    static final int IBV_WC_BAD_RESP_ERR = 7;
    static final int IBV_WC_LOC_ACCESS_ERR = 8;
    static final int IBV_WC_REM_INV_REQ_ERR = 9;
    static final int IBV_WC_REM_ACCESS_ERR = 10;
    static final int IBV_WC_RETRY_EXC_ERR = 12;
    static final int IBV_WC_RNR_RETRY_EXC_ERR = 13;
    static final int IBV_WC_RESP_TIMEOUT_ERR = 20;

    // Flags of work completions
    static final int IBV_WC_IP_CSUM_OK = 4;
    static final int IBV_WC_WITH_INV = 8;

    // Asynchronous events
    static final int IBV_EVENT_CQ_ERR = 0;
    static final int IBV_EVENT_QP_FATAL = 1;
    static final int IBV_EVENT_QP_REQ_ERR = 2;
    static final int IBV_EVENT_QP_ACCESS_ERR = 3;
    static final int IBV_EVENT_DEVICE_FATAL = 8;
    static final int IBV_EVENT_PORT_ERR = 10;

    // The connection manager
    static final int RDMA_PS_TCP = 262;

    // The system
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int POLLIN = 1;
    static final int EFD_NONBLOCK = 2048;
    static final int EFD_CLOEXEC = 524288;
    static final int F_GETFL = 3;
    static final int F_SETFL = 4;
    static final int O_NONBLOCK = 2048;

    // Error numbers
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int ENODEV = 19;
    static final int EINVAL = 22;
    static final int ENOSYS = 38;
    static final int EPROTO = 71;
    static final int EOPNOTSUPP = 95;
    static final int EADDRINUSE = 98;
    static final int EADDRNOTAVAIL = 99;
    static final int ENETDOWN = 100;
    static final int ENETUNREACH = 101;
    static final int ECONNABORTED = 103;
    static final int ECONNRESET = 104;
    static final int ENOTCONN = 107;
    static final int ETIMEDOUT = 110;
    static final int ECONNREFUSED = 111;
    static final int EHOSTUNREACH = 113;

    private Layout() {}

    /** A C structure. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface Struct {
        String value();
    }

    /** The offset of a member that has as many octets. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @interface Member {
        String value();

        int octets();
    }

    @Struct("ibv_context")
    static final class Context {
        @Member(value = "device", octets = 8)
        static final int DEVICE = 0;

        @Member(value = "ops.alloc_mw", octets = 8)
        static final int ALLOC_MW = 64;

        @Member(value = "ops.dealloc_mw", octets = 8)
        static final int DEALLOC_MW = 80;

        @Member(value = "ops.poll_cq", octets = 8)
        static final int POLL_CQ = 96;

        @Member(value = "ops.req_notify_cq", octets = 8)
        static final int REQ_NOTIFY_CQ = 104;

        @Member(value = "ops.post_send", octets = 8)
        static final int POST_SEND = 208;

        @Member(value = "ops.post_recv", octets = 8)
        static final int POST_RECV = 216;

        @Member(value = "async_fd", octets = 4)
        static final int ASYNC_FD = 268;

        @Member(value = "num_comp_vectors", octets = 4)
        static final int NUM_COMP_VECTORS = 272;

        private Context() {}
    }

    @Struct("ibv_device")
    static final class Device {
        @Member(value = "transport_type", octets = 4)
        static final int TRANSPORT_TYPE = 20;

        @Member(value = "name", octets = 64)
        static final int NAME = 24;

        private Device() {}
    }

    @Struct("ibv_device_attr")
    static final class DeviceAttr {
        static final int SIZE = 232;

        @Member(value = "fw_ver", octets = 64)
        static final int FW_VER = 0;

        @Member(value = "max_mr_size", octets = 8)
        static final int MAX_MR_SIZE = 80;

        @Member(value = "vendor_id", octets = 4)
        static final int VENDOR_ID = 96;

        @Member(value = "max_qp_wr", octets = 4)
        static final int MAX_QP_WR = 112;

        @Member(value = "device_cap_flags", octets = 4)
        static final int DEVICE_CAP_FLAGS = 116;

        @Member(value = "max_sge", octets = 4)
        static final int MAX_SGE = 120;

        @Member(value = "max_cqe", octets = 4)
        static final int MAX_CQE = 132;

        @Member(value = "max_mr", octets = 4)
        static final int MAX_MR = 136;

        @Member(value = "max_qp_rd_atom", octets = 4)
        static final int MAX_QP_RD_ATOM = 144;

        @Member(value = "max_qp_init_rd_atom", octets = 4)
        static final int MAX_QP_INIT_RD_ATOM = 156;

        @Member(value = "max_mw", octets = 4)
        static final int MAX_MW = 176;

        @Member(value = "phys_port_cnt", octets = 1)
        static final int PHYS_PORT_CNT = 227;

        private DeviceAttr() {}
    }

    @Struct("ibv_port_attr")
    static final class PortAttr {
        static final int SIZE = 52;

        @Member(value = "state", octets = 4)
        static final int STATE = 0;

        @Member(value = "active_mtu", octets = 4)
        static final int ACTIVE_MTU = 8;

        @Member(value = "gid_tbl_len", octets = 4)
        static final int GID_TBL_LEN = 12;

        @Member(value = "link_layer", octets = 1)
        static final int LINK_LAYER = 46;

        private PortAttr() {}
    }

    @Struct("ibv_pd")
    static final class Pd {
        @Member(value = "context", octets = 8)
        static final int CONTEXT = 0;

        private Pd() {}
    }

    @Struct("ibv_comp_channel")
    static final class CompChannel {
        @Member(value = "context", octets = 8)
        static final int CONTEXT = 0;

        @Member(value = "fd", octets = 4)
        static final int FD = 8;

        private CompChannel() {}
    }

    @Struct("ibv_cq")
    static final class Cq {
        @Member(value = "context", octets = 8)
        static final int CONTEXT = 0;

        @Member(value = "channel", octets = 8)
        static final int CHANNEL = 8;

        @Member(value = "cqe", octets = 4)
        static final int CQE = 28;

        private Cq() {}
    }

    @Struct("ibv_qp")
    static final class Qp {
        @Member(value = "context", octets = 8)
        static final int CONTEXT = 0;

        @Member(value = "pd", octets = 8)
        static final int PD = 16;

        @Member(value = "send_cq", octets = 8)
        static final int SEND_CQ = 24;

        @Member(value = "recv_cq", octets = 8)
        static final int RECV_CQ = 32;

        private Qp() {}
    }

    @Struct("ibv_mr")
    static final class Mr {
        @Member(value = "pd", octets = 8)
        static final int PD = 8;

        @Member(value = "addr", octets = 8)
        static final int ADDR = 16;

        @Member(value = "length", octets = 8)
        static final int LENGTH = 24;

        @Member(value = "lkey", octets = 4)
        static final int LKEY = 36;

        @Member(value = "rkey", octets = 4)
        static final int RKEY = 40;

        private Mr() {}
    }

    @Struct("ibv_mw")
    static final class Mw {
        @Member(value = "context", octets = 8)
        static final int CONTEXT = 0;

        @Member(value = "rkey", octets = 4)
        static final int RKEY = 16;

        private Mw() {}
    }

    @Struct("ibv_qp_attr")
    static final class QpAttr {
        static final int SIZE = 144;

        @Member(value = "qp_state", octets = 4)
        static final int QP_STATE = 0;

        private QpAttr() {}
    }

    @Struct("ibv_qp_init_attr")
    static final class QpInitAttr {
        static final int SIZE = 64;

        @Member(value = "send_cq", octets = 8)
        static final int SEND_CQ = 8;

        @Member(value = "recv_cq", octets = 8)
        static final int RECV_CQ = 16;

        @Member(value = "cap.max_send_wr", octets = 4)
        static final int MAX_SEND_WR = 32;

        @Member(value = "cap.max_recv_wr", octets = 4)
        static final int MAX_RECV_WR = 36;

        @Member(value = "cap.max_send_sge", octets = 4)
        static final int MAX_SEND_SGE = 40;

        @Member(value = "cap.max_recv_sge", octets = 4)
        static final int MAX_RECV_SGE = 44;

        @Member(value = "cap.max_inline_data", octets = 4)
        static final int MAX_INLINE_DATA = 48;

        @Member(value = "qp_type", octets = 4)
        static final int QP_TYPE = 52;

        @Member(value = "sq_sig_all", octets = 4)
        static final int SQ_SIG_ALL = 56;

        private QpInitAttr() {}
    }

    @Struct("ibv_sge")
    static final class Sge {
        static final int SIZE = 16;

        @Member(value = "addr", octets = 8)
        static final int ADDR = 0;

        @Member(value = "length", octets = 4)
        static final int LENGTH = 8;

        @Member(value = "lkey", octets = 4)
        static final int LKEY = 12;

        private Sge() {}
    }

    @Struct("ibv_send_wr")
    static final class SendWr {
        static final int SIZE = 128;

        @Member(value = "wr_id", octets = 8)
        static final int WR_ID = 0;

        @Member(value = "next", octets = 8)
        static final int NEXT = 8;

        @Member(value = "sg_list", octets = 8)
        static final int SG_LIST = 16;

        @Member(value = "num_sge", octets = 4)
        static final int NUM_SGE = 24;

        @Member(value = "opcode", octets = 4)
        static final int OPCODE = 28;

        @Member(value = "send_flags", octets = 4)
        static final int SEND_FLAGS = 32;

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
    static final class Wc {
        static final int SIZE = 48;

        @Member(value = "wr_id", octets = 8)
        static final int WR_ID = 0;

        @Member(value = "status", octets = 4)
        static final int STATUS = 8;

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
    static final class AsyncEvent {
        static final int SIZE = 16;

        @Member(value = "element.qp", octets = 8)
        static final int ELEMENT = 0;

        @Member(value = "event_type", octets = 4)
        static final int EVENT_TYPE = 8;

        private AsyncEvent() {}
    }

    @Struct("rdma_event_channel")
    static final class EventChannel {
        @Member(value = "fd", octets = 4)
        static final int FD = 0;

        private EventChannel() {}
    }

    @Struct("rdma_cm_id")
    static final class CmId {
        @Member(value = "verbs", octets = 8)
        static final int VERBS = 0;

        @Member(value = "channel", octets = 8)
        static final int CHANNEL = 8;

        @Member(value = "context", octets = 8)
        static final int CONTEXT = 16;

        @Member(value = "qp", octets = 8)
        static final int QP = 24;

        @Member(value = "route.addr.src_addr", octets = 16)
        static final int SRC_ADDR = 32;

        @Member(value = "route.addr.dst_addr", octets = 16)
        static final int DST_ADDR = 160;

        @Member(value = "ps", octets = 4)
        static final int PS = 344;

        @Member(value = "port_num", octets = 1)
        static final int PORT_NUM = 348;

        private CmId() {}
    }

    @Struct("rdma_cm_event")
    static final class CmEvent {
        @Member(value = "id", octets = 8)
        static final int ID = 0;

        @Member(value = "listen_id", octets = 8)
        static final int LISTEN_ID = 8;

        @Member(value = "event", octets = 4)
        static final int EVENT = 16;

        @Member(value = "status", octets = 4)
        static final int STATUS = 20;

        @Member(value = "param.conn", octets = 24)
        static final int CONN = 24;

        private CmEvent() {}
    }

    @Struct("rdma_conn_param")
    static final class ConnParam {
        static final int SIZE = 24;

        @Member(value = "private_data", octets = 8)
        static final int PRIVATE_DATA = 0;

        @Member(value = "private_data_len", octets = 1)
        static final int PRIVATE_DATA_LEN = 8;

        @Member(value = "responder_resources", octets = 1)
        static final int RESPONDER_RESOURCES = 9;

        @Member(value = "initiator_depth", octets = 1)
        static final int INITIATOR_DEPTH = 10;

        @Member(value = "retry_count", octets = 1)
        static final int RETRY_COUNT = 12;

        @Member(value = "rnr_retry_count", octets = 1)
        static final int RNR_RETRY_COUNT = 13;

        private ConnParam() {}
    }

    @Struct("sockaddr_in")
    static final class SockaddrIn {
        static final int SIZE = 16;

        @Member(value = "sin_family", octets = 2)
        static final int FAMILY = 0;

        @Member(value = "sin_port", octets = 2)
        static final int PORT = 2;

        @Member(value = "sin_addr", octets = 4)
        static final int ADDR = 4;

        private SockaddrIn() {}
    }

    @Struct("sockaddr_in6")
    static final class SockaddrIn6 {
        static final int SIZE = 28;

        @Member(value = "sin6_family", octets = 2)
        static final int FAMILY = 0;

        @Member(value = "sin6_port", octets = 2)
        static final int PORT = 2;

        @Member(value = "sin6_addr", octets = 16)
        static final int ADDR = 8;

        @Member(value = "sin6_scope_id", octets = 4)
        static final int SCOPE_ID = 24;

        private SockaddrIn6() {}
    }

    @Struct("pollfd")
    static final class Pollfd {
        static final int SIZE = 8;

        @Member(value = "fd", octets = 4)
        static final int FD = 0;

        @Member(value = "events", octets = 2)
        static final int EVENTS = 4;

        @Member(value = "revents", octets = 2)
        static final int REVENTS = 6;

        private Pollfd() {}
    }
}
