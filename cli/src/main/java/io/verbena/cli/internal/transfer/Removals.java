package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes away what stands in the way of a copy, or what its source does not have. What the filter leaves out stays, and so
 * does every directory that it is in. Used by one thread.
 */
final class Removals {
    /** What is done with a file, or with a directory in which nothing is left. */
    @FunctionalInterface
    interface Action {
        void on(Location what) throws IOException;
    }

    private final NameFilter filter;
    private final Action action;
    private long count;

    Removals(NameFilter filter, Action action) {
        this.filter = filter;
        this.action = action;
    }

    /** Files and directories so far. */
    long count() {
        return count;
    }

    void remove(CopyPlan.Removal removal) throws IOException, InterruptedException {
        remove(removal.what(), removal.isDirectory(), removal.path());
    }

    /** What is in it first; returns whether nothing is left of it. */
    private boolean remove(Location what, boolean isDirectory, String path) throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        boolean isEmpty = true;
        if (isDirectory) {
            List<Unlisted> unlisted = new ArrayList<>();
            List<Node> children = what.list(unlisted);
            if (!unlisted.isEmpty()) {
                throw unlisted.get(0).failure().cause();
            }
            for (Node child : children) {
                String childPath = path + "/" + child.name();
                isEmpty &= filter.takes(childPath, child.isDirectory())
                        && remove(what.child(child.name()), child.isDirectory(), childPath);
            }
        }
        if (isEmpty) {
            action.on(what);
            count++;
        }
        return isEmpty;
    }
}
