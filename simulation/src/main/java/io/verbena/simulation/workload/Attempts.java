package io.verbena.simulation.workload;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.world.ClientHost;
import io.verbena.simulation.world.Judge;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Stream;

/** The operations of a worker: each is done until it is done, and may fail for known reasons only. */
final class Attempts {
    private static final int MOST_TRIES = 500;
    private static final long PAUSE_NANOS = 100_000_000;
    /** How long what a soft mount has given up may still come to the server. */
    private static final long SETTLED_NANOS = 30_000_000_000L;
    /** A soft mount has no reason to give up where the last fault is longer ago than this and the major time-out. */
    private static final long AFTERMATH_NANOS = 60_000_000_000L;
    /** An operation of a soft mount, which may be many calls, takes so many major time-outs at most, and a minute. */
    private static final int MOST_MAJOR_TIMEOUTS = 10;

    private final ClientHost client;
    private final String name;
    private final Judge judge;
    /** The failures of the disk before the present operation. */
    private long failures;

    Attempts(ClientHost client, String name, Judge judge) {
        this.client = client;
        this.name = name;
        this.judge = judge;
    }

    /**
     * A file is not as it was written. That is excused where closing the file tells why, so that this has the failure
     * as a suppressed one: its disk has failed, or its mount has given up.
     */
    static final class OtherContentException extends IOException {
        private static final long serialVersionUID = 1L;

        OtherContentException(String difference) {
            super(difference);
        }
    }

    /** What an operation does. */
    interface Step {
        void run() throws IOException;
    }

    /**
     * Does an operation.
     *
     * @param settle brings the files to where the operation was to bring them, whatever of it is done; may be done
     *     again
     * @return whether the worker may go on
     */
    boolean run(String what, Step step, Step settle) {
        Step next = step;
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            int begun = judge.begin(name + ": " + (tries == 0 ? "" : "settle: ") + what);
            long start = judge.now();
            failures = judge.diskFailures();
            int replacements = client.replacements();
            boolean wasBeingReplaced = client.isBeingReplaced();
            try {
                next.run();
                judge.tell(name + ": done: " + what);
                return isInTime(what, start, replacements);
            } catch (IOException | RuntimeException e) {
                boolean isReplaced = wasBeingReplaced || client.replacements() != replacements;
                boolean isExcused = false;
                for (Throwable each = e; each != null; each = each.getCause()) {
                    isExcused |= (isReplaced && each instanceof MountReplacedException)
                            || (client.replacements() - replacements >= ReplaceableMount.MAX_REPLACEMENTS
                                    && String.valueOf(each.getMessage()).endsWith("is replaced over and over"))
                            || isGivenUp(each)
                            || isExcused(each, begun, start);
                }
                if (!isExcused) {
                    judge.fail(name + ": " + what + ": " + Scheduler.text(e));
                    return false;
                }
                judge.tell(name + ": " + what + " has ended in " + e);
                if (!isInTime(what, start, replacements)) {
                    return false;
                }
            }
            next = settle;
            pause(client.isSoft() ? SETTLED_NANOS : PAUSE_NANOS);
        }
        judge.fail(name + ": " + what + " does not settle");
        return false;
    }

    /** Whether a soft mount tells that the server does not answer, and had a reason to give up. */
    private boolean isGivenUp(Throwable failure) {
        long aftermath = client.majorTimeout().toNanos() + AFTERMATH_NANOS;
        return client.isSoft()
                && isUnanswered(failure)
                && (judge.hasBeenFault(aftermath) || (isOfGrace(failure) && judge.hasBeenGrace(aftermath)));
    }

    /** @param replacements of the mount before the operation */
    private boolean isInTime(String what, long start, int replacements) {
        long nanos = judge.now() - start;
        long most = MOST_MAJOR_TIMEOUTS * client.majorTimeout().toNanos() + AFTERMATH_NANOS;
        // java.nio and the copies wait for each next mount, and begin anew on it
        most += (client.replacements() - replacements) * (client.majorTimeout().toNanos() + ClientHost.BOUND.toNanos());
        if (judge.hasBeenGrace(nanos)) {
            most += judge.graceNanos(); // which a soft mount waits out
        }
        boolean isInTime = !client.isSoft() || nanos <= most;
        if (!isInTime) {
            judge.fail(name + ": " + what + " has taken " + nanos / 1e9 + " s on a soft mount with a major time-out of "
                    + client.majorTimeout());
        }
        return isInTime;
    }

    private static boolean isUnanswered(Throwable failure) {
        return failure instanceof ServerUnavailableException
                || failure instanceof UndecidedException
                || (failure instanceof NfsException known
                        && Set.of("NFS4ERR_DELAY", "NFS4ERR_GRACE", "NFS4ERR_BADSESSION", "NFS4ERR_STALE_CLIENTID")
                                .contains(known.status()));
    }

    private static boolean isOfGrace(Throwable failure) {
        return failure instanceof NfsException known && known.status().equals("NFS4ERR_GRACE");
    }

    /** A step through java.nio, which goes on where a mount is replaced, ten times at least. */
    Step nio(Step step) {
        return () -> {
            int replacements = client.replacements();
            try {
                step.run();
            } catch (MountReplacedException e) {
                if (client.replacements() - replacements < ReplaceableMount.MAX_REPLACEMENTS) {
                    judge.fail(name + ": java.nio tells of a replaced mount: " + Scheduler.text(e));
                }
                throw e;
            }
        };
    }

    private boolean isExcused(Throwable failure, int begun, long start) {
        if (failure instanceof UndecidedException
                && (judge.hasRestartedSince(begun) || judge.mayBeForgotten(client, start))) {
            return true;
        }
        if (failure instanceof OtherContentException) {
            return Stream.of(failure.getSuppressed())
                    .anyMatch(each -> (isOfDisk(each) && hasDiskFailed()) || isGivenUp(each));
        }
        if (!(failure instanceof NfsException known)) {
            return false;
        }
        return (isOfDisk(known) && hasDiskFailed())
                || (known.getReason().contains("loses written data again and again") && judge.mayBeGivenUp(begun));
    }

    private static boolean isOfDisk(Throwable failure) {
        return failure instanceof NfsException known
                && Set.of("NFS4ERR_IO", "NFS4ERR_NOSPC").contains(known.status());
    }

    private void pause(long nanos) {
        try {
            client.process().runtime().sleep(nanos);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether written data may be lost, if the user is told. */
    boolean mayLose() {
        return hasDiskFailed() || client.isSoft();
    }

    /** Whether the disk has failed since the present operation began. */
    private boolean hasDiskFailed() {
        return judge.diskFailures() > failures;
    }
}
