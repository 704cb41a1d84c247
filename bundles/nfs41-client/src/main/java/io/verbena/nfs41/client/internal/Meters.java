package io.verbena.nfs41.client.internal;

import io.verbena.nfs.OperationStatistics;
import io.verbena.nfs41.Opcode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Measures a mount's requests, and counts what happens to it, since it was made. Thread safe. */
final class Meters {
    /** What leaves everything as it is, where a request is made for it. */
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

    private final Instant since = Instant.now();
    private final AtomicReferenceArray<Meter> byOpcode = new AtomicReferenceArray<>(Opcode.RECLAIM_COMPLETE + 1);
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong sessionsLost = new AtomicLong();

    /** That of an operation, made where it is the first of them. */
    Meter of(int opcode) {
        Meter present = byOpcode.get(opcode);
        if (present == null) {
            byOpcode.compareAndSet(opcode, null, new Meter());
            present = byOpcode.get(opcode);
        }
        return present;
    }

    /** A connection stands. */
    void connected() {
        connections.incrementAndGet();
    }

    /** The server has given up a session. */
    void sessionLost() {
        sessionsLost.incrementAndGet();
    }

    Instant since() {
        return since;
    }

    long reconnects() {
        return Math.max(0, connections.get() - 1);
    }

    long sessionsLost() {
        return sessionsLost.get();
    }

    /** How many requests have ended that may have changed something: reading changes the time of the last access. */
    long changes() {
        long changes = 0;
        for (int opcode = 0; opcode < byOpcode.length(); opcode++) {
            Meter meter = LOOKING.contains(opcode) ? null : byOpcode.get(opcode);
            changes += meter == null ? 0 : meter.count();
        }
        return changes;
    }

    /** The operations that there have been, by name. */
    List<OperationStatistics> snapshot() {
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
