package io.verbena.cli.internal.transfer;

import java.util.ArrayList;
import java.util.List;

/** A directory to make where it is not there, and the files in it that are to be copied. */
final class PlannedDirectory {
    final Location from;
    final Node node;
    final Location to;
    final boolean isFresh;
    private final PlannedDirectory parent;
    final List<Node> files = new ArrayList<>();
    private volatile boolean isLost;

    PlannedDirectory(CopyPlan.Item item, PlannedDirectory parent) {
        this.from = item.from();
        this.node = item.node();
        this.to = item.to();
        this.isFresh = item.isFresh();
        this.parent = parent;
    }

    /** It could not be made, so that nothing in it can. */
    void setLost() {
        isLost = true;
    }

    /** Whether it is one of the sources. */
    boolean isTop() {
        return parent == null;
    }

    boolean isLost() {
        return isLost || (parent != null && parent.isLost());
    }

    CopyPlan.Item item(int index) {
        return item(files.get(index));
    }

    CopyPlan.Item item(Node file) {
        return new CopyPlan.Item(from.child(file.name()), file, to.child(file.name()), isFresh);
    }
}
