package io.verbena.verbs.natives.internal.struct;

import io.verbena.verbs.natives.internal.struct.Layout.Member;
import io.verbena.verbs.natives.internal.struct.Layout.Struct;

/** The structures of librdmacm and the C library, in the form of {@link Layout}. */
public final class CmLayout {
    private CmLayout() {}

    @Struct("rdma_event_channel")
    public static final class EventChannel {
        @Member(value = "fd", octets = 4)
        public static final int FD = 0;

        private EventChannel() {}
    }

    @Struct("rdma_cm_id")
    public static final class CmId {
        @Member(value = "verbs", octets = 8)
        public static final int VERBS = 0;

        @Member(value = "channel", octets = 8)
        public static final int CHANNEL = 8;

        @Member(value = "context", octets = 8)
        public static final int CONTEXT = 16;

        @Member(value = "qp", octets = 8)
        public static final int QP = 24;

        @Member(value = "route.addr.src_addr", octets = 16)
        public static final int SRC_ADDR = 32;

        @Member(value = "route.addr.dst_addr", octets = 16)
        public static final int DST_ADDR = 160;

        @Member(value = "ps", octets = 4)
        public static final int PS = 344;

        @Member(value = "port_num", octets = 1)
        public static final int PORT_NUM = 348;

        private CmId() {}
    }

    @Struct("rdma_cm_event")
    public static final class CmEvent {
        @Member(value = "id", octets = 8)
        public static final int ID = 0;

        @Member(value = "listen_id", octets = 8)
        public static final int LISTEN_ID = 8;

        @Member(value = "event", octets = 4)
        public static final int EVENT = 16;

        @Member(value = "status", octets = 4)
        public static final int STATUS = 20;

        @Member(value = "param.conn", octets = 24)
        public static final int CONN = 24;

        private CmEvent() {}
    }

    @Struct("rdma_conn_param")
    public static final class ConnParam {
        public static final int SIZE = 24;

        @Member(value = "private_data", octets = 8)
        public static final int PRIVATE_DATA = 0;

        @Member(value = "private_data_len", octets = 1)
        public static final int PRIVATE_DATA_LEN = 8;

        @Member(value = "responder_resources", octets = 1)
        public static final int RESPONDER_RESOURCES = 9;

        @Member(value = "initiator_depth", octets = 1)
        public static final int INITIATOR_DEPTH = 10;

        @Member(value = "retry_count", octets = 1)
        public static final int RETRY_COUNT = 12;

        @Member(value = "rnr_retry_count", octets = 1)
        public static final int RNR_RETRY_COUNT = 13;

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
