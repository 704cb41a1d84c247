package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.util.Set;

/** A folder of a test on Linux's server, and our client's mount of the server. */
final class KnfsdFolder {
    private final LinuxGuest guest;
    private final String path;
    private final VerbenaStack stack = new VerbenaStack();
    private final NfsMount mount;

    /**
     * @param path the path from the root of the server's exports
     */
    KnfsdFolder(LinuxGuest guest, String path) throws IOException, InterruptedException {
        this.guest = guest;
        this.path = path;
        guest.run("mkdir " + inGuest());
        mount = mount("");
    }

    /** Another mount of the server's root, which the caller closes. */
    NfsMount mount(String options) throws IOException {
        return stack.mount(guest.nfs(), "/", options);
    }

    private String inGuest() {
        return "/export" + path;
    }

    NfsMount mount() {
        return mount;
    }

    RemoteFile open(String name, OpenOption... options) throws IOException {
        return mount.open(path + "/" + name, Set.of(options), 0640);
    }

    void make(String name, String content) throws IOException {
        Contents.write(mount, path + "/" + name, content.getBytes(UTF_8));
    }

    /** Runs a shell command in the folder, in the guest. */
    String run(String command) throws IOException, InterruptedException {
        return guest.run("cd " + inGuest() + " && " + command);
    }

    /** Unmounts and removes the folder. */
    void remove() throws IOException, InterruptedException {
        try {
            mount.close();
        } finally {
            stack.close();
            guest.run("rm -r " + inGuest());
        }
    }
}
