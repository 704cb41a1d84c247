package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.Progress;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the progress of a copy. Workers add to the counters, and the thread that runs the copy reads them. Thread
 * safe.
 */
public final class CopyCounters {
    private final LongAdder octets = new LongAdder();
    private final LongAdder kept = new LongAdder();
    private final LongAdder moved = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final LongAdder unchanged = new LongAdder();
    private final LongAdder withExtendedAttributes = new LongAdder();
    private final LongAdder withoutLinkTimes = new LongAdder();
    private final Queue<String> leftovers = new ConcurrentLinkedQueue<>();
    private final LongAdder failures = new LongAdder();
    private volatile String current = "";
    private volatile long plannedFiles;
    private volatile long plannedOctets;
    private volatile boolean isPlanned;

    /** Sets the number of files and octets to copy. */
    public void plan(long fileCount, long octetCount) {
        plannedFiles = fileCount;
        plannedOctets = octetCount;
        isPlanned = true;
    }

    /** Returns the current progress of the copy. */
    public Progress progress(Optional<UnresponsiveServer> silence) {
        return new Progress(
                isPlanned,
                files.sum() + unchanged.sum(),
                plannedFiles,
                plannedOctets == 0 ? octets.sum() : Math.min(octets.sum(), plannedOctets),
                plannedOctets,
                failures.sum(),
                current,
                silence);
    }

    /** Records that a file is started. */
    public void begin(TreePath file) {
        current = file.toString();
    }

    /** Counts a file that has failed. */
    public void fail() {
        failures.increment();
    }

    /** Counts octets that were moved. Octets that are moved again after the replacement of a mount count again. */
    public void pass(long count) {
        octets.add(count);
    }

    /** Counts octets of a file that were already in the target. */
    public void keep(long count) {
        octets.add(count);
        kept.add(count);
    }

    /** Counts the octets of a range that is complete in the target. */
    public void move(long count) {
        moved.add(count);
    }

    public void completeFile() {
        files.increment();
    }

    /** Counts a file that was already equal. */
    public void leave(long size) {
        octets.add(size);
        unchanged.increment();
    }

    /** Records a temporary file that could not be removed. */
    public void leaveBehind(TreePath file) {
        leftovers.add(file.place());
    }

    /** Returns the places of the temporary files that could not be removed. */
    public List<String> leftovers() {
        return List.copyOf(leftovers);
    }

    /** Counts a file or directory with extended attributes that its copy lacks. */
    public void noteExtendedAttributes() {
        withExtendedAttributes.increment();
    }

    /** Counts a symbolic link with a time of modification that its copy lacks. */
    public void noteLinkTime() {
        withoutLinkTimes.increment();
    }

    public long withExtendedAttributes() {
        return withExtendedAttributes.sum();
    }

    public long withoutLinkTimes() {
        return withoutLinkTimes.sum();
    }

    public long movedOctets() {
        return moved.sum();
    }

    public long keptOctets() {
        return kept.sum();
    }

    public long failures() {
        return failures.sum();
    }

    public long copiedFiles() {
        return files.sum();
    }

    public long unchangedFiles() {
        return unchanged.sum();
    }
}
