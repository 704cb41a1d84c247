package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.rpcrdma.v2.internal.VersionTwoFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The versions of RPC-over-RDMA that a peer of a test speaks, and what differs between them on the wire: in Version Two
 * {@code rdma_direction} stands before the chunk lists (draft-cel-nfsv4-rpcrdma-version-two-01 section 4.2), and more
 * goes inline.
 */
enum Version {
    ONE(1, 28, 1024),
    TWO(2, 32, 4096);

    private static final int CALL = 0;
    private static final int REPLY = 1;

    private final int number;
    private final int bareHeader;
    private final int inlineThreshold;

    Version(int number, int bareHeader, int inlineThreshold) {
        this.number = number;
        this.bareHeader = bareHeader;
        this.inlineThreshold = inlineThreshold;
    }

    /** What {@code rdma_vers} is. */
    int number() {
        return number;
    }

    /** The octets of a transport header without chunks. */
    int bareHeader() {
        return bareHeader;
    }

    /** The octets that go into one Send where the ends told each other nothing. */
    int inlineThreshold() {
        return inlineThreshold;
    }

    /** A codec of it. */
    Framing framing() {
        return this == ONE ? new VersionOneFraming() : new VersionTwoFraming();
    }

    /** An end that speaks no other. */
    RdmaRpcTransport transport(RdmaProvider provider) {
        return new RdmaRpcTransport(
                new SystemRuntime(),
                TransportLimits.DEFAULT,
                new DirectMemory(),
                provider,
                List.of(framing()),
                new PrivateDataNegotiator());
    }

    /** The transport options that have this version spoken. */
    Map<String, String> options() {
        return options(Map.of());
    }

    Map<String, String> options(Map<String, String> others) {
        Map<String, String> all = new HashMap<>(others);
        all.put("rpcrdma", Integer.toString(number));
        return all;
    }

    /** What stands before the chunk lists of a call. */
    Wire call(int xid, int credits, int procedure) {
        return header(xid, credits, procedure, CALL);
    }

    /** What stands before the chunk lists of a reply. */
    Wire reply(int xid, int credits, int procedure) {
        return header(xid, credits, procedure, REPLY);
    }

    private Wire header(int xid, int credits, int procedure, int direction) {
        Wire fields = Wire.header(number, xid, credits, procedure);
        return this == TWO ? fields.words(direction) : fields;
    }

    /** What stands before the error code; an error has no direction. */
    Wire error(int xid, int credits) {
        return Wire.header(number, xid, credits, Wire.ERROR);
    }

    /** ERR_CHUNK, or ERR_BAD_HEADER as Version Two calls it. */
    ByteBuffer badHeader(int xid, int credits) {
        return error(xid, credits).words(2).done();
    }

    /** A whole short reply without results. */
    ByteBuffer nullReply(int xid, int credits) {
        return reply(xid, credits, Wire.MSG).words(0, 0, 0).accepted(xid).done();
    }

    /** A whole short call of the echo program without arguments. */
    ByteBuffer nullCall(int xid, int credits) {
        return call(xid, credits, Wire.MSG)
                .words(0, 0, 0)
                .call(xid, EchoProgram.PROGRAM, EchoProgram.VERSION, EchoProgram.NULL)
                .done();
    }
}
