package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.util.Optional;

/**
 * An object to remove from the target. A directory is removed with everything in it that the filter selects.
 *
 * @param what the path of the object
 * @param node the attributes of the object
 * @param path the path from the top of the target
 * @param directory the directory of the object, as it was found; empty at the top of the target
 */
public record Removal(TreePath what, FileEntry node, String path, Optional<FileEntry> directory) {}
