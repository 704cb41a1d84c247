package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.FileHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The delegations of a mount by file handle. Those of files that are not open are kept in the order of their last use.
 * Thread safe.
 */
final class DelegationTable {
    private final int maxIdle;

    @GuardedBy("this")
    private final Map<FileHandle, Delegation> byHandle = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Map<String, Delegation> byPath = new HashMap<>();

    @GuardedBy("this")
    private final Map<FileHandle, Delegation> idle = new LinkedHashMap<>();

    /**
     * @param maxIdle how many are kept of files that are not open
     */
    DelegationTable(int maxIdle) {
        this.maxIdle = maxIdle;
    }

    synchronized Delegation of(FileHandle handle) {
        return byHandle.get(handle);
    }

    /** The delegation of the file that this path led to at the grant; the path may lead to another file by now. */
    synchronized Delegation at(String path) {
        return byPath.get(path);
    }

    synchronized void add(Delegation delegation) {
        byHandle.put(delegation.handle(), delegation);
        byPath.put(delegation.path(), delegation);
    }

    synchronized void remove(Delegation delegation) {
        byHandle.remove(delegation.handle(), delegation);
        byPath.remove(delegation.path(), delegation);
        idle.remove(delegation.handle(), delegation);
    }

    /** The file was opened. */
    synchronized void used(Delegation delegation) {
        idle.remove(delegation.handle());
    }

    /**
     * The file is open no more.
     *
     * @return those that are too many
     */
    synchronized List<Delegation> unused(Delegation delegation) {
        if (byHandle.get(delegation.handle()) == delegation) {
            idle.remove(delegation.handle());
            idle.put(delegation.handle(), delegation);
        }
        List<Delegation> eldest = new ArrayList<>(idle.values());
        return eldest.subList(0, Math.max(0, eldest.size() - maxIdle));
    }

    /** All delegations, the least recently used first. */
    synchronized List<Delegation> all() {
        List<Delegation> all = new ArrayList<>(idle.values());
        for (Delegation each : byHandle.values()) {
            if (!idle.containsKey(each.handle())) {
                all.add(each);
            }
        }
        return all;
    }

    synchronized int size() {
        return byHandle.size();
    }
}
