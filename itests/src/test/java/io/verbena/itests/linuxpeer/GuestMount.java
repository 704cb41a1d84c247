package io.verbena.itests.linuxpeer;

import io.verbena.itests.Digests;
import java.io.IOException;
import java.util.Map;

/** One of our exports, mounted by the guest's kernel; by default an export of this machine. */
final class GuestMount implements AutoCloseable {
    /** This machine's address as the guest sees it. */
    static final String HOST = "10.0.2.2";

    private final LinuxGuest guest;
    private final String path;
    private boolean mounted;

    /**
     * Mounts.
     *
     * @param name the name of the directory below /mnt
     * @param options further options of mount.nfs, or an empty text
     */
    GuestMount(LinuxGuest guest, String name, int port, String options) throws IOException, InterruptedException {
        this(guest, name, HOST, port, options);
    }

    /** As above, of the server that the guest reaches as {@code host}. */
    GuestMount(LinuxGuest guest, String name, String host, int port, String options)
            throws IOException, InterruptedException {
        this.guest = guest;
        this.path = "/mnt/" + name;
        String all = "vers=4.1,proto=rdma,port=" + port + (options.isEmpty() ? "" : "," + options);
        guest.run("mkdir -p " + path + " && mount -t nfs -o " + all + " " + host + ":/ " + path);
        mounted = true;
    }

    /** The path of the mount in the guest. */
    String path() {
        return path;
    }

    /** Runs a shell script in the mounted directory; an error ends it. */
    String run(String script) throws IOException, InterruptedException {
        return guest.run(inside(script));
    }

    /** Runs a Python program in the mounted directory. */
    String python(String program) throws IOException, InterruptedException {
        return run("python3 - <<'PROGRAM'\n" + program + "PROGRAM\n");
    }

    /** Starts a shell script in the mounted directory. */
    Process start(String script) throws IOException {
        return guest.start(inside(script));
    }

    private String inside(String script) {
        return "set -e; cd " + path + "\n" + script;
    }

    /** The SHA-256 of the regular files below a directory, computed in the guest. */
    Map<String, String> digests(String directory) throws IOException, InterruptedException {
        return Digests.parse(run("cd " + directory + " && find . -type f -print0 | xargs -0r sha256sum"));
    }

    /** The kernel's counters of the connection. */
    TransportCounters counters() throws IOException, InterruptedException {
        return TransportCounters.parse(
                guest.run("sed -n '\\#mounted on " + path + " #,/per-op/p' /proc/self/mountstats"));
    }

    void unmount() throws IOException, InterruptedException {
        mounted = false;
        guest.run("umount " + path + " && rmdir " + path);
    }

    /** Unmounts by force if it is still mounted, so that later tests can run. */
    @Override
    public void close() throws IOException {
        if (!mounted) {
            return;
        }
        mounted = false;
        try {
            guest.run("umount -f -l " + path);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
