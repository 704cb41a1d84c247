package io.verbena.itests.linuxpeer;

import io.verbena.itests.Digests;
import java.io.IOException;
import java.util.Map;

/** An export of ours that the guest's kernel has mounted: of this machine, if nothing else is said. */
final class GuestMount implements AutoCloseable {
    /** What the guest calls this machine. */
    static final String HOST = "10.0.2.2";

    private final LinuxGuest guest;
    private final String path;
    private boolean mounted;

    /**
     * Mounts.
     *
     * @param name of the directory below /mnt
     * @param options further ones of mount.nfs, or an empty text
     */
    GuestMount(LinuxGuest guest, String name, int port, String options) throws IOException, InterruptedException {
        this(guest, name, HOST, port, options);
    }

    /** As above, of a server that the guest calls {@code host}. */
    GuestMount(LinuxGuest guest, String name, String host, int port, String options)
            throws IOException, InterruptedException {
        this.guest = guest;
        this.path = "/mnt/" + name;
        String all = "vers=4.1,proto=rdma,port=" + port + (options.isEmpty() ? "" : "," + options);
        guest.run("mkdir -p " + path + " && mount -t nfs -o " + all + " " + host + ":/ " + path);
        mounted = true;
    }

    /** Where it is in the guest. */
    String path() {
        return path;
    }

    /** Runs a shell script in the mounted directory, with errors ending it. */
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

    /** SHA-256 of the regular files below a directory, which the guest has read. */
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

    /** Unmounts by force where it is still mounted, for those tests that come afterwards. */
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
