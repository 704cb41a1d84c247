package io.verbena.itests.linuxpeer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The guest's own NFS client, with the guest's server mounted at {@link #PLACE}: the other client of the tests. */
final class KernelMount {
    static final String PLACE = "/mnt/nfs";

    private static final String LOCKS = "/tmp/locks.py";
    private static final String LOCKS_SOURCE =
            """
            import fcntl, os, sys
            how, path = sys.argv[1], sys.argv[2]
            file = os.open(path, os.O_RDWR)

            def lock(wanted, wait):
                kind, start, length = wanted.split(":")
                mode = fcntl.LOCK_EX if kind == "exclusive" else fcntl.LOCK_SH
                try:
                    fcntl.lockf(file, mode | (0 if wait else fcntl.LOCK_NB), int(length), int(start))
                    return "granted"
                except BlockingIOError:
                    return "refused"

            if how == "try":
                for wanted in sys.argv[3:]:
                    print(lock(wanted, False))
                    fcntl.lockf(file, fcntl.LOCK_UN)
            else:
                print("asking", flush=True)
                print(lock(sys.argv[4], how == "wait"), flush=True)
                open(sys.argv[3]).read()
            """;

    private final LinuxGuest guest;

    private KernelMount(LinuxGuest guest) {
        this.guest = guest;
    }

    /** Mounts over RDMA. The client looks up names each time, and caches content with close-to-open consistency. */
    static KernelMount of(LinuxGuest guest) throws IOException, InterruptedException {
        guest.run("mkdir -p " + PLACE + " && mount -t nfs -o vers=4.1,proto=rdma,port=20049,lookupcache=none"
                + " 10.0.2.15:/ " + PLACE);
        guest.run("cat > " + LOCKS + " <<'SOURCE'\n" + LOCKS_SOURCE + "SOURCE");
        return new KernelMount(guest);
    }

    /**
     * Tries to lock a file, one range after the other, and releases each lock before the next attempt.
     *
     * @param wanted ranges such as {@code exclusive:100:10} and {@code shared:0:0}: start and length, where length 0
     *     means to the end
     * @return {@code granted} or {@code refused} for each
     */
    String tryLocks(String name, String... wanted) throws IOException, InterruptedException {
        return guest.run("python3 " + LOCKS + " try " + PLACE + "/" + name + " " + String.join(" ", wanted))
                .strip()
                .replace('\n', ' ');
    }

    /** An action during a lock. */
    @FunctionalInterface
    interface Action {
        void run() throws Exception;
    }

    /** Runs an action while a process of the guest holds a lock. */
    void whileHolding(String name, String wanted, Action action) throws Exception {
        HeldLock lock = request("hold", name, wanted);
        try {
            lock.awaitGrant();
            action.run();
        } finally {
            lock.release();
        }
    }

    /** Starts a process of the guest that waits for a lock, and then holds it until {@link HeldLock#release}. */
    HeldLock waitFor(String name, String wanted) throws IOException, InterruptedException {
        return request("wait", name, wanted);
    }

    private HeldLock request(String how, String name, String wanted) throws IOException, InterruptedException {
        String fifo = "/tmp/" + name + ".release";
        guest.run("rm -f " + fifo + "; mkfifo " + fifo);
        HeldLock lock = new HeldLock(
                guest.start("timeout 90 python3 " + LOCKS + " " + how + " " + PLACE + "/" + name + " " + fifo + " "
                        + wanted),
                fifo);
        lock.expect("asking");
        return lock;
    }

    void unmount() throws IOException, InterruptedException {
        guest.run("umount " + PLACE);
    }

    /** A lock of a process of the guest, or its wait for a lock. */
    final class HeldLock {
        private final Process process;
        private final BufferedReader lines;
        private final String fifo;

        private HeldLock(Process process, String fifo) {
            this.process = process;
            this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            this.fifo = fifo;
        }

        void awaitGrant() throws IOException {
            expect("granted");
        }

        boolean isWaiting() throws IOException {
            return process.isAlive() && !lines.ready();
        }

        private void expect(String line) throws IOException {
            String found = lines.readLine();
            if (!line.equals(found)) {
                throw new AssertionError("the guest's process for a lock said " + found);
            }
        }

        void release() throws IOException, InterruptedException {
            guest.run("timeout 20 sh -c 'echo > " + fifo + "'; rm " + fifo);
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new AssertionError("the guest's process holds its lock for ever");
            }
        }
    }
}
