package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.FileKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which of the names that a copy goes through are further names of files that it has met. For one thread. */
final class HardLinks {
    /**
     * A further name of a file that is copied.
     *
     * @param item with the name that it has, and that it gets
     * @param first the item that the file is copied by
     */
    record Link(CopyPlan.Item item, CopyPlan.Item first) {}

    private final boolean areKept;
    private final Map<FileKey, CopyPlan.Item> firsts = new HashMap<>();
    private final List<Link> links = new ArrayList<>();
    private long separated;

    /**
     * @param areKept whether further names become names of the same file; else each becomes a file of its own
     */
    HardLinks(boolean areKept) {
        this.areKept = areKept;
    }

    /** Whether a name is only to be linked to what another one of its file becomes. */
    boolean add(CopyPlan.Item item) {
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

    /** Further names of files, to be made when these are copied. */
    List<Link> links() {
        return links;
    }

    /** Further names of files that are copied as files of their own. */
    long separated() {
        return separated;
    }
}
