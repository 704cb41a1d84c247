package io.verbena.cli.internal.nfs.listing;

import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.nfs.command.TreeWalk;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.transfer.walk.FileKey;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Adds up the sizes in directories during a walk. Holds the directories above the current one, and the files with
 * several names.
 */
final class DiskUsage implements TreeWalk.Visitor {
    /**
     * The total of a directory, or of a file that is the start of a walk.
     *
     * @param path the path
     * @param octets the octets of the object and of everything below it
     * @param files the number of objects that are not directories; a file with several names counts once
     * @param directories the number of directories, including the object itself
     */
    record Total(MountedPath path, long octets, long files, long directories) {}

    /** Receives totals. */
    interface Report {
        void add(Total total) throws IOException;
    }

    private static final class Sum {
        private long octets;
        private long files;
        private long directories;
    }

    private final boolean apparentSize;
    private final long maxDepth;
    private final Report report;
    private final Deque<Sum> above = new ArrayDeque<>();
    private final Set<FileKey> counted = new HashSet<>();

    /**
     * Creates a visitor.
     *
     * @param apparentSize whether the sizes of files count, and not the space that they occupy
     * @param maxDepth the largest depth below a start at which directories are reported
     */
    DiskUsage(boolean apparentSize, long maxDepth, Report report) {
        this.apparentSize = apparentSize;
        this.maxDepth = maxDepth;
        this.report = report;
    }

    @Override
    public void enter(MountedPath path, FileAttributes attributes, int depth) throws IOException {
        long octets = apparentSize ? attributes.size() : attributes.spaceUsed();
        if (attributes.isDirectory()) {
            Sum sum = new Sum();
            sum.octets = octets;
            sum.directories = 1;
            above.push(sum);
        } else if (depth == 0) {
            report.add(new Total(path, octets, 1, 0));
        } else if (attributes.linkCount() < 2 || counted.add(FileKey.of(attributes))) {
            above.element().octets += octets;
            above.element().files++;
        }
    }

    @Override
    public void leave(MountedPath directory, FileAttributes attributes, int depth) throws IOException {
        Sum sum = above.pop();
        if (depth <= maxDepth) {
            report.add(new Total(directory, sum.octets, sum.files, sum.directories));
        }
        if (depth > 0) {
            above.element().octets += sum.octets;
            above.element().files += sum.files;
            above.element().directories += sum.directories;
        }
    }
}
