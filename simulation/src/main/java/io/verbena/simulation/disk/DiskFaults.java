package io.verbena.simulation.disk;

import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The limits of a disk and the faults that its operations meet, steered by the simulator, and the count of faults that
 * were met. A new object sets no limit and has no faults. Several disks may share one.
 *
 * <p>A random number is drawn only for a fault whose rate is between 0 and 1, so that faults that are off change
 * nothing of a run.
 */
public final class DiskFaults {
    private final RandomGenerator random;
    private final Map<DiskFault, Meter> meters = new EnumMap<>(DiskFault.class);
    private long capacity = 1L << 50;
    private long inodes = Long.MAX_VALUE;
    private long lateReports;
    private double loss = 0.5;
    private double eviction;

    /** The faults of a kind. */
    private static final class Meter {
        private double rate;
        private int due;
        private long count;
    }

    /** @param random for faults with a rate, and for what a failed force loses */
    public DiskFaults(RandomGenerator random) {
        this.random = random;
        for (DiskFault kind : DiskFault.values()) {
            meters.put(kind, new Meter());
        }
    }

    /** Sets the size of the disk in octets. What is there already stays, also beyond that size. */
    public void setCapacity(long octets) {
        capacity = octets;
    }

    public long capacity() {
        return capacity;
    }

    /** Sets how many objects there may be, the root directory included. */
    public void setInodes(long most) {
        inodes = most;
    }

    public long inodes() {
        return inodes;
    }

    /** Sets how probable a fault is for each operation that may meet it, from 0 to 1. */
    public void setRate(DiskFault kind, double probability) {
        meters.get(kind).rate = requireProbability(probability);
    }

    /** Lets the next operations that may meet a fault meet it. */
    public void failNext(DiskFault kind, int times) {
        meters.get(kind).due += times;
    }

    /** Sets how probable it is for each page of a failed force that the page is lost; 0.5 at first. */
    public void setLoss(double probability) {
        loss = requireProbability(probability);
    }

    /**
     * Sets how probable it is that programs see the old content of a lost page at once, as when the kernel needs the
     * memory; 0 at first. They see the lost content until a loss of power otherwise.
     */
    public void setEviction(double probability) {
        eviction = requireProbability(probability);
    }

    /** How often operations have met a fault. */
    public long count(DiskFault kind) {
        return meters.get(kind).count;
    }

    /** How many operations have met a fault. */
    public long failures() {
        long all = 0;
        for (DiskFault kind : DiskFault.values()) {
            all += kind == DiskFault.LOST_PAGE || kind == DiskFault.POWER_LOSS ? 0 : count(kind);
        }
        return all;
    }

    /** How many operations have failed, those included that tell of an earlier operation's lost pages. */
    public long reports() {
        return failures() + lateReports;
    }

    /** Called when an operation tells of pages that an earlier operation has lost. */
    void reportLate() {
        lateReports++;
    }

    /** Ends all faults that are due, those with a rate too. */
    public void endFaults() {
        for (Meter each : meters.values()) {
            each.due = 0;
            each.rate = 0;
        }
    }

    /** Whether an operation meets a fault; counts it then. */
    boolean strikes(DiskFault kind) {
        Meter meter = meters.get(kind);
        if (meter.due > 0) {
            meter.due--;
        } else if (!happens(meter.rate)) {
            return false;
        }
        meter.count++;
        return true;
    }

    /** Whether a page of a failed force is lost; counts it then. */
    boolean losesPage() {
        boolean loses = happens(loss);
        if (loses) {
            counted(DiskFault.LOST_PAGE);
        }
        return loses;
    }

    boolean evictsPage() {
        return happens(eviction);
    }

    void counted(DiskFault kind) {
        meters.get(kind).count++;
    }

    private boolean happens(double probability) {
        return probability >= 1 || (probability > 0 && random.nextDouble() < probability);
    }

    private static double requireProbability(double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException("not a probability: " + value);
        }
        return value;
    }
}
