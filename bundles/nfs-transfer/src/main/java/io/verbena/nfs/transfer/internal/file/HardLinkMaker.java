package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import io.verbena.nfs.transfer.internal.plan.HardLinks;
import io.verbena.nfs.transfer.internal.tree.FatalFailures;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.nfs.transfer.walk.FileKey;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Creates hard links to files that have been copied by another of their names. Belongs to one thread. */
public final class HardLinkMaker {
    private final CopyOptions options;
    private final CopyCounters progress;
    private final TypeConflicts obstacles;
    private long made;

    public HardLinkMaker(CopyOptions options, CopyCounters progress, TypeConflicts obstacles) {
        this.options = options;
        this.obstacles = obstacles;
        this.progress = progress;
    }

    /** Returns the number of hard links that were created. Hard links that already existed do not count. */
    public long made() {
        return made;
    }

    /**
     * Creates the hard links. A failed link does not stop the other links.
     *
     * @param before the failures of the files
     * @param failures receives the failures of the links
     */
    public void make(List<HardLinks.Link> links, Collection<CopyFailure> before, Consumer<CopyFailure> failures)
            throws IOException, InterruptedException {
        Set<String> lost = before.stream().map(CopyFailure::path).collect(Collectors.toSet());
        for (HardLinks.Link link : links) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            TreePath from = link.item().from();
            try {
                if (lost.contains(link.first().from().toString())) {
                    throw new IOException(
                            from + ": is a hard link to " + link.first().from() + ", which could not be copied");
                }
                make(link.item(), link.first().to());
            } catch (IOException e) {
                if (FatalFailures.isFatal(e, from, link.item().to())) {
                    throw e;
                }
                failures.accept(from.failure(e));
            }
        }
    }

    /**
     * Reports the hard links that would be created, and changes nothing.
     *
     * @param removals reports the objects that would be removed
     * @param failures receives the failures of the links that would fail
     */
    public void rehearse(
            List<HardLinks.Link> links, Removals removals, Consumer<CopyFailure> failures, Consumer<HardLinks.Link> out)
            throws IOException, InterruptedException {
        for (HardLinks.Link link : links) {
            CopyPlan.Item item = link.item();
            try {
                Optional<FileEntry> there =
                        item.isFresh() ? Optional.empty() : item.to().find(false);
                if (there.isPresent() && isSameFile(there.get(), link.first().to())) {
                    progress.leave(0);
                    continue;
                }
                if (there.isPresent() && (there.get().isDirectory() || item.obstacle() != null)) {
                    obstacles.check(item, there.get());
                    removals.remove(item.obstacle(), failures);
                }
                out.accept(link);
                made++;
            } catch (IOException e) {
                if (FatalFailures.isFatal(e, item.from(), item.to())) {
                    throw e;
                }
                failures.accept(item.from().failure(e));
            }
        }
    }

    private static boolean isSameFile(FileEntry there, TreePath existing) throws IOException {
        FileKey key = there.key();
        return key != null
                && existing.find(false).filter(node -> key.equals(node.key())).isPresent();
    }

    private void make(CopyPlan.Item item, TreePath existing) throws IOException, InterruptedException {
        TreePath to = item.to();
        Optional<FileEntry> there = to.find(false); // another process may have created the directory meanwhile
        if (there.isEmpty()) {
            to.createLink(existing);
            made++;
            return;
        }
        if (there.get().isDirectory()) {
            obstacles.check(item, there.get());
        }
        if (isSameFile(there.get(), existing)) {
            progress.leave(0);
            return;
        }
        if (!options.has(Flag.FORCE) && there.get().isRegularFile()) {
            to.checkMayWrite();
        }
        obstacles.replace(item, link -> link.createLink(existing));
        made++;
    }
}
