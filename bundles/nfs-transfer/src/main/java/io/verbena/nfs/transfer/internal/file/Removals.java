package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.internal.plan.Removal;
import io.verbena.nfs.transfer.internal.plan.Selection;
import io.verbena.nfs.transfer.internal.tree.FatalFailures;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.nfs.transfer.internal.tree.UnreadableEntry;
import io.verbena.nfs.transfer.walk.FileKey;
import io.verbena.nfs.transfer.walk.TreeBounds;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Removes objects from the target: objects that block a copy, and objects that the source does not have. Objects that
 * the selection leaves out remain, with all directories above them. If one object cannot be removed, the others are
 * still removed. Thread safe.
 */
public final class Removals {
    /** The action for a file, or for a directory that has become empty. */
    @FunctionalInterface
    public interface Action {
        /** @param directory the directory of the object, as it was found; empty at the top of the target */
        void on(TreePath what, FileEntry node, Optional<FileEntry> directory) throws IOException;
    }

    private final Selection selection;
    private final Action action;
    private final long most;
    private final LongAdder count = new LongAdder();

    /**
     * Creates removals.
     *
     * @param most the largest number of objects to remove; each further one is a failure
     */
    public Removals(Selection selection, Action action, long most) {
        this.selection = selection;
        this.action = action;
        this.most = most;
    }

    /** Returns the number of files and directories that were removed so far. */
    public long count() {
        return count.sum();
    }

    /** Counts an object that is replaced by an object of another type. The replaced object counts as removed. */
    public void countReplaced() {
        count.increment();
    }

    /**
     * Removes an object, a directory after its entries.
     *
     * @return whether the whole object was removed
     */
    public boolean remove(Removal removal, Consumer<CopyFailure> failures) throws IOException, InterruptedException {
        Action counting = (what, node, directory) -> {
            if (count.sum() >= most) {
                throw new IOException(what + ": is not removed, as more would be removed than the limit of " + most);
            }
            action.on(what, node, directory);
            count.increment();
        };
        return new Walk(removal, counting, failures).run();
    }

    /** Returns whether {@link #remove} would remove the whole object. Changes nothing. */
    public boolean leavesNothing(Removal removal, Consumer<CopyFailure> failures)
            throws IOException, InterruptedException {
        return new Walk(removal, (what, node, directory) -> {}, failures).run();
    }

    /**
     * A directory on the path from the top. The directories form a list rather than a recursion, because a server can
     * nest directories deeper than a thread's stack allows.
     */
    private static final class Level {
        private final TreePath what;
        private final String path;
        private final FileEntry node;
        private Iterator<FileEntry> children = Collections.emptyIterator();
        private boolean isEmpty = true;

        Level(TreePath what, String path, FileEntry node) {
            this.what = what;
            this.path = path;
            this.node = node;
        }

        FileKey key() {
            return node.key();
        }
    }

    private final class Walk {
        private final Removal top;
        private final Action step;
        private final Consumer<CopyFailure> failures;
        private final Deque<Level> above = new ArrayDeque<>();

        Walk(Removal top, Action step, Consumer<CopyFailure> failures) {
            this.top = top;
            this.step = step;
            this.failures = failures;
        }

        boolean run() throws IOException, InterruptedException {
            if (!top.node().isDirectory()) {
                return take(top.what(), top.node(), top.directory());
            }
            enter(top.what(), top.node(), top.path());
            boolean isGone = false;
            while (!above.isEmpty()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Level level = above.element();
                if (level.children.hasNext()) {
                    add(level, level.children.next());
                } else {
                    above.remove();
                    isGone = level.isEmpty && take(level.what, level.node, directoryAbove());
                    if (!above.isEmpty()) {
                        above.element().isEmpty &= isGone;
                    }
                }
            }
            return isGone;
        }

        private Optional<FileEntry> directoryAbove() {
            return above.isEmpty() ? top.directory() : Optional.of(above.element().node);
        }

        private void add(Level level, FileEntry child) throws IOException {
            String path = level.path + "/" + child.name();
            TreePath what = level.what.child(child.name());
            if (!selection.takes(path, child)) {
                level.isEmpty = false;
            } else if (child.isDirectory()) {
                enter(what, child, path);
            } else {
                level.isEmpty &= take(what, child, Optional.of(level.node));
            }
        }

        private void enter(TreePath what, FileEntry node, String path) throws IOException {
            TreeBounds.checkDepth(what, above.size());
            TreeBounds.checkLoop(what, node.key(), above.stream().map(Level::key));
            Level level = new Level(what, path, node);
            above.push(level);
            try {
                List<UnreadableEntry> unlisted = new ArrayList<>();
                level.children = what.list(node, unlisted).iterator();
                for (UnreadableEntry entry : unlisted) {
                    level.isEmpty = false;
                    if (selection.takesName(path + "/" + entry.name(), true)) {
                        tell(entry.failure());
                    }
                }
            } catch (IOException e) {
                level.isEmpty = false;
                tell(what.failure(e));
            }
        }

        private boolean take(TreePath what, FileEntry node, Optional<FileEntry> directory) throws IOException {
            try {
                step.on(what, node, directory);
                return true;
            } catch (IOException e) {
                if (e.getCause() instanceof NoSuchFileException) { // another process has removed it
                    return true;
                }
                tell(what.failure(e));
                return false;
            }
        }

        private void tell(CopyFailure failure) throws IOException {
            if (FatalFailures.isFatal(failure.cause(), top.what(), top.what())) {
                throw failure.cause();
            }
            failures.accept(failure);
        }
    }
}
