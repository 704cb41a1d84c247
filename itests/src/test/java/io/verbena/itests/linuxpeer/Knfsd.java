package io.verbena.itests.linuxpeer;

import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.opentest4j.TestAbortedException;

/** The NFS server of a guest, and operations on it and beside it. */
final class Knfsd {
    private static final Duration LOCK = Duration.ofSeconds(60);

    /**
     * Many, because a CRC error of Linux's siw can leave threads that wait for ever (docs/interoperability.md). The
     * others go on.
     */
    private static final int NFSD_THREADS = 64;

    private static final String TRY_LOCK = "python3 -c 'import fcntl, sys\n"
            + "fcntl.lockf(open(sys.argv[1], \"r+\"), fcntl.LOCK_EX | fcntl.LOCK_NB)' ";

    /** Prints what the server's threads and all who wait uninterruptibly wait for, and the connected clients. */
    private static final String THREADS_AND_CONNECTIONS =
            "for thread in $(pgrep -x nfsd); do tr '\\n' ' ' < /proc/$thread/stack; echo; done | sort | uniq -c;"
                    + " for task in $(ps -eo pid=,stat= | awk '$2 ~ /D/ {print $1}'); do"
                    + " tr '\\0' ' ' < /proc/$task/cmdline; echo; cat /proc/$task/stack; done;"
                    + " ss -tnoi sport = :20049; dmesg | grep siw:; dmesg | tail -20";

    /** A thread of the server waits for the Read chunks of a call. */
    private static final Pattern FORGOTTEN_READ = Pattern.compile("svc_rdma_\\w*read");

    private final LinuxGuest guest;

    Knfsd(LinuxGuest guest) {
        this.guest = guest;
    }

    /**
     * Stops the server, which drops its clients, their sessions and their state. The server does not end while one of
     * its threads waits for an RDMA Read that siw has forgotten, so clients of this server go without the CRC. If that
     * has happened nevertheless, the test is aborted, and so are those that follow on this guest.
     */
    void stop() throws IOException, InterruptedException {
        try {
            guest.run("echo 0 > /proc/fs/nfsd/threads");
        } catch (LinuxGuest.CommandNotEndedError e) {
            String state = "";
            try {
                state = guest.run(THREADS_AND_CONNECTIONS);
            } finally {
                guest.giveUp("its NFS server does not end", isReadForgotten(state)); // who asks the server waits, too
            }
            if (isReadForgotten(state)) {
                throw new TestAbortedException("siw has forgotten an RDMA Read behind a CRC error:\n" + state, e);
            }
            throw new AssertionError(e.getMessage() + "\n" + state, e);
        }
    }

    private static boolean isReadForgotten(String state) {
        return FORGOTTEN_READ.matcher(state).find()
                && KernelLog.CRC_ERROR.matcher(state).find();
    }

    /** Restarts the server, with a grace period of 10 s if it had clients. */
    void start() throws IOException, InterruptedException {
        guest.run("cd /proc/fs/nfsd && echo 'rdma 20049' > portlist && echo " + NFSD_THREADS + " > threads");
    }

    /**
     * Restores the server, the network and the exports after a test that has stopped or removed them. Otherwise changes
     * nothing. Nor does it where the guest has been given up.
     */
    void restore() throws IOException, InterruptedException {
        if (guest.isGivenUp()) {
            return;
        }
        guest.setLink(true);
        guest.run(
                """
                rdma link show siw0/1 > /dev/null 2>&1 || rdma link add siw0 type siw netdev eth0
                cd /proc/fs/nfsd && { grep -q rdma portlist || echo 'rdma 20049' > portlist; }
                test $(cat threads) -gt 0 || echo %d > threads
                exportfs -ra"""
                        .formatted(NFSD_THREADS));
    }

    /** Makes a file of random content on the server and returns its SHA-256. */
    String make(String path, int mebibytes) throws IOException, InterruptedException {
        guest.run("head -c " + mebibytes + "M /dev/urandom > /export" + path);
        return sha256(path);
    }

    /** The SHA-256 of a file on the server. */
    String sha256(String path) throws IOException, InterruptedException {
        return guest.run("sha256sum < /export" + path).substring(0, 64);
    }

    String content(String path) throws IOException, InterruptedException {
        return guest.run("cat /export" + path);
    }

    /**
     * Starts a program in the guest that waits for the lock of a file, and overwrites the file with "stolen" once it
     * has the lock.
     */
    void beginToSteal(String path) throws IOException, InterruptedException {
        guest.run("python3 -c 'import fcntl, sys\n"
                + "f = open(sys.argv[1], \"r+\")\n"
                + "fcntl.lockf(f, fcntl.LOCK_EX)\n"
                + "f.write(\"stolen\")' /export" + path + " > /dev/null 2>&1 &\n"
                + "until grep -q -e '-> POSIX' /proc/locks; do sleep 0.1; done");
    }

    void awaitStolen(String path) throws IOException, InterruptedException {
        guest.run("until grep -q stolen /export" + path + "; do sleep 0.1; done", LOCK);
    }

    /** Whether a program in the guest gets the lock of a file (fcntl), which conflicts with those of NFS clients. */
    boolean canLock(String path) throws IOException, InterruptedException {
        LinuxGuest.Result result = guest.tryRun(TRY_LOCK + "/export" + path, LOCK);
        if (result.status() != 0 && !result.output().contains("BlockingIOError")) {
            throw new AssertionError("in the guest, locking " + path + ": " + result.output());
        }
        return result.status() == 0;
    }
}
