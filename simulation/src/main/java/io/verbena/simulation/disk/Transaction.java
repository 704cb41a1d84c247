package io.verbena.simulation.disk;

import java.util.ArrayList;
import java.util.List;

/** Changes of names and attributes that a crash leaves together or not at all. Programs see each change at once. */
final class Transaction {
    private final List<Edit> edits = new ArrayList<>(4);

    Transaction put(Inode directory, Name name, Inode child) {
        directory.entries.put(name, child);
        if (child.isDirectory()) {
            child.parent = directory;
        }
        edits.add(new Edit.Entry(directory, name, child));
        return this;
    }

    Transaction remove(Inode directory, Name name) {
        directory.entries.remove(name);
        edits.add(new Edit.Entry(directory, name, null));
        return this;
    }

    Transaction change(Inode inode, Attributes attributes) {
        inode.attributes = attributes;
        edits.add(new Edit.Change(inode, attributes));
        return this;
    }

    Transaction cut(Inode inode, FileContent.Cut cut) {
        edits.add(new Edit.Cut(inode, cut));
        return this;
    }

    List<Edit> edits() {
        return edits;
    }

    /** Whether this changes the attributes of an object and nothing else. */
    boolean isOnlyChangeOf(Inode inode) {
        return edits.size() == 1 && edits.get(0) instanceof Edit.Change change && change.inode() == inode;
    }
}
