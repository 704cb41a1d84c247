package io.verbena.nfs41;

/**
 * The operations of NFSv4.1 (RFC 8881 section 16.2.3) and of its callbacks (section 20), by their numbers on the wire.
 */
public final class Opcode {
    public static final int ACCESS = 3;
    public static final int CLOSE = 4;
    public static final int COMMIT = 5;
    public static final int CREATE = 6;
    public static final int DELEGPURGE = 7;
    public static final int DELEGRETURN = 8;
    public static final int GETATTR = 9;
    public static final int GETFH = 10;
    public static final int LINK = 11;
    public static final int LOCK = 12;
    public static final int LOCKT = 13;
    public static final int LOCKU = 14;
    public static final int LOOKUP = 15;
    public static final int LOOKUPP = 16;
    public static final int NVERIFY = 17;
    public static final int OPEN = 18;
    public static final int OPENATTR = 19;
    public static final int OPEN_CONFIRM = 20;
    public static final int OPEN_DOWNGRADE = 21;
    public static final int PUTFH = 22;
    public static final int PUTPUBFH = 23;
    public static final int PUTROOTFH = 24;
    public static final int READ = 25;
    public static final int READDIR = 26;
    public static final int READLINK = 27;
    public static final int REMOVE = 28;
    public static final int RENAME = 29;
    public static final int RENEW = 30;
    public static final int RESTOREFH = 31;
    public static final int SAVEFH = 32;
    public static final int SECINFO = 33;
    public static final int SETATTR = 34;
    public static final int SETCLIENTID = 35;
    public static final int SETCLIENTID_CONFIRM = 36;
    public static final int VERIFY = 37;
    public static final int WRITE = 38;
    public static final int RELEASE_LOCKOWNER = 39;
    public static final int BACKCHANNEL_CTL = 40;
    public static final int BIND_CONN_TO_SESSION = 41;
    public static final int EXCHANGE_ID = 42;
    public static final int CREATE_SESSION = 43;
    public static final int DESTROY_SESSION = 44;
    public static final int FREE_STATEID = 45;
    public static final int GET_DIR_DELEGATION = 46;
    public static final int GETDEVICEINFO = 47;
    public static final int GETDEVICELIST = 48;
    public static final int LAYOUTCOMMIT = 49;
    public static final int LAYOUTGET = 50;
    public static final int LAYOUTRETURN = 51;
    public static final int SECINFO_NO_NAME = 52;
    public static final int SEQUENCE = 53;
    public static final int SET_SSV = 54;
    public static final int TEST_STATEID = 55;
    public static final int WANT_DELEGATION = 56;
    public static final int DESTROY_CLIENTID = 57;
    public static final int RECLAIM_COMPLETE = 58;
    public static final int ILLEGAL = 10044;

    public static final int CB_GETATTR = 3;
    public static final int CB_RECALL = 4;
    public static final int CB_LAYOUTRECALL = 5;
    public static final int CB_NOTIFY = 6;
    public static final int CB_PUSH_DELEG = 7;
    public static final int CB_RECALL_ANY = 8;
    public static final int CB_RECALLABLE_OBJ_AVAIL = 9;
    public static final int CB_RECALL_SLOT = 10;
    public static final int CB_SEQUENCE = 11;
    public static final int CB_WANTS_CANCELLED = 12;
    public static final int CB_NOTIFY_LOCK = 13;
    public static final int CB_NOTIFY_DEVICEID = 14;
    public static final int CB_ILLEGAL = 10044;

    private static final String[] NAMES = {
        "ACCESS",
        "CLOSE",
        "COMMIT",
        "CREATE",
        "DELEGPURGE",
        "DELEGRETURN",
        "GETATTR",
        "GETFH",
        "LINK",
        "LOCK",
        "LOCKT",
        "LOCKU",
        "LOOKUP",
        "LOOKUPP",
        "NVERIFY",
        "OPEN",
        "OPENATTR",
        "OPEN_CONFIRM",
        "OPEN_DOWNGRADE",
        "PUTFH",
        "PUTPUBFH",
        "PUTROOTFH",
        "READ",
        "READDIR",
        "READLINK",
        "REMOVE",
        "RENAME",
        "RENEW",
        "RESTOREFH",
        "SAVEFH",
        "SECINFO",
        "SETATTR",
        "SETCLIENTID",
        "SETCLIENTID_CONFIRM",
        "VERIFY",
        "WRITE",
        "RELEASE_LOCKOWNER",
        "BACKCHANNEL_CTL",
        "BIND_CONN_TO_SESSION",
        "EXCHANGE_ID",
        "CREATE_SESSION",
        "DESTROY_SESSION",
        "FREE_STATEID",
        "GET_DIR_DELEGATION",
        "GETDEVICEINFO",
        "GETDEVICELIST",
        "LAYOUTCOMMIT",
        "LAYOUTGET",
        "LAYOUTRETURN",
        "SECINFO_NO_NAME",
        "SEQUENCE",
        "SET_SSV",
        "TEST_STATEID",
        "WANT_DELEGATION",
        "DESTROY_CLIENTID",
        "RECLAIM_COMPLETE"
    };

    private static final String[] CALLBACK_NAMES = {
        "CB_GETATTR",
        "CB_RECALL",
        "CB_LAYOUTRECALL",
        "CB_NOTIFY",
        "CB_PUSH_DELEG",
        "CB_RECALL_ANY",
        "CB_RECALLABLE_OBJ_AVAIL",
        "CB_RECALL_SLOT",
        "CB_SEQUENCE",
        "CB_WANTS_CANCELLED",
        "CB_NOTIFY_LOCK",
        "CB_NOTIFY_DEVICEID"
    };

    private Opcode() {}

    /** Whether NFSv4.1 defines an operation of that number, be it obsolete or optional. */
    public static boolean isDefined(int opcode) {
        return opcode >= ACCESS && opcode <= RECLAIM_COMPLETE;
    }

    /** The operation's name in the specification; a number that is none reads {@code operation N}. */
    public static String name(int opcode) {
        return isDefined(opcode) ? NAMES[opcode - ACCESS] : opcode == ILLEGAL ? "ILLEGAL" : "operation " + opcode;
    }

    /** Whether NFSv4.1 defines a callback operation of that number. */
    public static boolean isDefinedCallback(int opcode) {
        return opcode >= CB_GETATTR && opcode <= CB_NOTIFY_DEVICEID;
    }

    /** The callback operation's name in the specification; a number that is none reads {@code callback operation N}. */
    public static String callbackName(int opcode) {
        if (isDefinedCallback(opcode)) {
            return CALLBACK_NAMES[opcode - CB_GETATTR];
        }
        return opcode == CB_ILLEGAL ? "CB_ILLEGAL" : "callback operation " + Integer.toUnsignedString(opcode);
    }
}
