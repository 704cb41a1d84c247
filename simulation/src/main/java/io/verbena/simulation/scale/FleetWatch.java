package io.verbena.simulation.scale;

import io.verbena.simulation.scheduler.Scheduler;
import java.util.List;
import java.util.Map;

/** Looks at the memory and the counters of a fleet again and again, and fails where a budget or a lease is not kept. */
final class FleetWatch {
    private static final long SECOND = 1_000_000_000;
    private static final long OFTEN = SECOND / 10;
    private static final int RARELY = 10;

    private final Scheduler scheduler;
    private final ScaleOptions options;
    private final PerSecond requests = new PerSecond();
    private ScaleServer server;
    private List<ClientProcess> processes = List.of();
    private long serverPeak;
    private long clientPeak;
    private long clients;
    private long compounds;
    private int looks;
    private boolean over;

    FleetWatch(Scheduler scheduler, ScaleOptions options) {
        this.scheduler = scheduler;
        this.options = options;
    }

    void begin(ScaleServer watched, List<ClientProcess> watchedProcesses) {
        server = watched;
        processes = watchedProcesses;
        next();
    }

    private void next() {
        scheduler.after(OFTEN, () -> {
            if (!over) {
                look();
                next();
            }
        });
    }

    private void look() {
        serverPeak = Math.max(serverPeak, server.allocatedBytes());
        if (++looks % RARELY == 0) {
            lookAtClients();
            lookAtServer();
        }
    }

    private void lookAtServer() {
        Map<String, Long> counters = server.counters();
        if (!counters.isEmpty()) {
            long now = counters.get("compounds");
            requests.add(scheduler.now() - SECOND, (int) Math.max(0, now - compounds));
            compounds = now;
            if (counters.get("clients") < clients) {
                scheduler.fail(
                        "the server has " + counters.get("clients") + " clients of " + clients + ": leases were lost");
                clients = 0;
            }
        } else {
            compounds = 0;
        }
    }

    private void lookAtClients() {
        for (ClientProcess each : processes) {
            clientPeak = Math.max(clientPeak, each.memory().allocatedBytes());
        }
        if (serverPeak > options.serverMemory() || clientPeak > options.clientMemory()) {
            scheduler.fail("a budget was exceeded: the server has " + serverPeak + " of " + options.serverMemory()
                    + " octets, a client " + clientPeak + " of " + options.clientMemory());
        }
    }

    /** From now on the server has so many clients at least, or a lease was lost. */
    void expectClients(long least) {
        clients = least;
    }

    /** The COMPOUNDs that the server has answered. */
    PerSecond requests() {
        return requests;
    }

    long serverPeak() {
        return serverPeak;
    }

    long clientPeak() {
        return clientPeak;
    }

    void end() {
        over = true;
    }
}
