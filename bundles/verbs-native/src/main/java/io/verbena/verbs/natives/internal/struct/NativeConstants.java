package io.verbena.verbs.natives.internal.struct;

/**
 * The constants of the C headers of rdma-core and the system that are used, under their names in C, on Linux on x86_64
 * and aarch64. A test compares them with the installed headers.
 */
public final class NativeConstants {
    // Transports and link layers
    public static final int IBV_TRANSPORT_UNKNOWN = -1;
    public static final int IBV_TRANSPORT_IWARP = 1;
    public static final int IBV_TRANSPORT_UNSPECIFIED = 4;
    public static final int IBV_LINK_LAYER_ETHERNET = 2;

    // Device capabilities
    public static final int IBV_DEVICE_MEM_MGT_EXTENSIONS = 1 << 21;
    public static final int IBV_DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23;
    public static final int IBV_DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24;

    // Port states
    public static final int IBV_PORT_NOP = 0;
    public static final int IBV_PORT_DOWN = 1;
    public static final int IBV_PORT_INIT = 2;
    public static final int IBV_PORT_ARMED = 3;
    public static final int IBV_PORT_ACTIVE = 4;
    public static final int IBV_PORT_ACTIVE_DEFER = 5;

    // Access rights of regions and windows
    public static final int IBV_ACCESS_LOCAL_WRITE = 1;
    public static final int IBV_ACCESS_REMOTE_WRITE = 2;
    public static final int IBV_ACCESS_REMOTE_READ = 4;
    public static final int IBV_ACCESS_MW_BIND = 16;

    // Queue pairs' states, and the bits that name a queue pair's attributes
    public static final int IBV_QP_STATE = 1;
    public static final int IBV_QPS_ERR = 6;

    // Kinds of queue pair and of window
    public static final int IBV_QPT_RC = 2;
    public static final int IBV_MW_TYPE_2 = 2;

    // Opcodes of send work requests
    static final int IBV_WR_RDMA_WRITE = 0;
    static final int IBV_WR_SEND = 2;
    static final int IBV_WR_RDMA_READ = 4;
    static final int IBV_WR_LOCAL_INV = 7;
    static final int IBV_WR_BIND_MW = 8;
    static final int IBV_WR_SEND_WITH_INV = 9;

    // Flags of send work requests
    public static final int IBV_SEND_SIGNALED = 2;
    public static final int IBV_SEND_SOLICITED = 4;
    public static final int IBV_SEND_INLINE = 8;

    // States of work completions
    public static final int IBV_WC_SUCCESS = 0;
    public static final int IBV_WC_LOC_LEN_ERR = 1;
    public static final int IBV_WC_LOC_PROT_ERR = 4;
    public static final int IBV_WC_WR_FLUSH_ERR = 5;
    public static final int IBV_WC_MW_BIND_ERR = 6;
    public static final int IBV_WC_BAD_RESP_ERR = 7;
    public static final int IBV_WC_LOC_ACCESS_ERR = 8;
    public static final int IBV_WC_REM_INV_REQ_ERR = 9;
    public static final int IBV_WC_REM_ACCESS_ERR = 10;
    public static final int IBV_WC_RETRY_EXC_ERR = 12;
    public static final int IBV_WC_RNR_RETRY_EXC_ERR = 13;
    public static final int IBV_WC_RESP_TIMEOUT_ERR = 20;

    // Flags of work completions
    public static final int IBV_WC_IP_CSUM_OK = 4;
    public static final int IBV_WC_WITH_INV = 8;

    // Asynchronous events
    public static final int IBV_EVENT_CQ_ERR = 0;
    public static final int IBV_EVENT_QP_FATAL = 1;
    public static final int IBV_EVENT_QP_REQ_ERR = 2;
    public static final int IBV_EVENT_QP_ACCESS_ERR = 3;
    public static final int IBV_EVENT_DEVICE_FATAL = 8;
    public static final int IBV_EVENT_PORT_ERR = 10;

    // The connection manager
    public static final int RDMA_PS_TCP = 262;

    // The system
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int POLLIN = 1;
    public static final int EFD_NONBLOCK = 2048;
    public static final int EFD_CLOEXEC = 524288;
    public static final int F_GETFL = 3;
    public static final int F_SETFL = 4;
    public static final int O_NONBLOCK = 2048;

    // Error numbers
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENOSYS = 38;
    public static final int EPROTO = 71;
    public static final int EOPNOTSUPP = 95;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETDOWN = 100;
    public static final int ENETUNREACH = 101;
    public static final int ECONNABORTED = 103;
    public static final int ECONNRESET = 104;
    public static final int ENOTCONN = 107;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;

    private NativeConstants() {}
}
