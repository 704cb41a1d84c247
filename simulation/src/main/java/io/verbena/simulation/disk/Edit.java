package io.verbena.simulation.disk;

/** A part of a transaction. */
sealed interface Edit {
    /** The object that is changed. */
    Inode inode();

    /** Brings the change to stable storage. */
    void commit();

    /** @param child null to remove the name */
    record Entry(Inode inode, Name name, Inode child) implements Edit {
        @Override
        public void commit() {
            if (child == null) {
                inode.stableEntries.remove(name);
            } else {
                inode.stableEntries.put(name, child);
            }
        }
    }

    record Change(Inode inode, Attributes attributes) implements Edit {
        @Override
        public void commit() {
            inode.stableAttributes = attributes;
        }
    }

    /** A truncation. */
    record Cut(Inode inode, FileContent.Cut cut) implements Edit {
        @Override
        public void commit() {
            inode.content.commit(cut);
        }
    }
}
