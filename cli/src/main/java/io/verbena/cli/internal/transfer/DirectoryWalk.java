package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.TreeBounds;
import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Adds a directory with all that is in it to a plan. An entry that fails keeps nothing beside it from being planned. Used
 * once.
 */
final class DirectoryWalk {
    /** A directory on the way down. Of these there is a list, since a server may have more than a stack holds. */
    private static final class Level {
        private final PlannedDirectory directory;
        /** From the top of the source, with a slash at its end; empty for the top. */
        private final String path;

        /** Of the directory among those of the plan. */
        private final int index;

        private Iterator<Node> children = Collections.emptyIterator();
        /** What the target has and the source, so far, has not, by name. Empty where that does not matter. */
        private final Map<String, Node> present = new HashMap<>();

        private boolean hasFurtherNames;

        Level(PlannedDirectory directory, String path, int index) {
            this.directory = directory;
            this.path = path;
            this.index = index;
        }

        boolean isTop() {
            return directory.isTop();
        }

        String pathOf(Node child) {
            return path + child.name();
        }
    }

    private final CopyPlan plan;
    private final CopyOptions options;
    private final NameFilter filter;
    private final Deque<Level> above = new ArrayDeque<>();

    DirectoryWalk(CopyPlan plan, CopyOptions options) {
        this.plan = plan;
        this.options = options;
        this.filter = options.filter();
    }

    /**
     * Adds a directory.
     *
     * @throws IOException where all of it fails, or has no end
     */
    void walk(CopyPlan.Item top) throws IOException, InterruptedException {
        enter(top, "");
        while (!above.isEmpty()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Level level = above.element();
            if (level.children.hasNext()) {
                add(level, level.children.next());
            } else {
                above.remove();
                leave(level);
            }
        }
    }

    private void add(Level level, Node child) throws IOException {
        Node there = level.present.remove(child.name());
        if (!filter.takes(level.pathOf(child), child.isDirectory())) {
            return;
        }
        Location from = level.directory.from.child(child.name());
        if (child.isDirectory()) {
            TreeBounds.checkDepth(from, above.size());
            TreeBounds.checkLoop(from, child.key(), above.stream().map(each -> each.directory.node.key()));
        }
        try {
            if (child.isDirectory()) {
                Location to = level.directory.to.child(child.name());
                enter(new CopyPlan.Item(from, child, to, level.directory.isFresh, null), level.pathOf(child));
            } else if (child.isRegularFile() || child.isSymbolicLink()) {
                addFile(level, child, there);
            } else {
                plan.skip(from);
            }
        } catch (IOException e) {
            if (Fatal.isFatal(e, from, level.directory.to)) {
                throw e;
            }
            plan.fail(Failure.of(from, e));
        }
    }

    private void enter(CopyPlan.Item item, String path) throws IOException {
        boolean isTop = above.isEmpty();
        Optional<Node> there = item.isFresh() ? Optional.empty() : item.to().find(isTop);
        boolean isObstacle = there.isPresent() && !there.get().isDirectory();
        if (isObstacle && (isTop || !mayRemoveFile(path))) {
            throw new IOException(item.to() + ": is no directory, so " + item.from() + " cannot be copied there");
        }
        Level level = new Level(
                new PlannedDirectory(
                        new CopyPlan.Item(
                                item.from(),
                                item.node(),
                                item.to(),
                                there.isEmpty() || isObstacle,
                                isObstacle ? new Removal(item.to(), there.get(), path) : null),
                        isTop ? null : above.element().directory),
                isTop ? "" : path + "/",
                plan.directories().size());
        plan.directories().add(level.directory);
        above.push(level);
        read(level);
    }

    /** Whether what is no directory may go from the target. */
    private boolean mayRemoveFile(String path) {
        return options.has(Flag.DELETE) && filter.takes(path, false);
    }

    private void read(Level level) throws IOException {
        PlannedDirectory directory = level.directory;
        List<Unlisted> unlisted = new ArrayList<>();
        List<Node> children = list(directory.from, level, unlisted);
        if (options.has(Flag.SYNC) && !directory.isFresh) {
            list(directory.to, level, new ArrayList<>()).forEach(node -> level.present.put(node.name(), node));
            // the source has something of that name, whatever it is
            unlisted.forEach(entry -> level.present.remove(entry.name()));
        }
        level.children = children.iterator();
    }

    /**
     * What can be taken of a directory; what cannot is a failure.
     *
     * @param unlisted what cannot be taken is added
     */
    private List<Node> list(Location which, Level level, List<Unlisted> unlisted) throws IOException {
        List<Node> nodes = which.list(unlisted);
        for (Unlisted entry : unlisted) {
            IOException cause = entry.failure().cause();
            if (Fatal.isFatal(cause, level.directory.from, level.directory.to)) {
                throw cause;
            }
            // nobody knows what it is: it may be a directory, which is gone through whatever is included
            if (filter.takes(level.path + entry.name(), true)) {
                plan.fail(entry.failure());
            }
        }
        return nodes;
    }

    private void addFile(Level level, Node node, Node there) throws IOException {
        PlannedDirectory directory = level.directory;
        boolean isObstacle = there != null && there.type() != node.type() && options.has(Flag.DELETE);
        if (isObstacle) {
            directory.addObstacle(node.name(), new Removal(directory.to.child(node.name()), there, level.pathOf(node)));
        }
        boolean isFurtherName = node.key() != null && plan.hardLinks().add(directory.item(node));
        level.hasFurtherNames |= isFurtherName;
        if (isFurtherName) {
            return;
        }
        if (there != null && !isObstacle && isSame(directory, node, there)) {
            plan.leave();
        } else {
            plan.add(directory, node);
        }
    }

    private boolean isSame(PlannedDirectory directory, Node node, Node there) throws IOException {
        if (node.isSymbolicLink()) {
            return there.isSymbolicLink()
                    && linkText(directory.from.child(node.name())).equals(linkText(directory.to.child(node.name())));
        }
        return !options.has(Flag.CHECKSUM) && node.isSameBySizeAndTime(there) && node.mode() == there.mode();
    }

    /** What a link holds; of several slashes in a row Java's paths keep one. */
    private static String linkText(Location link) throws IOException {
        return link.readLink().replaceAll("/+", "/");
    }

    /** All that is in it has been added. */
    private void leave(Level level) {
        if (options.has(Flag.DELETE)) {
            for (Node node : level.present.values()) {
                if (filter.takes(level.pathOf(node), node.isDirectory())) {
                    plan.surplus().add(new Removal(level.directory.to.child(node.name()), node, level.pathOf(node)));
                }
            }
        }
        boolean isEmpty = level.directory.files.isEmpty()
                && !level.hasFurtherNames
                && plan.directories().size() == level.index + 1;
        if (isEmpty && !level.isTop() && filter.isSelective()) {
            plan.directories().remove(level.index);
        }
    }
}
