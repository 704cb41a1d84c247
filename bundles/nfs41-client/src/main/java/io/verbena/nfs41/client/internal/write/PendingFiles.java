package io.verbena.nfs41.client.internal.write;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The write-backs of a mount that may be pending. A look at them costs nothing for open files that are at rest, however
 * many there are. Thread safe; its methods may be called within the monitor of a {@link WriteBack}.
 */
public final class PendingFiles {
    private final Set<WriteBack> files = ConcurrentHashMap.newKeySet();

    void add(WriteBack file) {
        files.add(file);
    }

    /** The last open of a file is closed: nobody waits for its writes any more. */
    public void remove(WriteBack file) {
        files.remove(file);
    }

    /** The files that are pending now: see {@link WriteBack#isPending}. */
    public List<WriteBack> all() {
        return files.stream().filter(WriteBack::staysListed).toList();
    }

    /** Whether any file is pending. */
    public boolean isAny() {
        return files.stream().anyMatch(WriteBack::staysListed);
    }
}
