package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.NameList;
import io.verbena.nfs.transfer.internal.tree.FatalFailures;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.nfs.transfer.internal.tree.UnreadableEntry;
import io.verbena.nfs.transfer.walk.TreeBounds;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Adds a directory with everything in it to a plan. If one entry fails, the other entries are still added. Used once.
 */
final class DirectoryWalk {
    /**
     * A directory on the path from the top. The directories form a list rather than a recursion, because a server can
     * nest directories deeper than a thread's stack allows.
     */
    private static final class Level {
        private final PlannedDirectory directory;
        /** The path from the top of the source, with a slash at its end; empty for the top. */
        private final String path;

        /** The index of the directory in the plan. */
        private final int index;

        private Iterator<FileEntry> children = Collections.emptyIterator();
        /**
         * The entries of the target, by name, that have not been found in the source so far. Empty if the copy does not
         * need them.
         */
        private final Map<String, FileEntry> present = new HashMap<>();

        private boolean hasFurtherNames;
        /** The directory of the target; empty where there is none yet. */
        private final Optional<FileEntry> target;

        Level(PlannedDirectory directory, Optional<FileEntry> target, String path, int index) {
            this.directory = directory;
            this.target = target;
            this.path = path;
            this.index = index;
        }

        boolean isTop() {
            return directory.isTop();
        }

        String pathOf(FileEntry child) {
            return path + child.name();
        }
    }

    private final CopyPlan plan;
    private final CopyOptions options;
    private final Selection selection;
    /** The names of the list that were not found in the source so far. */
    private final Set<String> missing;

    private final Deque<Level> above = new ArrayDeque<>();

    DirectoryWalk(CopyPlan plan, CopyOptions options) {
        this.plan = plan;
        this.options = options;
        this.selection = Selection.of(options);
        this.missing =
                new HashSet<>(options.selection().names().map(NameList::names).orElse(Set.of()));
        missing.remove(""); // the directory itself
    }

    /**
     * Adds a directory.
     *
     * @throws IOException if the whole directory fails, or if the tree has no end
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
        for (String name : missing.stream().sorted().toList()) {
            TreePath file = top.from();
            for (String part : name.split("/", -1)) {
                file = file.child(part);
            }
            plan.fail(file.failure(file.missing()));
        }
    }

    private void add(Level level, FileEntry child) throws IOException {
        FileEntry there = level.present.remove(child.name());
        missing.remove(level.pathOf(child));
        if (!selection.takes(level.pathOf(child), child)) {
            return;
        }
        TreePath from = level.directory.from.child(child.name());
        if (from.isRemote() && HiddenNames.isReserved(child.name())) {
            if (HiddenNames.isTemporary(child.name(), child.type())) {
                return; // the temporary object of another copy
            }
            plan.fail(from.failure(new IOException(
                    from + ": the name is one of the temporary files of copies, so that it is not copied")));
            return;
        }
        if (child.isDirectory()) {
            TreeBounds.checkDepth(from, above.size());
            TreeBounds.checkLoop(from, child.key(), above.stream().map(each -> each.directory.node.key()));
        }
        try {
            if (child.isDirectory()) {
                TreePath to = level.directory.to.child(child.name());
                enter(new CopyPlan.Item(from, child, to, level.directory.isFresh, null), level.pathOf(child));
            } else if (child.isRegularFile() || child.isSymbolicLink()) {
                addFile(level, child, there);
            } else {
                plan.skip(from);
            }
        } catch (IOException e) {
            if (FatalFailures.isFatal(e, from, level.directory.to)) {
                throw e;
            }
            plan.fail(from.failure(e));
        }
    }

    private void enter(CopyPlan.Item item, String path) throws IOException {
        boolean isTop = above.isEmpty();
        Optional<FileEntry> there =
                item.isFresh() ? Optional.empty() : item.to().find(isTop);
        boolean isObstacle = there.isPresent() && !there.get().isDirectory();
        boolean mayGo = isObstacle && options.has(Flag.DELETE) && selection.takes(path, there.get());
        if (isObstacle && (isTop || !mayGo)) {
            throw new IOException(item.to() + ": is no directory, so " + item.from() + " cannot be copied there");
        }
        Level level = new Level(
                new PlannedDirectory(
                        new CopyPlan.Item(
                                item.from(),
                                item.node(),
                                item.to(),
                                there.isEmpty() || isObstacle,
                                isObstacle ? new Removal(item.to(), there.get(), path, targetAbove()) : null),
                        isTop ? null : above.element().directory),
                isObstacle ? Optional.empty() : there,
                isTop ? "" : path + "/",
                plan.directories().size());
        plan.directories().add(level.directory);
        above.push(level);
        read(level);
    }

    private Optional<FileEntry> targetAbove() {
        return above.isEmpty() ? Optional.empty() : above.element().target;
    }

    private void read(Level level) throws IOException {
        PlannedDirectory directory = level.directory;
        List<UnreadableEntry> unlisted = new ArrayList<>();
        List<FileEntry> children = list(directory.from, directory.node, level, unlisted);
        if (options.has(Flag.SYNC) && level.target.isPresent()) {
            list(directory.to, level.target.get(), level, new ArrayList<>())
                    .forEach(node -> level.present.put(node.name(), node));
            // The source has an entry of that name, of an unknown type.
            unlisted.forEach(entry -> level.present.remove(entry.name()));
        }
        level.children = children.iterator();
    }

    /**
     * Lists the readable entries of a directory. Each unreadable entry becomes a failure of the plan.
     *
     * @param seen the directory as it was found
     * @param unlisted receives the unreadable entries
     */
    private List<FileEntry> list(TreePath which, FileEntry seen, Level level, List<UnreadableEntry> unlisted)
            throws IOException {
        List<FileEntry> nodes = which.list(seen, unlisted);
        for (UnreadableEntry entry : unlisted) {
            IOException cause = entry.failure().cause();
            if (FatalFailures.isFatal(cause, level.directory.from, level.directory.to)) {
                throw cause;
            }
            // An entry of unknown type may be a directory. Directories are searched whatever the inclusions are.
            if (selection.takesName(level.path + entry.name(), true)) {
                plan.fail(entry.failure());
            }
        }
        return nodes;
    }

    private void addFile(Level level, FileEntry node, FileEntry there) throws IOException {
        PlannedDirectory directory = level.directory;
        boolean isObstacle = there != null && there.type() != node.type() && options.has(Flag.DELETE);
        if (isObstacle) {
            directory.addObstacle(node.name(), removal(level, there));
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

    private boolean isSame(PlannedDirectory directory, FileEntry node, FileEntry there) throws IOException {
        if (node.isSymbolicLink()) {
            return there.isSymbolicLink()
                    && linkText(directory.from.child(node.name())).equals(linkText(directory.to.child(node.name())));
        }
        return !options.has(Flag.CHECKSUM) && node.isSameBySizeAndTime(there) && node.mode() == there.mode();
    }

    /** Returns the text of a symbolic link. Several slashes in a row become one, as in Java's paths. */
    private static String linkText(TreePath link) throws IOException {
        return link.readLink().replaceAll("/+", "/");
    }

    /** The removal of an entry of the target. */
    private static Removal removal(Level level, FileEntry entry) {
        return new Removal(level.directory.to.child(entry.name()), entry, level.pathOf(entry), level.target);
    }

    /** Completes a directory after all its entries have been added. */
    private void leave(Level level) {
        // A temporary object may belong to a running copy. Abandoned temporary objects are removed separately.
        if (level.present.values().removeIf(node -> HiddenNames.isPassing(node.name(), node.type()))) {
            plan.withParts().add(level.directory.to);
        }
        if (options.has(Flag.DELETE)) {
            for (FileEntry node : level.present.values()) {
                if (selection.takes(level.pathOf(node), node)) {
                    plan.surplus().add(removal(level, node));
                }
            }
        }
        boolean isEmpty = level.directory.files.isEmpty()
                && !level.hasFurtherNames
                && plan.directories().size() == level.index + 1;
        if (isEmpty && !level.isTop() && selection.leavesOutEmpty(level.path.substring(0, level.path.length() - 1))) {
            plan.directories().remove(level.index);
        }
    }
}
