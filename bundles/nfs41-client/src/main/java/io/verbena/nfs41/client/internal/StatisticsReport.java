package io.verbena.nfs41.client.internal;

import io.verbena.nfs.MountStatistics;
import java.time.Instant;
import java.util.Optional;

/** Takes a look at what a mount does. */
final class StatisticsReport {
    private final Engine engine;

    StatisticsReport(Engine engine) {
        this.engine = engine;
    }

    MountStatistics now() {
        Meters meters = engine.meters();
        Session session = engine.sessions().present();
        Swaps.Past past = engine.past();
        return new MountStatistics(
                meters.since(),
                Instant.now(),
                meters.snapshot(),
                session == null ? "" : session.name(),
                Optional.ofNullable(session).map(Session::since),
                session == null ? 0 : session.slots().limit(),
                session == null ? 0 : session.slots().inUse(),
                session == null ? 0 : session.slots().waiting(),
                meters.sessionsLost(),
                meters.reconnects(),
                past.swaps(),
                past.replayed(),
                engine.opens().size(),
                engine.delegations().size());
    }
}
