package io.verbena.cli.internal.transfer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A directory to make where it is not there, and the files in it that are to be copied. */
final class PlannedDirectory {
    final Location from;
    final Node node;
    final Location to;
    final boolean isFresh;
    /** What has its name, and is no directory; or null. */
    final Removal obstacle;

    final List<Node> files = new ArrayList<>();
    private final PlannedDirectory parent;
    /** What is of another kind than the file that it has the name of, by that name. Most directories have none. */
    private Map<String, Removal> obstacles = Map.of();

    private volatile boolean isLost;
    private volatile boolean isShared;

    PlannedDirectory(CopyPlan.Item item, PlannedDirectory parent) {
        this.from = item.from();
        this.node = item.node();
        this.to = item.to();
        this.isFresh = item.isFresh();
        this.obstacle = item.obstacle();
        this.parent = parent;
    }

    /** It could not be made, so that nothing in it can. */
    void setLost() {
        isLost = true;
    }

    /** Somebody else has made it meanwhile, and may have put something in it. */
    void setShared() {
        isShared = true;
    }

    /** Whether it is one of the sources. */
    boolean isTop() {
        return parent == null;
    }

    boolean isLost() {
        for (PlannedDirectory each = this; each != null; each = each.parent) {
            if (each.isLost) {
                return true;
            }
        }
        return false;
    }

    /** Something is in the place of a file. */
    void addObstacle(String name, Removal removal) {
        if (obstacles.isEmpty()) {
            obstacles = new HashMap<>();
        }
        obstacles.put(name, removal);
    }

    CopyPlan.Item item(int index) {
        return item(files.get(index));
    }

    CopyPlan.Item item(Node file) {
        return new CopyPlan.Item(
                from.child(file.name()), file, to.child(file.name()), isFresh && !isShared, obstacles.get(file.name()));
    }
}
