package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.metrics.Distribution;
import io.verbena.metrics.DurationRecorder;
import java.util.LinkedHashMap;
import java.util.Map;

/** How long the calls of one requester take. Thread safe. */
public final class CallTimes {
    private final DurationRecorder roundTrip = new DurationRecorder();
    private final DurationRecorder waiting = new DurationRecorder();

    /** A call was sent for the first time, this long after it was made. */
    void sent(long nanosSinceMade) {
        waiting.record(nanosSinceMade);
    }

    /** The reply came, this long after the call was sent the last time. */
    void replied(long nanosSinceSent) {
        roundTrip.record(nanosSinceSent);
    }

    public Map<String, Distribution> snapshot() {
        Map<String, Distribution> all = new LinkedHashMap<>();
        all.put("roundTrip", roundTrip.snapshot());
        all.put("waiting", waiting.snapshot());
        return all;
    }
}
