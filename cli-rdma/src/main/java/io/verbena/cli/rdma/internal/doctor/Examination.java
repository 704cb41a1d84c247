package io.verbena.cli.rdma.internal.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs checks one after the other, each within a bound. No check can end the examination or delay it further. */
final class Examination {
    private static final Logger LOG = LoggerFactory.getLogger(Examination.class);

    /** Findings above this number are left out, so that a check cannot fill the memory. */
    private static final int MOST_FINDINGS = 200;

    private final Duration bound;
    private final Consumer<Finding> told;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * Creates an examination.
     *
     * @param bound the most time for each check
     * @param told receives each finding at once, on the thread that runs the examination
     */
    Examination(Duration bound, Consumer<Finding> told) {
        this.bound = bound;
        this.told = told;
    }

    /** What a check's thread hands over: a finding, or the end of the check. */
    private record Step(Finding finding, boolean isEnd) {}

    /** Runs a check. */
    void run(Check check) throws InterruptedException {
        BlockingQueue<Step> steps = new LinkedBlockingQueue<>();
        Thread thread = new Thread(() -> look(check, steps), "verbena-doctor-" + check.name());
        thread.setDaemon(true);
        thread.start();
        long end = System.nanoTime() + bound.toNanos();
        try {
            while (true) {
                Step step = steps.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (step == null) {
                    tell(Finding.warning(
                            check.name(),
                            "the check took more than " + bound.toSeconds() + " s and was given up",
                            "try again when the host is less busy"));
                    return;
                }
                if (step.isEnd()) {
                    return;
                }
                tell(step.finding());
            }
        } finally {
            thread.interrupt();
        }
    }

    private static void look(Check check, BlockingQueue<Step> steps) {
        try {
            check.look().at(finding -> steps.add(new Step(finding, false)));
        } catch (Throwable e) { // also an Error, as of a class that is missing: a check never ends the examination
            LOG.debug("the check {} has failed", check.name(), e);
            steps.add(new Step(Finding.warning(check.name(), "the check itself has failed: " + e, ""), false));
        } finally {
            steps.add(new Step(null, true));
        }
    }

    /** Adds a finding. */
    void tell(Finding finding) {
        if (findings.size() < MOST_FINDINGS) {
            findings.add(finding);
            told.accept(finding);
        }
    }

    /** Returns all findings so far. */
    List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** Returns how many findings have a level. */
    long count(Finding.Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }
}
