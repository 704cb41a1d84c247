package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import io.verbena.nfs.transfer.internal.plan.PlannedDirectory;
import io.verbena.nfs.transfer.internal.plan.Removal;
import io.verbena.nfs.transfer.internal.plan.Selection;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits how many objects a copy removes. The objects are counted before the copy changes anything, and again as they
 * are removed. Belongs to the thread that runs the copy.
 */
public final class RemovalLimit {
    private final Selection selection;
    private final long most;

    public RemovalLimit(CopyOptions options) {
        this.selection = Selection.of(options);
        this.most = options.maxRemovals();
    }

    /** Returns removals that are not more than the limit. */
    public Removals removals(Removals.Action action) {
        return new Removals(selection, action, most);
    }

    /**
     * Throws if a copy would remove more than the limit. A plan with failures removes nothing.
     *
     * @param target the target of the copy, which the failure names
     */
    public void check(CopyPlan plan, TreePath target) throws IOException, InterruptedException {
        if (most == Long.MAX_VALUE || !plan.failures().isEmpty()) {
            return;
        }
        List<Removal> all = new ArrayList<>(plan.surplus());
        plan.directories().forEach(directory -> addObstacles(directory, all));
        Removals counting = new Removals(selection, (what, node, directory) -> {}, Long.MAX_VALUE);
        for (Removal removal : all) {
            counting.remove(removal, failure -> {}); // what cannot be read cannot be removed
        }
        if (counting.count() > most) {
            String what = counting.count() == 1 ? " file or directory" : " files and directories";
            throw new IOException(target + ": " + counting.count() + what + " would be removed, and the limit is "
                    + most + ": nothing was changed");
        }
    }

    private static void addObstacles(PlannedDirectory directory, List<Removal> all) {
        if (directory.obstacle != null) {
            all.add(directory.obstacle);
        }
        all.addAll(directory.obstacles());
    }
}
