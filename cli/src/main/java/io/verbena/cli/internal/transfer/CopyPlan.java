package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * What a copy has to do. All of the sources is looked through before anything is written, so that a copy into its own
 * source ends and the work to do is known; that takes some 150 octets of memory a file, as only names and attributes are
 * kept and paths are made when it is a file's turn. A {@link CopyPlanner} makes it.
 */
final class CopyPlan {
    /**
     * One file to copy.
     *
     * @param isFresh whether its directory is made by this copy, so that nothing can be in its place
     * @param obstacle what has its name in the target, is of another kind and may go; or null
     */
    record Item(Location from, Node node, Location to, boolean isFresh, Removal obstacle) {}

    /** Makes paths only when they are asked for: a stream would make those of a whole directory at once. */
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
    private final List<String> skipped = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final HardLinks hardLinks;
    private long files;
    private long octets;
    private long unchanged;
    private boolean isTargetThere = true;

    private CopyPlan(CopyOptions options) {
        this.hardLinks = new HardLinks(options.has(Flag.HARD_LINKS));
    }

    static CopyPlan of(List<Location> sources, Location target, CopyOptions options)
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

    /** Directories to make where they are not there, parents first. */
    List<PlannedDirectory> directories() {
        return directories;
    }

    /** Regular files and symbolic links. */
    Iterator<Item> files() {
        return new Items();
    }

    /** Whether the copy is of one file, by its name, and of nothing else. */
    boolean isSingleFile() {
        return singles.size() == 1 && directories.isEmpty() && failures.isEmpty();
    }

    /** Whether the target becomes a directory by this copy; the same copy would go into that directory the next time. */
    boolean makesTarget() {
        return !isTargetThere && !directories.isEmpty();
    }

    long fileCount() {
        return files;
    }

    /** Of the regular files. */
    long octets() {
        return octets;
    }

    /** What is neither file, directory nor symbolic link. */
    List<String> skipped() {
        return skipped;
    }

    /** Names of files that have several. */
    HardLinks hardLinks() {
        return hardLinks;
    }

    /** Sources that cannot be copied, entries that could not be taken, and directories that could not be looked through. */
    List<Failure> failures() {
        return failures;
    }

    /** Files of which the target is the same already, by what directories tell. */
    long unchanged() {
        return unchanged;
    }

    /** What the source does not have, parents first. */
    List<Removal> surplus() {
        return surplus;
    }

    void setTargetThere(boolean isThere) {
        isTargetThere = isThere;
    }

    /** Adds a file that is one of the sources. */
    void add(Item item) {
        count(item.node());
        singles.add(item);
    }

    /** Adds a file of a directory. */
    void add(PlannedDirectory directory, Node node) {
        count(node);
        directory.files.add(node);
    }

    private void count(Node node) {
        files++;
        octets += node.isRegularFile() ? node.size() : 0;
    }

    void skip(Location special) {
        skipped.add(special.toString());
    }

    void fail(Failure failure) {
        failures.add(failure);
    }

    void leave() {
        unchanged++;
    }
}
