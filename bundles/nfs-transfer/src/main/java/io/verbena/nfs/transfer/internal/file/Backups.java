package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.internal.failure.FailureKind;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the files that a copy replaces or removes in a directory, each in the place that it had below the target. A
 * regular file gets its further name there before the copy replaces its old name, so that the file always has a name.
 * Thread safe.
 */
public final class Backups {
    /** A keeper that keeps nothing. */
    public static final Backups NONE = new Backups(Optional.empty(), List.of(), "", step -> {});

    private static final Logger LOG = LoggerFactory.getLogger(Backups.class);
    private static final int MAX_NUMBER = 10_000;

    private final Optional<TreePath> directory;
    /** The paths of the target: by the name that the user gave, and by the name that a link leads to. */
    private final List<String> tops;

    private final String targetName;
    private final Set<String> present = ConcurrentHashMap.newKeySet();

    private final Consumer<CopyStep> kept;

    private Backups(Optional<TreePath> directory, List<String> tops, String targetName, Consumer<CopyStep> kept) {
        this.directory = directory;
        this.tops = tops;
        this.targetName = targetName;
        this.kept = kept;
    }

    /**
     * Creates a keeper.
     *
     * @param directory the directory to keep files in, in the tree of the target
     * @param target the target of the copy
     * @param kept receives each file that is kept, and its new name
     */
    public static Backups in(TreePath directory, TreePath target, Consumer<CopyStep> kept) throws IOException {
        List<String> tops = List.of(target.identity(), target.resolved().identity());
        return new Backups(Optional.of(directory), tops, target.name(), kept);
    }

    /** Keeps what has the name of a file that is complete now, and that is going to be renamed to that name. */
    void keep(TreePath what) throws IOException {
        if (directory.isEmpty()) {
            return;
        }
        Optional<FileEntry> there = what.find(false);
        if (there.isPresent() && !there.get().isDirectory()) {
            boolean unused = keep(what, there.get(), Optional.empty());
        }
    }

    /** Returns whether what is kept has left its name. What has that name then is of another process. */
    private boolean keep(TreePath what, FileEntry node, Optional<FileEntry> above) throws IOException {
        for (int number = 0; number <= MAX_NUMBER; number++) {
            TreePath place = place(what, number);
            boolean isLinked = node.isRegularFile() && link(what, above, place);
            boolean isRenamed = !isLinked && place.find(false).isEmpty();
            if (isRenamed) {
                what.renameTo(place, what.version(), above);
            }
            if (isLinked || isRenamed) {
                kept.accept(new CopyStep(CopyStep.Kind.KEEP, what.toString(), place.toString()));
                return isRenamed;
            }
        }
        throw new IOException(what + ": cannot be kept in " + directory.get() + ", which has " + MAX_NUMBER
                + " files of its name: empty that directory");
    }

    /** Returns whether the file has a further name now. */
    private static boolean link(TreePath what, Optional<FileEntry> above, TreePath place) throws IOException {
        try {
            place.createLink(what, above);
            return true;
        } catch (IOException e) {
            if (FailureKind.of(e) == FailureKind.INTERRUPTED || FailureKind.of(e) == FailureKind.UNREACHABLE) {
                throw e;
            }
            if (!(e.getCause() instanceof FileAlreadyExistsException)) {
                LOG.debug("{} gets no further name, and is renamed", what, e);
            }
            return false;
        }
    }

    /**
     * Removes an object from the target. What is no directory is kept before that.
     *
     * @param above see {@link TreePath#remove(FileEntry, Optional)}
     */
    public void remove(TreePath what, FileEntry node, Optional<FileEntry> above) throws IOException {
        boolean isGone = directory.isPresent() && !node.isDirectory() && keep(what, node, above);
        if (!isGone) {
            what.remove(node, above);
        }
    }

    private TreePath place(TreePath what, int number) throws IOException {
        String path = what.identity();
        String relative = tops.stream()
                .map(top -> top.endsWith("/") ? top : top + "/")
                .filter(path::startsWith)
                .map(top -> path.substring(top.length()))
                .findFirst()
                .orElse(targetName);
        TreePath at = directory.orElseThrow();
        make(at);
        String[] names = relative.split("/", -1);
        for (int i = 0; i < names.length - 1; i++) {
            at = at.child(names[i]);
            make(at);
        }
        return at.child(names[names.length - 1] + (number == 0 ? "" : ".~" + number + "~"));
    }

    private void make(TreePath made) throws IOException {
        if (present.contains(made.identity())) {
            return;
        }
        Optional<FileEntry> there = made.find(true);
        if (there.isEmpty()) {
            try {
                made.createDirectory();
            } catch (IOException e) {
                if (!(e.getCause() instanceof FileAlreadyExistsException)) { // another worker has made it
                    throw e;
                }
            }
        } else if (!there.get().isDirectory()) {
            throw new IOException(made + ": is no directory, so that nothing is kept in it");
        }
        present.add(made.identity());
    }
}
