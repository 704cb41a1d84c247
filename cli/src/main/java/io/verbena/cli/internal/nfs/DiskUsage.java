package io.verbena.cli.internal.nfs;

import io.verbena.cli.internal.FileKey;
import io.verbena.cli.internal.MountedPath;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Adds up what is in directories, on the way through them; holds the directories above, and files with several names. */
final class DiskUsage implements TreeWalk.Visitor {
    /**
     * What a directory, or a file that a walk starts from, comes to.
     *
     * @param octets with all below it
     * @param files not directories, with several names counted once
     * @param directories itself included
     */
    record Total(MountedPath path, long octets, long files, long directories) {}

    /** Told of totals. */
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
     * @param apparentSize whether sizes count, and not the room that files take
     * @param maxDepth how far below the start directories are reported
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
