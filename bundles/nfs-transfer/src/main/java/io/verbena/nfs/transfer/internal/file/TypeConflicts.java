package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import io.verbena.nfs.transfer.internal.plan.PlannedDirectory;
import io.verbena.nfs.transfer.internal.plan.Removal;
import io.verbena.nfs.transfer.internal.plan.Selection;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves conflicts with objects in the target that have the name of a source object and another type. Such an
 * obstacle is removed when its replacement, a complete file or an empty directory, is ready beside it. If part of the
 * source could not be read, no obstacle is removed. Thread safe.
 */
public final class TypeConflicts {
    /** Creates a directory or a link by a name that only the caller knows. */
    @FunctionalInterface
    public interface Making {
        void at(TreePath hidden) throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(TypeConflicts.class);

    private final Removals removals;
    private final boolean mayGo;
    private final RandomGenerator random;
    private final Backups backups;

    /**
     * Creates a resolver.
     *
     * @param mayGo whether obstacles may be removed at all
     * @param random the source of the names of objects that are renamed over obstacles
     * @param backups keeps the objects that are replaced
     */
    public TypeConflicts(Removals removals, boolean mayGo, RandomGenerator random, Backups backups) {
        this.backups = backups;
        this.random = random;
        this.removals = removals;
        this.mayGo = mayGo;
    }

    /** Returns a resolver for a copy that never replaces an object by one of another type. */
    public static TypeConflicts none(RandomGenerator random) {
        return new TypeConflicts(
                new Removals(Selection.ALL, TreePath::remove, Long.MAX_VALUE), false, random, Backups.NONE);
    }

    /**
     * Throws if an object in the place of a file is neither a file nor a link and cannot be removed. Changes nothing.
     *
     * @param there the object in the place of the file
     */
    public void check(CopyPlan.Item item, FileEntry there) throws IOException, InterruptedException {
        if (there.isRegularFile() || there.isSymbolicLink()) {
            return; // the rename replaces it
        }
        if (item.obstacle() == null) {
            throw refusal(item, there, "");
        }
        if (!mayGo) {
            throw refusal(item, there, ": not all of the source could be read");
        }
        List<CopyFailure> failures = new ArrayList<>();
        if (!removals.leavesNothing(item.obstacle(), failures::add)) {
            String reason = failures.isEmpty()
                    ? "the filter leaves out some of it"
                    : failures.get(0).cause().getMessage();
            throw refusal(item, there, ": " + reason);
        }
    }

    private static IOException refusal(CopyPlan.Item item, FileEntry there, String reason) {
        return new IOException(item.to() + ": is " + (there.isDirectory() ? "a directory" : "no regular file")
                + ", which " + item.from() + " cannot replace" + reason);
    }

    /** Removes the obstacle of a file or link that is ready to be renamed to its final name. */
    public void clear(CopyPlan.Item item) throws IOException, InterruptedException {
        if (item.obstacle() == null) {
            return;
        }
        Optional<FileEntry> there = item.to().find(false);
        if (there.isPresent() && there.get().isDirectory()) {
            check(item, there.get());
            remove(item.obstacle());
        } else if (there.isPresent()) {
            removals.countReplaced(); // the rename replaces it
        }
    }

    private void remove(Removal obstacle) throws IOException, InterruptedException {
        List<CopyFailure> failures = new ArrayList<>();
        if (!removals.remove(obstacle, failures::add)) {
            throw failures.isEmpty()
                    ? new IOException(obstacle.what() + ": cannot be replaced: something was put into it meanwhile")
                    : failures.get(0).cause();
        }
    }

    /** Keeps what has the name of a complete file, if what is replaced is kept. */
    public void keep(CopyPlan.Item item) throws IOException {
        if (!item.isFresh()) {
            backups.keep(item.to());
        }
    }

    /** Replaces an object by a link. */
    public void replace(CopyPlan.Item item, Making making) throws IOException, InterruptedException {
        item.to().removeLeftovers();
        TreePath made = item.to().hiddenSibling(HiddenNames.replacingLink(random));
        try {
            making.at(made);
            clear(item);
            backups.keep(item.to());
            made.renameTo(item.to(), Optional.empty());
        } catch (Throwable e) {
            removeAfter(e, made, item.to());
            throw e;
        }
    }

    /**
     * Creates a directory if its place is empty or holds only its obstacle. A directory that another process has
     * created is accepted.
     */
    public void make(PlannedDirectory directory) throws IOException, InterruptedException {
        if (directory.obstacle != null) {
            replaceFile(directory);
            return;
        }
        try {
            directory.to.createDirectory();
        } catch (IOException e) {
            boolean isThere = e.getCause() instanceof FileAlreadyExistsException
                    && directory.to.find(false).filter(FileEntry::isDirectory).isPresent();
            if (!isThere) {
                throw e;
            }
            directory.setShared();
        }
    }

    private void replaceFile(PlannedDirectory directory) throws IOException, InterruptedException {
        checkMayGo(directory);
        directory.to.removeLeftovers();
        TreePath made = directory.to.hiddenSibling(HiddenNames.replacingDirectory(random));
        try {
            made.createDirectory();
            remove(directory.obstacle);
            made.renameTo(directory.to, Optional.empty());
        } catch (Throwable e) {
            removeAfter(e, made, directory.to);
            throw e;
        }
    }

    /** Throws if the file in the place of a directory must not be removed. */
    public void checkMayGo(PlannedDirectory directory) throws IOException {
        if (!mayGo) {
            throw new IOException(directory.to + ": is no directory, so " + directory.from
                    + " cannot be copied there: not all of the source could be read");
        }
    }

    /**
     * Removes what was made, or leaves the removal to a later copy to the target. A request that an interrupt has given
     * up may create the object only after the removal has failed.
     */
    private static void removeAfter(Throwable failure, TreePath made, TreePath target) {
        if (!made.isReachable()) {
            LOG.warn("{} is left: its server cannot be reached", made.place());
            made.leaveBehind(Optional.empty(), target);
            return;
        }
        CleanUp.run(made::remove).ifPresent(suppressed -> {
            failure.addSuppressed(suppressed);
            made.leaveBehind(Optional.empty(), target);
        });
    }
}
