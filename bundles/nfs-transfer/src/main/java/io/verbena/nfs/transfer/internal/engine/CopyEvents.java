package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports copies to JDK Flight Recorder, if there is a recorder and it records these events. A Java runtime can lack
 * the recorder, and in OSGi the import of its package is optional. In that case no class that needs the recorder is
 * loaded. The cost is negligible while no recording is active. Thread safe.
 */
final class CopyEvents {
    /** The smallest size of a file that is reported if it succeeds. A smaller file is reported only if it fails. */
    static final long LARGE = 16L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(CopyEvents.class);
    private static volatile boolean available = isAvailable();

    private static boolean isAvailable() {
        try {
            Class.forName("jdk.jfr.Event", false, CopyEvents.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /**
     * Handles an exception of the recorder, so that no copy is affected. While a recording is active, the classes of
     * the recorder must be visible to this bundle. They are visible only if the framework delegates {@code jdk.jfr.*}
     * to the boot class loader.
     */
    private static void failed(Throwable thrown) {
        if (thrown instanceof LinkageError) {
            available = false;
            LOG.warn(
                    "Flight Recorder is told of no copies: the framework does not delegate jdk.jfr.* ({})",
                    "" + thrown);
        } else {
            LOG.debug("Flight Recorder was not told of a copy", thrown);
        }
    }

    /** Reports the start of a copy. */
    void started(CopyJob job) {
        if (available) {
            try {
                CopyRecordings.started(job.toString());
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    /**
     * Reports the end of a copy.
     *
     * @param nanos the duration in nanoseconds
     * @param failure the failure that ended the whole copy, or null
     */
    void ended(CopyJob job, long nanos, Throwable failure) {
        if (available) {
            try {
                CopyRecordings.ended(job.toString(), job.counters, nanos, failure);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    /**
     * Reports a file that is complete or has failed.
     *
     * @param nanos the time since a worker started the file, in nanoseconds
     * @param failure the reason why the file was not copied, or null
     */
    void fileEnded(CopyPlan.Item item, long nanos, Throwable failure) {
        if (available && (failure != null || item.node().size() >= LARGE)) {
            try {
                CopyRecordings.fileEnded(item, nanos, failure);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }
}
