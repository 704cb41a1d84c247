package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.FileKey;
import io.verbena.cli.internal.TreeBounds;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Takes away what stands in the way of a copy, or what its source does not have. What the filter leaves out stays, and so
 * does every directory that it is in. What cannot be removed keeps nothing beside it. Thread safe.
 */
final class Removals {
    /** What is done with a file, or with a directory in which nothing is left. */
    @FunctionalInterface
    interface Action {
        void on(Location what) throws IOException;
    }

    private final NameFilter filter;
    private final Action action;
    private final LongAdder count = new LongAdder();

    Removals(NameFilter filter, Action action) {
        this.filter = filter;
        this.action = action;
    }

    /** Files and directories so far. */
    long count() {
        return count.sum();
    }

    /** Something is replaced by what is of another kind, which counts as if it was removed. */
    void countReplaced() {
        count.increment();
    }

    /** Removes something, what is in it first; whether nothing is left of it. */
    boolean remove(Removal removal, Consumer<Failure> failures) throws IOException, InterruptedException {
        Action counting = what -> {
            action.on(what);
            count.increment();
        };
        return new Walk(removal, counting, failures).run();
    }

    /** Whether nothing would be left of it; changes nothing. */
    boolean leavesNothing(Removal removal, Consumer<Failure> failures) throws IOException, InterruptedException {
        return new Walk(removal, what -> {}, failures).run();
    }

    /** A directory on the way down. Of these there is a list, since a server may have more than a stack holds. */
    private static final class Level {
        private final Location what;
        private final String path;
        private final FileKey key;
        private Iterator<Node> children = Collections.emptyIterator();
        private boolean isEmpty = true;

        Level(Location what, String path, FileKey key) {
            this.what = what;
            this.path = path;
            this.key = key;
        }
    }

    private final class Walk {
        private final Removal top;
        private final Action step;
        private final Consumer<Failure> failures;
        private final Deque<Level> above = new ArrayDeque<>();

        Walk(Removal top, Action step, Consumer<Failure> failures) {
            this.top = top;
            this.step = step;
            this.failures = failures;
        }

        boolean run() throws IOException, InterruptedException {
            if (!top.node().isDirectory()) {
                return take(top.what());
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
                    isGone = level.isEmpty && take(level.what);
                    if (!above.isEmpty()) {
                        above.element().isEmpty &= isGone;
                    }
                }
            }
            return isGone;
        }

        private void add(Level level, Node child) throws IOException {
            String path = level.path + "/" + child.name();
            Location what = level.what.child(child.name());
            if (!filter.takes(path, child.isDirectory())) {
                level.isEmpty = false;
            } else if (child.isDirectory()) {
                enter(what, child, path);
            } else {
                level.isEmpty &= take(what);
            }
        }

        private void enter(Location what, Node node, String path) throws IOException {
            TreeBounds.checkDepth(what, above.size());
            TreeBounds.checkLoop(what, node.key(), above.stream().map(each -> each.key));
            Level level = new Level(what, path, node.key());
            above.push(level);
            try {
                List<Unlisted> unlisted = new ArrayList<>();
                level.children = what.list(unlisted).iterator();
                for (Unlisted entry : unlisted) {
                    level.isEmpty = false;
                    if (filter.takes(path + "/" + entry.name(), true)) {
                        tell(entry.failure());
                    }
                }
            } catch (IOException e) {
                level.isEmpty = false;
                tell(Failure.of(what, e));
            }
        }

        private boolean take(Location what) throws IOException {
            try {
                step.on(what);
                return true;
            } catch (IOException e) {
                if (e.getCause() instanceof NoSuchFileException) { // somebody else has removed it
                    return true;
                }
                tell(Failure.of(what, e));
                return false;
            }
        }

        private void tell(Failure failure) throws IOException {
            if (Fatal.isFatal(failure.cause(), top.what(), top.what())) {
                throw failure.cause();
            }
            failures.accept(failure);
        }
    }
}
