package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.transfer.Location;
import io.verbena.runtime.Runtime;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * The trees that an engine copies from and to, and the state that they share: temporary files that copies left behind
 * and that later copies remove. Thread safe.
 */
public final class Trees {
    private final StaleTemporaryFiles leftovers = new StaleTemporaryFiles();
    private final Runtime runtime;
    private final FileTree local;

    /**
     * Creates the trees.
     *
     * @param attributeNames returns the names of a local file's extended attributes, or null if only java.nio can
     *     report them, and then only {@code user.*}
     */
    public Trees(Runtime runtime, Function<Path, List<String>> attributeNames) {
        this.runtime = runtime;
        this.local = new LocalTree(attributeNames);
    }

    /** Returns the path of a location. */
    public TreePath at(Location location) {
        FileTree tree = location.mount()
                .<FileTree>map(mount -> new RemoteTree(mount, location.successors(), leftovers, runtime))
                .orElse(local);
        return TreePath.of(tree, location);
    }
}
