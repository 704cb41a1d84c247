package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.FileSelection;
import io.verbena.nfs.transfer.NameFilter;
import io.verbena.nfs.transfer.NameList;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import java.util.Optional;

/**
 * What a copy takes of a tree, by name, size and time. Immutable.
 *
 * @param filter the patterns of names
 * @param files the bounds of size and time, and the list of names
 */
public record Selection(NameFilter filter, FileSelection files) {
    /** A selection of everything. */
    public static final Selection ALL = new Selection(NameFilter.ALL, FileSelection.ALL);

    public static Selection of(CopyOptions options) {
        return new Selection(options.filter(), options.selection());
    }

    /**
     * Returns whether an object is selected, or whether a directory is searched.
     *
     * @param path the path from the top of the copied directory
     */
    public boolean takes(String path, FileEntry node) {
        return takesName(path, node.isDirectory()) && takes(node);
    }

    /** Returns whether the size and the time of an object are selected. Its name is not looked at. */
    public boolean takes(FileEntry node) {
        return !node.isRegularFile() || files.takes(node.size(), node.modified());
    }

    /** Returns whether the name of an object is selected. */
    public boolean takesName(String path, boolean isDirectory) {
        return filter.takes(path, isDirectory)
                && (files.names().isEmpty() || files.names().get().takes(path, isDirectory));
    }

    /**
     * Returns whether a directory without any selected file is left out.
     *
     * @param path the path from the top of the copied directory
     */
    public boolean leavesOutEmpty(String path) {
        Optional<NameList> names = files.names();
        return filter.isSelective()
                || files.hasBounds()
                || (names.isPresent() && !names.get().isNamed(path));
    }
}
