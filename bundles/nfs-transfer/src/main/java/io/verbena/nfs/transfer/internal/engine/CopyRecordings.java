package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.internal.file.CopyCounters;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Defines the Flight Recorder events of copies. An event is recorded only if a recording enables it by name. */
final class CopyRecordings {
    private static final double NANOS_PER_SECOND = 1e9;

    private CopyRecordings() {}

    @Name("io.verbena.transfer.Started")
    @Label("Copy started")
    @Category({"Verbena", "Transfers"})
    @Enabled(false)
    @StackTrace(false)
    static final class Started extends Event {
        @Label("Copy")
        @Description("From where and to where")
        String copy;
    }

    @Name("io.verbena.transfer.Ended")
    @Label("Copy ended")
    @Category({"Verbena", "Transfers"})
    @Enabled(false)
    @StackTrace(false)
    static final class Ended extends Event {
        @Label("Copy")
        @Description("From where and to where")
        String copy;

        @Label("Files")
        @Description("That were copied")
        long files;

        @Label("Files the same already")
        long unchanged;

        @Label("Failures")
        @Description("Files that could not be copied")
        long failures;

        @Label("Octets moved")
        @DataAmount
        long octets;

        @Label("Rate")
        @Description("Octets moved each second")
        @DataAmount
        long octetsPerSecond;

        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("Failure")
        @Description("What ended the whole copy")
        String failure;
    }

    @Name("io.verbena.transfer.File")
    @Label("File copied")
    @Description("A large file is whole, or a file of any size has failed")
    @Category({"Verbena", "Transfers"})
    @Enabled(false)
    @StackTrace(false)
    static final class FileEnded extends Event {
        @Label("Source")
        String source;

        @Label("Target")
        String target;

        @Label("Size")
        @DataAmount
        long octets;

        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("Failure")
        String failure;
    }

    static void started(String copy) {
        Started event = new Started();
        if (event.isEnabled()) {
            event.copy = copy;
            event.commit();
        }
    }

    static void ended(String copy, CopyCounters counters, long nanos, Throwable failure) {
        Ended event = new Ended();
        if (event.isEnabled()) {
            event.copy = copy;
            event.files = counters.copiedFiles();
            event.unchanged = counters.unchangedFiles();
            event.failures = counters.failures();
            event.octets = counters.movedOctets();
            event.octetsPerSecond = (long) (counters.movedOctets() / (Math.max(1, nanos) / NANOS_PER_SECOND));
            event.took = nanos;
            event.failure = failure == null ? null : failure.toString();
            event.commit();
        }
    }

    static void fileEnded(CopyPlan.Item item, long nanos, Throwable failure) {
        FileEnded event = new FileEnded();
        if (event.isEnabled()) {
            event.source = item.from().toString();
            event.target = item.to().toString();
            event.octets = item.node().size();
            event.took = nanos;
            event.failure = failure == null ? null : failure.toString();
            event.commit();
        }
    }
}
