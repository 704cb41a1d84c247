package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.local.LocalTree;
import io.verbena.nfs.transfer.internal.remote.RemoteTree;
import io.verbena.nfs.transfer.internal.remote.StaleTemporaryFiles;
import io.verbena.nfs.transfer.internal.tree.FileTree;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.Runtime;

/**
 * The trees that an engine copies from and to, and the state that they share: temporary files that copies left behind
 * and that later copies remove. Thread safe.
 */
public final class Trees {
    private final StaleTemporaryFiles leftovers = new StaleTemporaryFiles();
    private final Runtime runtime;

    /** Creates the trees. */
    public Trees(Runtime runtime) {
        this.runtime = runtime;
    }

    /** Returns the path of a location, in a tree of its own that {@link TreePath#close} closes. */
    public TreePath at(Location location) {
        FileTree tree = location.mount()
                .<FileTree>map(mount -> new RemoteTree(mount, location.successors(), leftovers, runtime))
                .orElseGet(() -> new LocalTree(location.path()));
        return TreePath.of(tree, location);
    }
}
