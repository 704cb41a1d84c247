package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.OptionException;
import io.verbena.nfs.transfer.internal.tree.FatalFailures;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Plans a copy by the rules of {@code cp -r}. If the target is a directory, the sources are copied into it. Otherwise
 * the source is copied as the target. A synchronisation makes the target itself like the source.
 */
final class CopyPlanner {
    private final CopyPlan plan;
    private final CopyOptions options;

    CopyPlanner(CopyPlan plan, CopyOptions options) {
        this.plan = plan;
        this.options = options;
    }

    void copy(List<TreePath> sources, TreePath target) throws IOException, InterruptedException {
        Optional<FileEntry> there = target.find(true);
        plan.setTargetThere(there.isPresent());
        boolean intoDirectory = there.isPresent() && there.get().isDirectory();
        if (!intoDirectory && sources.size() > 1) {
            throw there.isPresent()
                    ? new IOException(target + ": is no directory, which several sources need")
                    : target.missing();
        }
        Set<String> targets = new HashSet<>();
        for (TreePath source : sources) {
            try {
                copy(source, target, there, targets);
            } catch (IOException e) {
                if (sources.size() == 1 || FatalFailures.isFatal(e, source, target)) {
                    throw e;
                }
                plan.fail(source.failure(e));
            }
        }
    }

    /**
     * Plans the copy of one source.
     *
     * @param there the object at the target
     * @param targets the targets of the earlier sources; the target of this source is added
     * @throws IllegalArgumentException if the target is already in the set; no source is copied then
     */
    private void copy(TreePath source, TreePath target, Optional<FileEntry> there, Set<String> targets)
            throws IOException, InterruptedException {
        boolean recursive = options.has(Flag.RECURSIVE);
        boolean intoDirectory = there.isPresent() && there.get().isDirectory();
        FileEntry node = source.find(!recursive || source.isContents() || source.isDirectory())
                .orElseThrow(() -> source.missing());
        if (!intoDirectory && target.isDirectory() && !node.isDirectory()) {
            throw target.missing();
        }
        boolean below = intoDirectory && !source.isContents();
        TreePath to = below ? target.child(source.name()) : target.resolved();
        if (!source.isContents() && !targets.add(to.toString())) {
            throw new IllegalArgumentException(
                    source + ": another source has that name too, and only one can become " + to);
        }
        if (source.isSame(to)) {
            throw new IOException(source + " and " + to + " are the same file");
        }
        if (node.isDirectory() && to.isBelow(source)) {
            throw new IOException(source + ": cannot be copied into itself, as " + to);
        }
        addTop(new CopyPlan.Item(source, node, to, there.isEmpty(), null));
    }

    private void addTop(CopyPlan.Item item) throws IOException, InterruptedException {
        FileEntry node = item.node();
        boolean recursive = options.has(Flag.RECURSIVE);
        if (node.isDirectory()) {
            if (!recursive) {
                throw new OptionException(item.from().toString(), "is a directory", Flag.RECURSIVE, null);
            }
            new DirectoryWalk(plan, options).walk(item);
        } else if (options.selection().names().isPresent()) {
            throw new IOException(item.from() + ": is no directory, which a list of names needs");
        } else if (!Selection.of(options).takes(node)) {
            return;
        } else if (node.isRegularFile() || node.isSymbolicLink()) {
            if (!plan.hardLinks().add(item)) {
                plan.add(item);
            }
        } else if (recursive) {
            plan.skip(item.from());
        } else {
            throw new IOException(item.from() + ": is no regular file");
        }
    }

    void sync(TreePath source, TreePath target) throws IOException, InterruptedException {
        FileEntry node = source.find(true).orElseThrow(() -> source.missing());
        if (!node.isDirectory()) {
            throw new IOException(source + ": is no directory, which a synchronisation needs");
        }
        if (source.isSame(target)) {
            throw new IOException(source + " and " + target + " are the same directory");
        }
        if (source.isBelow(target) || target.isBelow(source)) {
            throw new IOException(source + " and " + target + ": one is in the other, so they cannot be alike");
        }
        TreePath to = target.resolved();
        new DirectoryWalk(plan, options)
                .walk(new CopyPlan.Item(source, node, to, to.find(true).isEmpty(), null));
    }
}
