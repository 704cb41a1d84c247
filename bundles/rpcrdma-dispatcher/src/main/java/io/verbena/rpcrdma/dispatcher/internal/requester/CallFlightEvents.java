package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.dispatcher.internal.base.Hex;
import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.runtime.Runtime;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The events of the stages of a call. They are off unless a recording enables them by name. */
final class CallFlightEvents {
    private CallFlightEvents() {}

    /** The fields of every stage. */
    @Category({"Verbena", "RPC over RDMA"})
    @Enabled(false)
    @StackTrace(false)
    abstract static class Stage extends Event {
        @Label("Connection")
        @Description("The connection's number, as rdma:connections lists it")
        long connection;

        @Label("Mount")
        @Description("What the connection is for: a mount's name, where it is one's")
        String mount;

        @Label("Call")
        @Description("The call's number within its connection and direction; the same in all stages")
        long call;

        @Label("XID")
        @Description("As on the wire; none before the call is encoded")
        String xid;

        @Label("Procedure")
        int procedure;

        final void of(RequesterOwner owner, PendingCall<?> of) {
            connection = owner.connectionId();
            mount = owner.label();
            call = of.sequence;
            procedure = of.message().procedure();
            int known = of.message().xid();
            xid = known == 0 ? null : Hex.of(known);
        }
    }

    @Name("io.verbena.rpc.Queued")
    @Label("RPC queued")
    @Description("A call was made, and waits for a credit where there is none")
    static final class Queued extends Stage {
        @Label("Call octets")
        @DataAmount
        long octets;

        @Label("Largest reply")
        @DataAmount
        long maxReply;
    }

    @Name("io.verbena.rpc.Registered")
    @Label("RPC registered")
    @Description("Memory was opened to the peer for a call")
    static final class Registered extends Stage {
        @Label("Regions")
        int regions;

        @Label("Octets to read")
        @DataAmount
        long toRead;

        @Label("Octets to write")
        @DataAmount
        long toWrite;
    }

    @Name("io.verbena.rpc.Sent")
    @Label("RPC sent")
    @Description("A call is posted")
    static final class Sent extends Stage {
        @Label("Octets of the Send")
        @DataAmount
        long octets;

        @Label("Version")
        int version;

        @Label("Sent again")
        boolean again;

        @Label("Waited")
        @Timespan(Timespan.NANOSECONDS)
        long waited;
    }

    @Name("io.verbena.rpc.Replied")
    @Label("RPC replied")
    @Description("A reply has come")
    static final class Replied extends Stage {
        @Label("Octets of the Send")
        @DataAmount
        long octets;

        @Label("Round trip")
        @Timespan(Timespan.NANOSECONDS)
        long roundTrip;
    }

    @Name("io.verbena.rpc.Completed")
    @Label("RPC completed")
    @Description("A call has ended")
    static final class Completed extends Stage {
        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("Failure")
        String failure;
    }

    static void queued(RequesterOwner owner, PendingCall<?> call) {
        Queued event = new Queued();
        if (event.isEnabled()) {
            event.of(owner, call);
            event.xid = null; // an XID that is set is of an earlier use of the writer
            event.octets = call.message().message().fullSize();
            event.maxReply = call.message().maxReplySize();
            event.commit();
        }
    }

    static void sent(RequesterOwner owner, PendingCall<?> call, CallSlot slot, int length, long exposed) {
        if (slot.memory.regions() > 0) {
            registered(owner, call, slot, exposed);
        }
        Sent event = new Sent();
        if (event.isEnabled()) {
            event.of(owner, call);
            event.octets = length;
            event.version = call.connection.framing().version();
            event.again = call.transmitted;
            event.waited = call.sentNanos - call.madeNanos;
            event.commit();
        }
    }

    private static void registered(RequesterOwner owner, PendingCall<?> call, CallSlot slot, long exposed) {
        Registered event = new Registered();
        if (event.isEnabled()) {
            event.of(owner, call);
            event.regions = slot.memory.regions();
            event.toRead = exposed;
            event.toWrite = offered(slot.header);
            event.commit();
        }
    }

    private static long offered(TransportHeader header) {
        long octets = header.replyChunk().totalLength();
        for (int i = 0; i < header.writeList().size(); i++) {
            SegmentList chunk = header.writeList().chunk(i);
            octets += chunk.totalLength();
        }
        return octets;
    }

    static void replied(RequesterOwner owner, PendingCall<?> call, ReceivedMessage received, Runtime runtime) {
        Replied event = new Replied();
        if (event.isEnabled()) {
            event.of(owner, call);
            event.octets = received.length();
            event.roundTrip = runtime.nanoTime() - call.sentNanos;
            event.commit();
        }
    }

    static void completed(RequesterOwner owner, PendingCall<?> call, Throwable failure, Runtime runtime) {
        Completed event = new Completed();
        if (event.isEnabled()) {
            event.of(owner, call);
            event.took = runtime.nanoTime() - call.madeNanos;
            event.failure = failure == null ? null : failure.toString();
            event.commit();
        }
    }
}
