package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Copies files and trees as {@code cp -r} does: several files at a time, with their modes and times of modification,
 * symbolic links as such. Where a mount is replaced it goes on with the next one. A file that cannot be copied keeps no
 * other from it, unless those could not be copied either. Used once, by one thread.
 */
public final class Copy {
    private final List<Location> sources;
    private final Location target;
    private final CopyOptions options;
    private final Progress progress = new Progress();
    private final TransferClock clock;
    private final long stretch;
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();
    private Runnable tick = () -> {};
    private boolean makesTarget;

    public Copy(List<Location> sources, Location target, CopyOptions options) {
        this(sources, target, options, TransferClock.SYSTEM, CopyContext.STRETCH);
    }

    Copy(List<Location> sources, Location target, CopyOptions options, TransferClock clock, long stretch) {
        this.stretch = stretch;
        this.sources = List.copyOf(sources);
        this.target = target;
        this.options = options;
        this.clock = clock;
    }

    /** As {@link #run()}, where nobody looks on and a failure of any file is one of the copy. */
    public static Summary run(List<Location> sources, Location target, CopyOptions options)
            throws IOException, InterruptedException {
        Summary summary = new Copy(sources, target, options).run();
        if (!summary.failed().isEmpty()) {
            throw summary.failed().get(0).cause();
        }
        return summary;
    }

    /** How far it is, also after it has failed. */
    public Progress progress() {
        return progress;
    }

    /**
     * From where and to where a synchronisation goes on after a failure, where the same copy would not: into the directory
     * that this one makes of a target that was not there. Else empty.
     */
    public List<Location> toSynchronise() {
        return makesTarget ? List.of(sources.get(0), target) : List.of();
    }

    /** Has something called about ten times a second while files are copied, by the thread that waits for them. */
    public void onTick(Runnable newTick) {
        tick = newTick;
    }

    /**
     * Copies. Of several files those that failed are in the summary; of a single one the failure is thrown, as is what
     * ends all of it.
     */
    public Summary run() throws IOException, InterruptedException {
        long start = clock.nanos();
        CopyPlan plan = CopyPlan.of(sources, target, options);
        progress.plan(plan.fileCount(), plan.octets());
        makesTarget = plan.makesTarget();
        failures.addAll(plan.failures());
        Removals removals = new Removals(options.filter(), Location::remove);
        Obstacles obstacles = new Obstacles(removals, plan.failures().isEmpty());
        makeDirectories(plan.directories(), obstacles);
        CopyContext context = new CopyContext(options, progress, clock, stretch, obstacles);
        new Workers(context, plan.files(), failures::add, tick).run();
        if (plan.isSingleFile() && !failures.isEmpty()) {
            throw failures.remove().cause();
        }
        FurtherNames names = new FurtherNames(options, progress, obstacles);
        names.make(plan.hardLinks().links(), failures);
        if (failures.isEmpty()) { // what could not be read may be what is missed
            remove(plan.surplus(), removals);
        }
        setAttributes(plan.directories());
        tick.run();
        return summary(plan, clock.nanos() - start, removals.count(), names.made());
    }

    /**
     * Tells what {@link #run()} would do, a line each, and changes nothing.
     *
     * @return what the summary would say, as far as it can be known
     */
    public Summary rehearse(Consumer<String> out) throws IOException, InterruptedException {
        CopyPlan plan = CopyPlan.of(sources, target, options);
        failures.addAll(plan.failures());
        Removals removals = new Removals(options.filter(), what -> out.accept("remove " + what));
        Obstacles obstacles = new Obstacles(removals, plan.failures().isEmpty());
        CopyContext context = new CopyContext(options, progress, clock, stretch, obstacles);
        rehearseDirectories(plan.directories(), obstacles, removals, out);
        long octets = 0;
        for (Iterator<CopyPlan.Item> items = plan.files(); items.hasNext(); ) {
            CopyPlan.Item item = items.next();
            try {
                octets += rehearse(context, item, removals, out);
            } catch (IOException e) {
                fail(item.from(), item.to(), e);
            }
        }
        FurtherNames names = new FurtherNames(options, progress, obstacles);
        names.rehearse(
                plan.hardLinks().links(),
                removals,
                failures,
                link -> out.accept(
                        "link " + link.item().to() + " to " + link.first().to()));
        if (failures.isEmpty()) {
            remove(plan.surplus(), removals);
        }
        progress.move(octets);
        return summary(plan, 0, removals.count(), names.made());
    }

    private void rehearseDirectories(
            List<PlannedDirectory> directories, Obstacles obstacles, Removals removals, Consumer<String> out)
            throws IOException, InterruptedException {
        for (PlannedDirectory directory : directories) {
            if (directory.isFresh && !directory.isLost()) {
                try {
                    if (directory.obstacle != null) {
                        obstacles.checkMayGo(directory);
                        removals.remove(directory.obstacle, failures::add);
                    }
                    out.accept("make " + directory.to + "/");
                } catch (IOException e) {
                    directory.setLost();
                    fail(directory, e);
                }
            }
        }
    }

    /** Returns how many octets would be moved. */
    private long rehearse(CopyContext context, CopyPlan.Item item, Removals removals, Consumer<String> out)
            throws IOException, InterruptedException {
        if (!new FileCopy(context, item).isNeeded()) {
            progress.leave(0);
            return 0;
        }
        if (item.obstacle() != null) {
            removals.remove(item.obstacle(), failures::add);
        }
        progress.completeFile();
        noteExtendedAttributes(item.from(), item.node());
        out.accept("copy " + item.from() + " to " + item.to());
        return item.node().isRegularFile() ? item.node().size() : 0;
    }

    private void noteExtendedAttributes(Location from, Node node) throws IOException {
        if (!node.isSymbolicLink() && from.hasExtendedAttributes()) {
            progress.noteExtendedAttributes();
        }
    }

    private Summary summary(CopyPlan plan, long nanos, long removed, long linked) {
        return new Summary(
                progress.copiedFiles(),
                progress.movedOctets(),
                nanos,
                replacements(),
                plan.skipped(),
                plan.unchanged() + progress.unchangedFiles(),
                progress.keptOctets(),
                removed,
                new Summary.Kept(
                        linked,
                        plan.hardLinks().separated(),
                        progress.withExtendedAttributes(),
                        progress.withoutLinkTimes()),
                List.copyOf(failures));
    }

    /** Counts each mount once that has taken another's place, however many of the files are on it. */
    private int replacements() {
        Set<Mount> mounts = Collections.newSetFromMap(new IdentityHashMap<>());
        mounts.addAll(target.successors());
        sources.forEach(source -> mounts.addAll(source.successors()));
        return mounts.size();
    }

    private void makeDirectories(List<PlannedDirectory> directories, Obstacles obstacles)
            throws IOException, InterruptedException {
        for (PlannedDirectory directory : directories) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (directory.isFresh && !directory.isLost()) {
                try {
                    obstacles.make(directory);
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

    private void fail(Location from, Location to, IOException failure) throws IOException {
        if (Fatal.isFatal(failure, from, to)) {
            throw failure;
        }
        failures.add(Failure.of(from, failure));
    }

    /** Children first: to write into a directory changes its time, and its mode may forbid to. */
    private void setAttributes(List<PlannedDirectory> directories) throws IOException, InterruptedException {
        List<PlannedDirectory> made = new ArrayList<>(directories);
        Collections.reverse(made);
        for (PlannedDirectory directory : made) {
            if (isToBeLike(directory) && !directory.isLost()) {
                try {
                    if (options.has(Flag.PRESERVE)) {
                        directory.to.setExtras(directory.from.extras());
                    } else {
                        directory.to.setAttributes(directory.node.mode(), directory.node.modified());
                    }
                    noteExtendedAttributes(directory.from, directory.node);
                } catch (IOException e) {
                    fail(directory, e);
                }
            }
        }
    }

    /** Whether it is given attributes: an earlier copy that was broken off has not come to that. */
    private boolean isToBeLike(PlannedDirectory directory) {
        return directory.isFresh
                || options.has(Flag.SYNC)
                || (options.has(Flag.RESUME) && !directory.from.isContents());
    }

    private void remove(List<Removal> list, Removals removals) throws IOException, InterruptedException {
        for (Removal removal : list) {
            try {
                removals.remove(removal, failures::add);
            } catch (IOException e) {
                fail(removal.what(), removal.what(), e);
            }
        }
    }
}
