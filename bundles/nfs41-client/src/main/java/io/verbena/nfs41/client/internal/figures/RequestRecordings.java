package io.verbena.nfs41.client.internal.figures;

import io.verbena.nfs41.SessionId;
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

    static void ended(RequestTimeline timeline, SessionId session, int slot, Throwable failure) {
        Ended event = new Ended();
        if (!event.isEnabled()) {
            return;
        }
        event.mount = timeline.mount();
        event.operation = timeline.operation();
        event.session = session == null ? null : RequestTimeline.name(session);
        event.slot = slot;
        event.xid = timeline.xid() == 0 ? null : String.format("0x%08x", timeline.xid());
        event.attempts = timeline.attempts();
        event.sent = timeline.sentOctets();
        event.received = timeline.receivedOctets();
        event.waited = timeline.waitedNanos();
        event.roundTrip = timeline.roundTripNanos();
        event.took = timeline.ageNanos();
        event.failure = failure == null ? null : failure.toString();
        event.commit();
    }
}
