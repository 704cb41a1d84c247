package io.verbena.simulation.disk;

/** What of a disk is in use. */
final class Space {
    private final DiskFaults faults;
    private long pages;
    private long inodes;

    Space(DiskFaults faults) {
        this.faults = faults;
    }

    /** Takes a page, unless there is no room. */
    boolean takePage() {
        if (freePages() <= 0) {
            faults.counted(DiskFault.NO_SPACE);
            return false;
        }
        if (faults.strikes(DiskFault.NO_SPACE)) {
            return false;
        }
        pages++;
        return true;
    }

    /** Takes the place of an object, unless there is none. */
    boolean takeInode() {
        if (inodes >= faults.inodes()) {
            faults.counted(DiskFault.NO_INODE);
            return false;
        }
        if (faults.strikes(DiskFault.NO_INODE)) {
            return false;
        }
        inodes++;
        return true;
    }

    void release(long count) {
        pages -= count;
    }

    void releaseInode() {
        inodes--;
    }

    /** Begins anew, after a crash. */
    void reset() {
        pages = 0;
        inodes = 0;
    }

    /** Counts what is there, also beyond the limits. */
    void found(long count) {
        pages += count;
        inodes++;
    }

    long usedPages() {
        return pages;
    }

    long usedInodes() {
        return inodes;
    }

    private long freePages() {
        return faults.capacity() / FileContent.PAGE - pages;
    }
}
