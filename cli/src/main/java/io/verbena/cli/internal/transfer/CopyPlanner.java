package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Plans by the rules of {@code cp -r}: into a target that is a directory, else as the target; a synchronisation makes the
 * target itself like the source.
 */
final class CopyPlanner {
    private final CopyPlan plan;
    private final CopyOptions options;

    CopyPlanner(CopyPlan plan, CopyOptions options) {
        this.plan = plan;
        this.options = options;
    }

    void copy(List<Location> sources, Location target) throws IOException, InterruptedException {
        Optional<Node> there = target.find(true);
        plan.setTargetThere(there.isPresent());
        boolean intoDirectory = there.isPresent() && there.get().isDirectory();
        if (!intoDirectory && sources.size() > 1) {
            throw there.isPresent()
                    ? new IOException(target + ": is no directory, which several sources need")
                    : target.missing();
        }
        Set<String> targets = new HashSet<>();
        for (Location source : sources) {
            try {
                copy(source, target, there, targets);
            } catch (IOException e) {
                if (sources.size() == 1 || Fatal.isFatal(e, source, target)) {
                    throw e;
                }
                plan.fail(Failure.of(source, e));
            }
        }
    }

    /**
     * @param there what is at the target
     * @param targets of the sources before this one; its own is added
     * @throws IllegalArgumentException where it is among them: not one of them is copied then
     */
    private void copy(Location source, Location target, Optional<Node> there, Set<String> targets)
            throws IOException, InterruptedException {
        boolean recursive = options.has(Flag.RECURSIVE);
        boolean intoDirectory = there.isPresent() && there.get().isDirectory();
        Node node = source.find(!recursive || source.isContents() || source.isDirectory())
                .orElseThrow(() -> source.missing());
        if (!intoDirectory && target.isDirectory() && !node.isDirectory()) {
            throw target.missing();
        }
        boolean below = intoDirectory && !source.isContents();
        Location to = below ? target.child(source.name()) : target.resolved();
        if (!source.isContents() && !targets.add(to.toString())) {
            throw new IllegalArgumentException(
                    source + ": another source has that name too, and only one can become " + to);
        }
        if (source.isSame(to)) {
            throw new IOException(source + " and " + to + " are the same file");
        }
        addTop(new CopyPlan.Item(source, node, to, there.isEmpty(), null));
    }

    private void addTop(CopyPlan.Item item) throws IOException, InterruptedException {
        Node node = item.node();
        boolean recursive = options.has(Flag.RECURSIVE);
        if (node.isDirectory()) {
            if (!recursive) {
                throw new IOException(item.from() + ": is a directory; -r copies it with all that is in it");
            }
            new DirectoryWalk(plan, options).walk(item);
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

    void sync(Location source, Location target) throws IOException, InterruptedException {
        Node node = source.find(true).orElseThrow(() -> source.missing());
        if (!node.isDirectory()) {
            throw new IOException(source + ": is no directory, which a synchronisation needs");
        }
        if (source.isSame(target)) {
            throw new IOException(source + " and " + target + " are the same directory");
        }
        if (source.isBelow(target) || target.isBelow(source)) {
            throw new IOException(source + " and " + target + ": one is in the other, so they cannot be alike");
        }
        Location to = target.resolved();
        new DirectoryWalk(plan, options)
                .walk(new CopyPlan.Item(source, node, to, to.find(true).isEmpty(), null));
    }
}
