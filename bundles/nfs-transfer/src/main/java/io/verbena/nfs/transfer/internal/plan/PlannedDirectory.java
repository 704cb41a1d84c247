package io.verbena.nfs.transfer.internal.plan;

import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A directory to create if the target does not have it, and the files in it to copy. */
public final class PlannedDirectory {
    public final TreePath from;
    public final FileEntry node;
    public final TreePath to;
    public final boolean isFresh;
    /** The object in the place of the directory that is not a directory; or null. */
    public final Removal obstacle;

    public final List<FileEntry> files = new ArrayList<>();
    private final PlannedDirectory parent;
    /** The objects in the places of files that have another type than the file, by name. Most directories have none. */
    private Map<String, Removal> obstacles = Map.of();

    private volatile boolean isLost;
    private volatile boolean isShared;

    public PlannedDirectory(CopyPlan.Item item, PlannedDirectory parent) {
        this.from = item.from();
        this.node = item.node();
        this.to = item.to();
        this.isFresh = item.isFresh();
        this.obstacle = item.obstacle();
        this.parent = parent;
    }

    /** Marks the directory as failed. No object in it can be created. */
    public void setLost() {
        isLost = true;
    }

    /** Marks the directory as created by another process, which may have put objects into it. */
    public void setShared() {
        isShared = true;
    }

    /** Returns whether the directory is one of the sources. */
    public boolean isTop() {
        return parent == null;
    }

    public boolean isLost() {
        for (PlannedDirectory each = this; each != null; each = each.parent) {
            if (each.isLost) {
                return true;
            }
        }
        return false;
    }

    /** Adds an object in the place of a file. */
    public void addObstacle(String name, Removal removal) {
        if (obstacles.isEmpty()) {
            obstacles = new HashMap<>();
        }
        obstacles.put(name, removal);
    }

    /** Returns the objects in the places of files. */
    public Collection<Removal> obstacles() {
        return obstacles.values();
    }

    public CopyPlan.Item item(int index) {
        return item(files.get(index));
    }

    public CopyPlan.Item item(FileEntry file) {
        return new CopyPlan.Item(
                from.child(file.name()), file, to.child(file.name()), isFresh && !isShared, obstacles.get(file.name()));
    }
}
