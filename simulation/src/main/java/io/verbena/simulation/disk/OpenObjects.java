package io.verbena.simulation.disk;

import java.util.List;
import java.util.TreeMap;

/** Counts the open references and channels of each object, and knows the open objects that have no name. */
final class OpenObjects {
    private final TreeMap<Long, Inode> unnamed = new TreeMap<>();
    private int run;
    private int open;

    /** How many references and channels the present process has open. */
    int count() {
        return open;
    }

    void opened(Inode inode) {
        if (inode.run != run) {
            inode.run = run;
            inode.opens = 0;
        }
        inode.opens++;
        open++;
    }

    /**
     * Called when a reference or a channel of the present process is closed.
     *
     * @return whether the object is to be freed
     */
    boolean closed(Inode inode) {
        inode.opens--;
        open--;
        return inode.opens == 0 && unnamed.remove(inode.number) != null;
    }

    /**
     * Called when an object has lost its last name.
     *
     * @return whether the object is to be freed
     */
    boolean lostItsName(Inode inode) {
        boolean isOpen = inode.run == run && inode.opens > 0;
        if (isOpen) {
            unnamed.put(inode.number, inode);
        }
        return !isOpen;
    }

    /** Ends the process. Returns the objects that are to be freed. */
    List<Inode> end() {
        run++;
        open = 0;
        List<Inode> all = List.copyOf(unnamed.values());
        unnamed.clear();
        return all;
    }
}
