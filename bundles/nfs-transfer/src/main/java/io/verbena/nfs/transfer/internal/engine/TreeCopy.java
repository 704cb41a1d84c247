package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopyStep.Kind;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.internal.file.Backups;
import io.verbena.nfs.transfer.internal.file.CopyContext;
import io.verbena.nfs.transfer.internal.file.FileCopy;
import io.verbena.nfs.transfer.internal.file.HardLinkMaker;
import io.verbena.nfs.transfer.internal.file.PartNames;
import io.verbena.nfs.transfer.internal.file.RemovalLimit;
import io.verbena.nfs.transfer.internal.file.Removals;
import io.verbena.nfs.transfer.internal.file.TypeConflicts;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import io.verbena.nfs.transfer.internal.plan.PlannedDirectory;
import io.verbena.nfs.transfer.internal.plan.Removal;
import io.verbena.nfs.transfer.internal.tree.FatalFailures;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Copies files and trees as {@code cp -r} does. The copy moves several files at a time, keeps modes and times of
 * modification, and copies symbolic links as links. When a mount is replaced, the copy continues with the next mount. A
 * file that fails does not end the copy, unless the other files would fail as well.
 */
final class TreeCopy extends CopyJob {
    private final List<TreePath> sources;
    private final TreePath target;
    private final CopyOptions options;
    private final Runtime runtime;
    private final PartNames partNames;
    private final long stretch;
    private final CopyEvents events;
    private final Queue<CopyFailure> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean makesTarget;

    /**
     * Creates a copy.
     *
     * @param partNames the names of temporary files that later copies continue
     * @param stretch the size in octets of the ranges of a large file that are each moved, verified or kept as a whole
     */
    TreeCopy(
            Running running,
            List<TreePath> sources,
            TreePath target,
            CopyOptions options,
            Runtime runtime,
            PartNames partNames,
            long stretch,
            CopyEvents events) {
        super(running, runtime, events);
        this.sources = List.copyOf(sources);
        this.target = target;
        this.options = options;
        this.runtime = runtime;
        this.partNames = partNames;
        this.stretch = stretch;
        this.events = events;
    }

    @Override
    public boolean makesTarget() {
        return makesTarget;
    }

    @Override
    Optional<UnresponsiveServer> unresponsiveServer() {
        return Stream.concat(Stream.of(target), sources.stream())
                .flatMap(each -> each.unresponsiveServer().stream())
                .min(Comparator.comparing(UnresponsiveServer::since));
    }

    @Override
    void closePaths() {
        target.close();
        sources.forEach(TreePath::close);
    }

    @Override
    public String toString() {
        return sources + " to " + target;
    }

    @Override
    CopySummary copy() throws IOException, InterruptedException {
        long start = runtime.nanoTime();
        Optional<TreePath> backup = backupDirectory();
        CopyPlan plan = CopyPlan.of(sources, target, options);
        counters.plan(plan.fileCount(), plan.octets());
        makesTarget = plan.makesTarget();
        plan.failures().forEach(this::add);
        RemovalLimit limit = new RemovalLimit(options);
        limit.check(plan, target);
        Backups backups = backup.isPresent() ? Backups.in(backup.get(), target, this::noteStep) : Backups.NONE;
        Removals removals = limit.removals((what, node, directory) -> {
            backups.remove(what, node, directory);
            noteStep(CopyStep.of(Kind.REMOVE, what.toString()));
        });
        TypeConflicts obstacles = new TypeConflicts(removals, plan.failures().isEmpty(), runtime.random(), backups);
        makeDirectories(plan.directories(), obstacles);
        CopyContext context = context(obstacles);
        plan.singles().forEach(item -> context.abandoned.wrote(item.to()));
        new FileRounds(context, events, requestsAtOnce(), new Report(), this::tick).run(plan.files());
        if (plan.isSingleFile() && !failures.isEmpty()) {
            throw failures.remove().cause();
        }
        HardLinkMaker names = new HardLinkMaker(options, counters, obstacles);
        names.make(plan.hardLinks().links(), failures, this::add);
        if (failures.isEmpty()) { // after a failure, an object may only seem to be missing in the source
            remove(plan.surplus(), removals);
        }
        plan.withParts().forEach(context.abandoned::found);
        context.abandoned.remove();
        setAttributes(plan.directories());
        tick();
        return summary(plan, runtime.nanoTime() - start, removals.count(), names.made());
    }

    private CopyContext context(TypeConflicts obstacles) {
        return new CopyContext(options, counters, runtime, partNames, stretch, obstacles);
    }

    /** Returns the directory for replaced and removed files, if the copy may keep them there. */
    private Optional<TreePath> backupDirectory() throws IOException {
        if (options.backup().isEmpty()) {
            return Optional.empty();
        }
        TreePath directory = target.inThisTree(options.backup().get());
        boolean isSync = options.has(Flag.SYNC);
        if (directory.isSame(target) || (isSync && directory.isBelow(target))) {
            throw new IOException(directory + ": is in " + target + ", which the copy changes; keep files elsewhere");
        }
        TreePath source = sources.get(0);
        boolean isInSource =
                source.isRemote() == directory.isRemote() && (directory.isSame(source) || directory.isBelow(source));
        if (isSync && isInSource) {
            throw new IOException(directory + ": is in " + source + ", which is copied; keep files elsewhere");
        }
        return Optional.of(directory);
    }

    /** Passes what became of files on to the listeners. */
    private final class Report implements FileRounds.Report {
        @Override
        public void failed(CopyFailure failure) {
            add(failure);
        }

        @Override
        public void retried(CopyFailure failure) {
            noteRetry(failure);
        }

        @Override
        public void done(CopyStep step) {
            noteStep(step);
        }
    }

    /** Returns the number of requests that all mounts of this copy take at a time; 0 if it is not known. */
    private int requestsAtOnce() {
        return Stream.concat(Stream.of(target), sources.stream())
                .filter(TreePath::isRemote)
                .mapToInt(TreePath::requestsAtOnce)
                .min()
                .orElse(0);
    }

    private void add(CopyFailure failure) {
        failures.add(failure);
        noteFailure(failure);
    }

    @Override
    CopySummary rehearsed(Consumer<CopyStep> steps) throws IOException, InterruptedException {
        backupDirectory();
        CopyPlan plan = CopyPlan.of(sources, target, options);
        plan.failures().forEach(this::add);
        RemovalLimit limit = new RemovalLimit(options);
        limit.check(plan, target);
        Removals removals =
                limit.removals((what, node, directory) -> steps.accept(CopyStep.of(Kind.REMOVE, what.toString())));
        TypeConflicts obstacles =
                new TypeConflicts(removals, plan.failures().isEmpty(), runtime.random(), Backups.NONE);
        CopyContext context = context(obstacles);
        rehearseDirectories(plan.directories(), obstacles, removals, steps);
        long octets = 0;
        for (Iterator<CopyPlan.Item> items = plan.files(); items.hasNext(); ) {
            CopyPlan.Item item = items.next();
            try {
                octets += rehearse(context, item, removals, steps);
            } catch (IOException e) {
                fail(item.from(), item.to(), e);
            }
        }
        HardLinkMaker names = new HardLinkMaker(options, counters, obstacles);
        names.rehearse(
                plan.hardLinks().links(),
                removals,
                this::add,
                link -> steps.accept(new CopyStep(
                        Kind.LINK,
                        link.item().to().toString(),
                        link.first().to().toString())));
        if (failures.isEmpty()) {
            remove(plan.surplus(), removals);
        }
        counters.move(octets);
        return summary(plan, 0, removals.count(), names.made());
    }

    private void rehearseDirectories(
            List<PlannedDirectory> directories, TypeConflicts obstacles, Removals removals, Consumer<CopyStep> steps)
            throws IOException, InterruptedException {
        for (PlannedDirectory directory : directories) {
            if (directory.isFresh && !directory.isLost()) {
                try {
                    if (directory.obstacle != null) {
                        obstacles.checkMayGo(directory);
                        removals.remove(directory.obstacle, this::add);
                    }
                    steps.accept(CopyStep.of(Kind.MAKE_DIRECTORY, directory.to.toString()));
                } catch (IOException e) {
                    directory.setLost();
                    fail(directory, e);
                }
            }
        }
    }

    /**
     * Reports the step for one file without taking it.
     *
     * @return the number of octets that would be moved
     */
    private long rehearse(CopyContext context, CopyPlan.Item item, Removals removals, Consumer<CopyStep> steps)
            throws IOException, InterruptedException {
        Optional<CopyStep> step = new FileCopy(context, item).rehearse();
        if (step.isEmpty()) {
            counters.leave(0);
            return 0;
        }
        if (item.obstacle() != null) {
            removals.remove(item.obstacle(), this::add);
        }
        counters.completeFile();
        noteExtendedAttributes(item.from(), item.node());
        steps.accept(step.get());
        return item.node().isRegularFile() ? item.node().size() : 0;
    }

    private void noteExtendedAttributes(TreePath from, FileEntry node) throws IOException {
        if (!node.isSymbolicLink() && from.hasExtendedAttributes()) {
            counters.noteExtendedAttributes();
        }
    }

    private CopySummary summary(CopyPlan plan, long nanos, long removed, long linked) {
        return new CopySummary(
                counters.copiedFiles(),
                counters.movedOctets(),
                nanos,
                replacements(),
                plan.skipped(),
                plan.unchanged() + counters.unchangedFiles(),
                counters.keptOctets(),
                removed,
                new CopySummary.Kept(
                        linked,
                        plan.hardLinks().separated(),
                        counters.withExtendedAttributes(),
                        counters.withoutLinkTimes()),
                List.copyOf(failures));
    }

    /**
     * Returns the number of mounts that replaced another mount. Each mount counts once, even if several sources are on
     * it.
     */
    private int replacements() {
        Set<Mount> mounts = Collections.newSetFromMap(new IdentityHashMap<>());
        mounts.addAll(target.successors());
        sources.forEach(source -> mounts.addAll(source.successors()));
        return mounts.size();
    }

    private void makeDirectories(List<PlannedDirectory> directories, TypeConflicts obstacles)
            throws IOException, InterruptedException {
        for (PlannedDirectory directory : directories) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (directory.isFresh && !directory.isLost()) {
                try {
                    obstacles.make(directory);
                    noteStep(CopyStep.of(Kind.MAKE_DIRECTORY, directory.to.toString()));
                } catch (IOException e) {
                    directory.setLost();
                    fail(directory, e);
                }
            }
        }
    }

    private void fail(PlannedDirectory directory, IOException failure) throws IOException {
        if (directory.isTop()) {
            throw failure;
        }
        fail(directory.from, directory.to, failure);
    }

    private void fail(TreePath from, TreePath to, IOException failure) throws IOException {
        if (FatalFailures.isFatal(failure, from, to)) {
            throw failure;
        }
        add(from.failure(failure));
    }

    /**
     * Sets the attributes of directories, children first. Writing into a directory changes its time, and its mode can
     * forbid writing.
     */
    private void setAttributes(List<PlannedDirectory> directories) throws IOException, InterruptedException {
        List<PlannedDirectory> made = new ArrayList<>(directories);
        Collections.reverse(made);
        for (PlannedDirectory directory : made) {
            if (isToBeLike(directory) && !directory.isLost()) {
                try {
                    if (options.has(Flag.PRESERVE)) {
                        directory.to.setExtras(FileType.DIRECTORY, directory.from.extras());
                    } else {
                        directory.to.setAttributes(
                                FileType.DIRECTORY, directory.node.mode(), directory.node.modified());
                    }
                    noteExtendedAttributes(directory.from, directory.node);
                } catch (IOException e) {
                    fail(directory, e);
                }
            }
        }
    }

    /**
     * Returns whether the copy sets the attributes of a directory. An interrupted earlier copy has not set them yet.
     */
    private boolean isToBeLike(PlannedDirectory directory) {
        return directory.isFresh
                || options.has(Flag.SYNC)
                || (options.has(Flag.RESUME) && !directory.from.isContents());
    }

    private void remove(List<Removal> list, Removals removals) throws IOException, InterruptedException {
        for (Removal removal : list) {
            try {
                removals.remove(removal, this::add);
            } catch (IOException e) {
                fail(removal.what(), removal.what(), e);
            }
        }
    }
}
