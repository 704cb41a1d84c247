package io.verbena.management.internal;

import io.verbena.management.MountMXBean;
import io.verbena.management.OperationFigures;
import io.verbena.nfs.Mount;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A mount as JMX shows it. */
final class MountBean implements MountMXBean {
    private final Mount mount;

    MountBean(Mount mount) {
        this.mount = mount;
    }

    @Override
    public String getName() {
        return mount.name();
    }

    @Override
    public String getSource() {
        return mount.source();
    }

    @Override
    public String getState() {
        return mount.state().name();
    }

    @Override
    public String getFailure() {
        return mount.failure().map(Throwable::getMessage).orElse(null);
    }

    @Override
    public Map<String, String> getSettings() {
        return mount.settings();
    }

    @Override
    public String getSince() {
        return mount.statistics().since().toString();
    }

    @Override
    public List<OperationFigures> getOperations() {
        var statistics = mount.statistics();
        return Stream.concat(statistics.operations().stream(), Stream.of(statistics.total()))
                .<OperationFigures>map(Operation::new)
                .toList();
    }

    @Override
    public int getSlotsGranted() {
        return mount.statistics().slotsGranted();
    }

    @Override
    public int getSlotsInUse() {
        return mount.statistics().slotsInUse();
    }

    @Override
    public int getSlotsWaiting() {
        return mount.statistics().slotsWaiting();
    }

    @Override
    public String getSession() {
        return mount.statistics().session();
    }

    @Override
    public long getSessionsLost() {
        return mount.statistics().sessionsLost();
    }

    @Override
    public long getReconnects() {
        return mount.statistics().reconnects();
    }

    @Override
    public long getSwaps() {
        return mount.statistics().swaps();
    }

    @Override
    public long getReplayedRequests() {
        return mount.statistics().replayed();
    }

    @Override
    public int getOpenFiles() {
        return mount.statistics().openFiles();
    }

    @Override
    public int getDelegations() {
        return mount.statistics().delegations();
    }
}
