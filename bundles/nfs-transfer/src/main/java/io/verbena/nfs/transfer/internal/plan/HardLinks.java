package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.walk.FileKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds further names of files that the plan already contains under another name. Belongs to one thread. */
public final class HardLinks {
    /**
     * A further name of a file that is copied.
     *
     * @param item the source and the target of the further name
     * @param first the item that copies the file
     */
    public record Link(CopyPlan.Item item, CopyPlan.Item first) {}

    private final boolean areKept;
    private final Map<FileKey, CopyPlan.Item> firsts = new HashMap<>();
    private final List<Link> links = new ArrayList<>();
    private long separated;

    /**
     * Creates an empty set.
     *
     * @param areKept whether further names become hard links to one file; otherwise each becomes a separate file
     */
    public HardLinks(boolean areKept) {
        this.areKept = areKept;
    }

    /**
     * Adds a name.
     *
     * @return whether the name is only to be linked to the copy of another name of its file
     */
    public boolean add(CopyPlan.Item item) {
        FileKey key = item.node().key();
        CopyPlan.Item first = key == null ? null : firsts.putIfAbsent(key, item);
        if (first == null) {
            return false;
        }
        if (areKept) {
            links.add(new Link(item, first));
        } else {
            separated++;
        }
        return areKept;
    }

    /** Returns the further names to create as hard links after their files are copied. */
    public List<Link> links() {
        return links;
    }

    /** Returns the number of further names that are copied as separate files. */
    public long separated() {
        return separated;
    }
}
