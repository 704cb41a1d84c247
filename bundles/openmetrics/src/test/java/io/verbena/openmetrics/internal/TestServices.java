package io.verbena.openmetrics.internal;

import io.verbena.memory.MemoryBudget;
import io.verbena.nfs.Mount;
import io.verbena.rpcrdma.ConnectionMonitor;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Services for tests, which come and go. The last mount comes first. */
final class TestServices implements Figures.Services {
    private final List<Mount> mounts = new CopyOnWriteArrayList<>();
    private Optional<ConnectionMonitor> monitor = Optional.empty();
    private Optional<MemoryBudget> memory = Optional.empty();

    void add(Mount mount) {
        mounts.add(0, mount);
    }

    void remove(Mount mount) {
        mounts.remove(mount);
    }

    void setMonitor(ConnectionMonitor monitor) {
        this.monitor = Optional.ofNullable(monitor);
    }

    void setMemory(MemoryBudget memory) {
        this.memory = Optional.ofNullable(memory);
    }

    @Override
    public List<Mount> mounts() {
        return mounts;
    }

    @Override
    public Optional<ConnectionMonitor> monitor() {
        return monitor;
    }

    @Override
    public Optional<MemoryBudget> memory() {
        return memory;
    }
}
