package io.verbena.nfs41.client.internal.figures;

import io.verbena.nfs.OperationStatistics;
import io.verbena.nfs41.Opcode;
import io.verbena.runtime.Runtime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The meters of a mount, by operation, and its counters, since the mount was made. Thread safe. */
public final class Meters {
    /** The operations that change nothing on the server. */
    private static final Set<Integer> LOOKING = Set.of(
            Opcode.SEQUENCE,
            Opcode.PUTFH,
            Opcode.PUTROOTFH,
            Opcode.GETFH,
            Opcode.GETATTR,
            Opcode.LOOKUP,
            Opcode.LOOKUPP,
            Opcode.ACCESS,
            Opcode.READDIR);

    private final Instant since;
    private final AtomicReferenceArray<Meter> byOpcode = new AtomicReferenceArray<>(Opcode.RECLAIM_COMPLETE + 1);
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong sessionsLost = new AtomicLong();

    public Meters(Runtime runtime) {
        this.since = runtime.now();
    }

    /** The meter of an operation, made at its first use. */
    Meter of(int opcode) {
        Meter present = byOpcode.get(opcode);
        if (present == null) {
            byOpcode.compareAndSet(opcode, null, new Meter());
            present = byOpcode.get(opcode);
        }
        return present;
    }

    /** A connection was made. */
    public void connected() {
        connections.incrementAndGet();
    }

    /** The server has given up a session. */
    public void sessionLost() {
        sessionsLost.incrementAndGet();
    }

    /** When the mount was made. */
    public Instant since() {
        return since;
    }

    public long reconnects() {
        return Math.max(0, connections.get() - 1);
    }

    public long sessionsLost() {
        return sessionsLost.get();
    }

    /**
     * The number of ended requests that may have changed something. READ counts: it changes the time of the last
     * access.
     */
    public long changes() {
        long changes = 0;
        for (int opcode = 0; opcode < byOpcode.length(); opcode++) {
            Meter meter = LOOKING.contains(opcode) ? null : byOpcode.get(opcode);
            changes += meter == null ? 0 : meter.count();
        }
        return changes;
    }

    /** The statistics of all operations so far, by name. */
    public List<OperationStatistics> snapshot() {
        List<OperationStatistics> all = new ArrayList<>();
        for (int opcode = 0; opcode < byOpcode.length(); opcode++) {
            Meter meter = byOpcode.get(opcode);
            if (meter != null) {
                all.add(meter.snapshot(Opcode.name(opcode)));
            }
        }
        all.sort(Comparator.comparing(OperationStatistics::operation));
        return all;
    }
}
