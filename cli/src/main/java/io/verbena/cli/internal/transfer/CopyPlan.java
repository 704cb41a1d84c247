package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;

/**
 * What a copy has to do, by the rules of {@code cp -r}: into a target that is a directory, else as the target; a
 * synchronisation makes the target itself like the source. All of the sources is looked through before anything is
 * written, so that a copy into its own source ends and the work to do is known; that takes some 150 octets of memory a
 * file, as only names and attributes are kept and paths are made when it is a file's turn.
 */
final class CopyPlan {
    /**
     * One file to copy.
     *
     * @param isFresh whether its directory is made by this copy, so that nothing can be in its place
     */
    record Item(Location from, Node node, Location to, boolean isFresh) {}

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

    /**
     * Something in the target that has to go, with what is in it, as far as the filter takes it.
     *
     * @param path from the top of the target
     */
    record Removal(Location what, boolean isDirectory, String path) {}

    private final CopyOptions options;
    private final List<PlannedDirectory> directories = new ArrayList<>();
    private final List<Item> singles = new ArrayList<>();
    private final List<Removal> obstacles = new ArrayList<>();
    private final List<Removal> surplus = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final HardLinks hardLinks;
    private long files;
    private long octets;
    private long unchanged;
    private boolean isTargetThere = true;

    private CopyPlan(CopyOptions options) {
        this.options = options;
        this.hardLinks = new HardLinks(options.has(Flag.HARD_LINKS));
    }

    static CopyPlan of(List<Location> sources, Location target, CopyOptions options)
            throws IOException, InterruptedException {
        CopyPlan plan = new CopyPlan(options);
        if (options.has(Flag.SYNC)) {
            plan.sync(sources.get(0), target);
        } else {
            plan.copy(sources, target);
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

    /** What stands in the way of files and directories, parents first. */
    List<Removal> obstacles() {
        return obstacles;
    }

    /** What the source does not have, parents first. */
    List<Removal> surplus() {
        return surplus;
    }

    private void copy(List<Location> sources, Location target) throws IOException, InterruptedException {
        Optional<Node> there = target.find(true);
        isTargetThere = there.isPresent();
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
                failures.add(Failure.of(source, e));
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
        addTop(new Item(source, node, to, there.isEmpty()));
    }

    private void addTop(Item item) throws IOException, InterruptedException {
        Node node = item.node();
        boolean recursive = options.has(Flag.RECURSIVE);
        if (node.isDirectory()) {
            if (!recursive) {
                throw new IOException(item.from() + ": is a directory; -r copies it with all that is in it");
            }
            addDirectory(item, null, "");
        } else if (node.isRegularFile() || node.isSymbolicLink()) {
            if (!hardLinks.add(item)) {
                count(node);
                singles.add(item);
            }
        } else if (recursive) {
            skipped.add(item.from().toString());
        } else {
            throw new IOException(item.from() + ": is no regular file");
        }
    }

    private void count(Node node) {
        files++;
        octets += node.isRegularFile() ? node.size() : 0;
    }

    private void sync(Location source, Location target) throws IOException, InterruptedException {
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
        addDirectory(new Item(source, node, to, to.find(true).isEmpty()), null, "");
    }

    /**
     * @param path from the top of the source, with a slash at its end; empty for the top
     */
    private void addDirectory(Item item, PlannedDirectory parent, String path)
            throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Optional<Node> there = item.isFresh() ? Optional.empty() : item.to().find(parent == null);
        boolean isObstacle = there.isPresent() && !there.get().isDirectory();
        if (isObstacle && (parent == null || !mayRemove(withoutSlash(path)))) {
            IOException failure =
                    new IOException(item.to() + ": is no directory, so " + item.from() + " cannot be copied there");
            fail(item, parent, failure);
            return;
        }
        boolean isFresh = there.isEmpty() || isObstacle;
        PlannedDirectory directory =
                new PlannedDirectory(new Item(item.from(), item.node(), item.to(), isFresh), parent);
        int before = directories.size();
        directories.add(directory);
        try {
            addChildren(directory, path);
        } catch (IOException e) {
            fail(item, parent, e);
        }
        boolean isEmpty = directory.files.isEmpty() && directories.size() == before + 1;
        if (isEmpty && parent != null && options.filter().isSelective()) {
            directories.remove(before);
        } else if (isObstacle) {
            obstacles.add(new Removal(item.to(), false, withoutSlash(path)));
        }
    }

    /** Whether what is no directory may go from the target. */
    private boolean mayRemove(String path) {
        return options.has(Flag.DELETE) && options.filter().takes(path, false);
    }

    private static String withoutSlash(String path) {
        return path.substring(0, path.length() - 1);
    }

    private void fail(Item item, PlannedDirectory parent, IOException failure) throws IOException {
        if (parent == null || Fatal.isFatal(failure, item.from(), item.to())) {
            throw failure;
        }
        failures.add(Failure.of(item.from(), failure));
    }

    private void addChildren(PlannedDirectory directory, String path) throws IOException, InterruptedException {
        List<Node> children = list(directory.from, directory, path);
        Map<String, Node> present = present(directory, path);
        for (Node child : children) {
            Node there = present.remove(child.name());
            if (!options.filter().takes(path + child.name(), child.isDirectory())) {
                continue;
            }
            if (child.isDirectory()) {
                Location from = directory.from.child(child.name());
                Location to = directory.to.child(child.name());
                addDirectory(new Item(from, child, to, directory.isFresh), directory, path + child.name() + "/");
            } else if (child.isRegularFile() || child.isSymbolicLink()) {
                addFile(directory, child, path + child.name(), Optional.ofNullable(there));
            } else {
                skipped.add(directory.from.child(child.name()).toString());
            }
        }
        if (options.has(Flag.DELETE)) {
            for (Node node : present.values()) {
                String nodePath = path + node.name();
                if (options.filter().takes(nodePath, node.isDirectory())) {
                    surplus.add(new Removal(directory.to.child(node.name()), node.isDirectory(), nodePath));
                }
            }
        }
    }

    /** What can be taken of a directory. */
    private List<Node> list(Location which, PlannedDirectory directory, String path) throws IOException {
        List<Unlisted> unlisted = new ArrayList<>();
        List<Node> nodes = which.list(unlisted);
        for (Unlisted entry : unlisted) {
            IOException cause = entry.failure().cause();
            if (Fatal.isFatal(cause, directory.from, directory.to)) {
                throw cause;
            }
            if (options.filter().takes(path + entry.name(), false)) {
                failures.add(entry.failure());
            }
        }
        return nodes;
    }

    /** What is in the directory's place, where that matters. */
    private Map<String, Node> present(PlannedDirectory directory, String path) throws IOException {
        Map<String, Node> present = new HashMap<>();
        if (options.has(Flag.SYNC) && !directory.isFresh) {
            list(directory.to, directory, path).forEach(node -> present.put(node.name(), node));
        }
        return present;
    }

    private void addFile(PlannedDirectory directory, Node node, String path, Optional<Node> there) throws IOException {
        boolean isFurtherName = node.key() != null && hardLinks.add(directory.item(node));
        if (there.isPresent()) {
            Node old = there.get();
            if (old.type() != node.type() && options.has(Flag.DELETE)) {
                obstacles.add(new Removal(directory.to.child(node.name()), old.isDirectory(), path));
            } else if (!isFurtherName && isSame(directory, node, old)) {
                unchanged++;
                return;
            }
        }
        if (!isFurtherName) {
            count(node);
            directory.files.add(node);
        }
    }

    private boolean isSame(PlannedDirectory directory, Node node, Node old) throws IOException {
        if (node.isSymbolicLink()) {
            return old.isSymbolicLink()
                    && linkText(directory.from.child(node.name())).equals(linkText(directory.to.child(node.name())));
        }
        return !options.has(Flag.CHECKSUM) && node.isSameBySizeAndTime(old) && node.mode() == old.mode();
    }

    /** What a link holds; of several slashes in a row Java's paths keep one. */
    private static String linkText(Location link) throws IOException {
        return link.readLink().replaceAll("/+", "/");
    }
}
