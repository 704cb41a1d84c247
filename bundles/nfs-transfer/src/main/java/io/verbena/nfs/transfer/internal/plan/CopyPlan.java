package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The work of a copy. All sources are read before anything is written, so that the amount of work is known and a copy
 * into its own source ends. The plan needs about 150 octets of memory per file. The plan holds names and attributes.
 * The path of a file is created when the file is copied. A {@link CopyPlanner} fills the plan.
 */
public final class CopyPlan {
    /**
     * One file to copy.
     *
     * @param from the path of the source
     * @param node the attributes of the source
     * @param to the path of the target
     * @param isFresh whether this copy creates the file's directory, so that the place of the file is empty
     * @param obstacle the object of another type in the place of the file, which may be removed; or null
     */
    public record Item(TreePath from, FileEntry node, TreePath to, boolean isFresh, Removal obstacle) {}

    /** Creates paths only when they are requested. A stream would create the paths of a whole directory at once. */
    private final class Items implements Iterator<Item> {
        private int single;
        private int directory;
        private int file;

        @Override
        public boolean hasNext() {
            if (single < singles.size()) {
                return true;
            }
            while (directory < directories.size()
                    && (file >= directories.get(directory).files.size()
                            || directories.get(directory).isLost())) {
                directory++;
                file = 0;
            }
            return directory < directories.size();
        }

        @Override
        public Item next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return single < singles.size()
                    ? singles.get(single++)
                    : directories.get(directory).item(file++);
        }
    }

    private final List<PlannedDirectory> directories = new ArrayList<>();
    private final List<Item> singles = new ArrayList<>();
    private final List<Removal> surplus = new ArrayList<>();
    private final List<TreePath> withParts = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();
    private final List<CopyFailure> failures = new ArrayList<>();
    private final HardLinks hardLinks;
    private long files;
    private long octets;
    private long unchanged;
    private boolean isTargetThere = true;

    private CopyPlan(CopyOptions options) {
        this.hardLinks = new HardLinks(options.has(Flag.HARD_LINKS));
    }

    public static CopyPlan of(List<TreePath> sources, TreePath target, CopyOptions options)
            throws IOException, InterruptedException {
        CopyPlan plan = new CopyPlan(options);
        CopyPlanner planner = new CopyPlanner(plan, options);
        if (options.has(Flag.SYNC)) {
            planner.sync(sources.get(0), target);
        } else {
            planner.copy(sources, target);
        }
        return plan;
    }

    /** Returns the directories to create if they do not exist, parents first. */
    public List<PlannedDirectory> directories() {
        return directories;
    }

    /** Returns an iterator over the regular files and symbolic links. */
    public Iterator<Item> files() {
        return new Items();
    }

    /**
     * Returns the regular files and symbolic links that are themselves sources, and not entries of a source directory.
     */
    public List<Item> singles() {
        return singles;
    }

    /** Returns whether the copy consists of exactly one file that is named as a source. */
    public boolean isSingleFile() {
        return singles.size() == 1 && directories.isEmpty() && failures.isEmpty();
    }

    /**
     * Returns whether this copy creates the target as a directory. If the same copy is run again, it copies into that
     * directory.
     */
    public boolean makesTarget() {
        return !isTargetThere && !directories.isEmpty();
    }

    public long fileCount() {
        return files;
    }

    /** Returns the total size of the regular files in octets. */
    public long octets() {
        return octets;
    }

    /** Returns the objects that are not files, directories or symbolic links. */
    public List<String> skipped() {
        return skipped;
    }

    /** Returns the further names of files that have several names. */
    public HardLinks hardLinks() {
        return hardLinks;
    }

    /**
     * Returns the failures: sources that cannot be copied, entries that cannot be read, and directories that cannot be
     * listed.
     */
    public List<CopyFailure> failures() {
        return failures;
    }

    /**
     * Returns the number of files that are already equal in the target, according to the attributes from the listings.
     */
    public long unchanged() {
        return unchanged;
    }

    /** Returns the directories of the target that contain temporary files. */
    public List<TreePath> withParts() {
        return withParts;
    }

    /** Returns the objects that the source does not have, parents first. */
    public List<Removal> surplus() {
        return surplus;
    }

    public void setTargetThere(boolean isThere) {
        isTargetThere = isThere;
    }

    /** Adds a file that is itself a source. */
    public void add(Item item) {
        count(item.node());
        singles.add(item);
    }

    /** Adds a file of a directory. */
    public void add(PlannedDirectory directory, FileEntry node) {
        count(node);
        directory.files.add(node);
    }

    private void count(FileEntry node) {
        files++;
        octets += node.isRegularFile() ? node.size() : 0;
    }

    public void skip(TreePath special) {
        skipped.add(special.toString());
    }

    public void fail(CopyFailure failure) {
        failures.add(failure);
    }

    public void leave() {
        unchanged++;
    }
}
