package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What is in the place of what is copied, and of another kind. It goes only when what shall be there is ready beside it: a
 * file whole, a directory still empty. Nothing goes where not all of the source could be read. Thread safe.
 */
final class Obstacles {
    /** Makes a directory or a link by a name that nobody else knows. */
    @FunctionalInterface
    interface Making {
        void at(Location hidden) throws IOException;
    }

    private final Removals removals;
    private final boolean mayGo;

    /**
     * @param mayGo whether they go at all
     */
    Obstacles(Removals removals, boolean mayGo) {
        this.removals = removals;
        this.mayGo = mayGo;
    }

    /** For a copy that replaces nothing by what is of another kind. */
    static Obstacles none() {
        return new Obstacles(new Removals(NameFilter.ALL, Location::remove), false);
    }

    /**
     * Fails where what is in the place of a file, and is neither a file nor a link, stays there. Changes nothing.
     *
     * @param there what is in its place
     */
    void check(CopyPlan.Item item, Node there) throws IOException, InterruptedException {
        if (there.isRegularFile() || there.isSymbolicLink()) {
            return; // renaming takes its name over
        }
        if (item.obstacle() == null) {
            throw refusal(item, there, "");
        }
        if (!mayGo) {
            throw refusal(item, there, ": not all of the source could be read");
        }
        List<Failure> failures = new ArrayList<>();
        if (!removals.leavesNothing(item.obstacle(), failures::add)) {
            String reason = failures.isEmpty()
                    ? "the filter leaves out some of it"
                    : failures.get(0).cause().getMessage();
            throw refusal(item, there, ": " + reason);
        }
    }

    private static IOException refusal(CopyPlan.Item item, Node there, String reason) {
        return new IOException(item.to() + ": is " + (there.isDirectory() ? "a directory" : "no regular file")
                + ", which " + item.from() + " cannot replace" + reason);
    }

    /** Makes way for a file or link that is ready to be renamed to its name. */
    void clear(CopyPlan.Item item) throws IOException, InterruptedException {
        if (item.obstacle() == null) {
            return;
        }
        Optional<Node> there = item.to().find(false);
        if (there.isPresent() && there.get().isDirectory()) {
            check(item, there.get());
            remove(item.obstacle());
        } else if (there.isPresent()) {
            removals.countReplaced(); // renaming takes its name over
        }
    }

    private void remove(Removal obstacle) throws IOException, InterruptedException {
        List<Failure> failures = new ArrayList<>();
        if (!removals.remove(obstacle, failures::add)) {
            throw failures.isEmpty()
                    ? new IOException(obstacle.what() + ": cannot be replaced: something was put into it meanwhile")
                    : failures.get(0).cause();
        }
    }

    /** Puts a link in the place of what is there. */
    void replace(CopyPlan.Item item, Making making) throws IOException, InterruptedException {
        Location made = hidden(item.to(), "link");
        try {
            making.at(made);
            clear(item);
            made.renameTo(item.to(), Optional.empty());
        } catch (IOException | InterruptedException e) {
            removeAfter(e, made);
            throw e;
        }
    }

    /** Makes a directory, where nothing but its obstacle is in its place, or a directory that somebody else has made. */
    void make(PlannedDirectory directory) throws IOException, InterruptedException {
        if (directory.obstacle != null) {
            replaceFile(directory);
            return;
        }
        try {
            directory.to.createDirectory();
        } catch (IOException e) {
            boolean isThere = e.getCause() instanceof FileAlreadyExistsException
                    && directory.to.find(false).filter(Node::isDirectory).isPresent();
            if (!isThere) {
                throw e;
            }
            directory.setShared();
        }
    }

    private void replaceFile(PlannedDirectory directory) throws IOException, InterruptedException {
        checkMayGo(directory);
        Location made = hidden(directory.to, "dir");
        made.createDirectory();
        try {
            remove(directory.obstacle);
            made.renameTo(directory.to, Optional.empty());
        } catch (IOException | InterruptedException e) {
            removeAfter(e, made);
            throw e;
        }
    }

    /** Fails where the file in a directory's place stays there. */
    void checkMayGo(PlannedDirectory directory) throws IOException {
        if (!mayGo) {
            throw new IOException(directory.to + ": is no directory, so " + directory.from
                    + " cannot be copied there: not all of the source could be read");
        }
    }

    private static Location hidden(Location to, String kind) {
        String name = String.format("%016x", ThreadLocalRandom.current().nextLong());
        return to.hiddenSibling(".verbena-" + name + "." + kind);
    }

    private static void removeAfter(Exception failure, Location made) {
        try {
            made.remove();
        } catch (IOException suppressed) {
            failure.addSuppressed(suppressed);
        }
    }
}
