package io.verbena.nfs41.client.internal.mount;

import io.verbena.nfs.MountStatistics;
import io.verbena.nfs41.client.internal.figures.Meters;
import io.verbena.nfs41.client.internal.figures.SwapRecorder;
import io.verbena.nfs41.client.internal.session.Session;
import java.util.Optional;

/** Collects the statistics of a mount. */
final class StatisticsReport {
    private final MountAssembly assembly;

    StatisticsReport(MountAssembly assembly) {
        this.assembly = assembly;
    }

    MountStatistics now() {
        Meters meters = assembly.meters();
        Session session = assembly.sessions().present();
        SwapRecorder.Past past = assembly.past();
        return new MountStatistics(
                meters.since(),
                assembly.caller().runtime().now(),
                meters.snapshot(),
                session == null ? "" : session.name(),
                Optional.ofNullable(session).map(Session::since),
                slotsOf(session),
                session == null ? 0 : session.slots().inUse(),
                session == null ? 0 : session.slots().waiting(),
                meters.sessionsLost(),
                meters.reconnects(),
                past.swaps(),
                past.replayed(),
                assembly.opens().size(),
                assembly.delegations().size());
    }

    int slotsGranted() {
        return slotsOf(assembly.sessions().present());
    }

    private static int slotsOf(Session session) {
        return session == null ? 0 : session.slots().limit();
    }
}
