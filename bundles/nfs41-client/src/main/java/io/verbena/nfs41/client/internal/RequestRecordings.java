package io.verbena.nfs41.client.internal;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The event of a request's end, off unless a recording turns it on by name. */
final class RequestRecordings {
    private RequestRecordings() {}

    @Name("io.verbena.nfs.Request")
    @Label("NFS request")
    @Description("A COMPOUND in a session has ended; the stages of its call are those of the same XID")
    @Category({"Verbena", "NFS"})
    @Enabled(false)
    @StackTrace(false)
    static final class Ended extends Event {
        @Label("Mount")
        String mount;

        @Label("Operation")
        String operation;

        @Label("Session")
        String session;

        @Label("Slot")
        int slot;

        @Label("XID")
        @Description("Of the last attempt")
        String xid;

        @Label("Attempts")
        int attempts;

        @Label("Octets sent")
        @DataAmount
        long sent;

        @Label("Octets received")
        @DataAmount
        long received;

        @Label("Waited")
        @Description("For a session and a slot")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

        @Label("Round trip")
        @Description("Of the last attempt")
        @Timespan(Timespan.NANOSECONDS)
        long roundTrip;

        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("Failure")
        String failure;
    }

    static void ended(Journey journey, Session session, int slot, Throwable failure) {
        Ended event = new Ended();
        if (!event.isEnabled()) {
            return;
        }
        event.mount = journey.mount();
        event.operation = journey.operation();
        event.session = session == null ? null : session.name();
        event.slot = slot;
        event.xid = journey.xid() == 0 ? null : String.format("0x%08x", journey.xid());
        event.attempts = journey.attempts();
        event.sent = journey.sentOctets();
        event.received = journey.receivedOctets();
        event.waited = journey.waitedNanos();
        event.roundTrip = journey.roundTripNanos();
        event.took = System.nanoTime() - journey.madeNanos();
        event.failure = failure == null ? null : failure.toString();
        event.commit();
    }
}
