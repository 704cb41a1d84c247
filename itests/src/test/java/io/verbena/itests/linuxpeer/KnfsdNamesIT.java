package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.AllNamesTree;
import io.verbena.itests.Launcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Names keep all octets of the file system: a tree with all names is copied to Linux's server on ext4, from there to
 * our own server, and back, and Linux's client reads it from our server. find(1) prints the same for all copies.
 */
@AgainstLinux(judged = false)
@Timeout(600)
class KnfsdNamesIT {
    private static final String IN_GUEST = "/export/names";
    private static final String ON_EXT4 = "/var/names";
    private static final String EXPORT = "'*:" + IN_GUEST + "'";

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private Path local;
    private AllNamesTree tree;

    KnfsdNamesIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void setUp() throws Exception {
        local = Files.createDirectory(folder.resolve("local"));
        tree = AllNamesTree.make(local.resolve("tree"));
        // the other exports are in memory
        guest.run("mkdir " + IN_GUEST + " " + ON_EXT4 + " && mount --bind " + ON_EXT4 + " " + IN_GUEST
                + " && exportfs -o rw,fsid=78,no_root_squash,insecure,no_subtree_check,sec=sys " + EXPORT);
        assertThat(guest.run("stat -f -c %T " + IN_GUEST)).startsWith("ext");
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("exportfs -u " + EXPORT + "; umount -l " + IN_GUEST + "; rmdir " + IN_GUEST + "; rm -r " + ON_EXT4);
    }

    private String sumsInGuest(String directory) throws IOException, InterruptedException {
        return guest.run("cd " + directory + "\n" + AllNamesTree.SUMS);
    }

    @Test
    void shouldCarryATreeOfAllNamesFromServerToServerAndBack() throws Exception {
        String expected = AllNamesTree.sums(tree.root());
        Path served = Files.createDirectory(folder.resolve("served"));
        int port = guest.hostPort();

        Launcher.Result run = new Launcher(folder)
                .runWithInput(
                        String.join(
                                        "\n",
                                        "nfs:export --no-root-squash --port " + port + " --name e " + served,
                                        "nfs:mount -o port=" + port + " 127.0.0.1:/ own",
                                        "nfs:mount -o port=" + guest.nfs().getPort() + " 127.0.0.1:/ linux",
                                        "nfs:put -r " + tree.root() + " linux:/names/",
                                        "nfs:cp -r linux:/names/tree own:/",
                                        "nfs:cp -r own:/tree linux:/names/again",
                                        "nfs:get -r linux:/names/again " + local + "/back",
                                        "nfs:unmount own; nfs:unmount linux")
                                + "\n",
                        "-");

        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(sumsInGuest(IN_GUEST + "/tree")).as("on Linux's server").isEqualTo(expected);
        assertThat(AllNamesTree.sums(served.resolve("tree"))).as("on ours").isEqualTo(expected);
        assertThat(sumsInGuest(IN_GUEST + "/again"))
                .as("on Linux's server again")
                .isEqualTo(expected);
        assertThat(AllNamesTree.sums(local.resolve("back"))).as("here again").isEqualTo(expected);
    }

    /** cp(1) makes the copies in the guest. */
    @Test
    void shouldServeATreeOfAllNamesToLinux() throws Exception {
        String expected = AllNamesTree.sums(tree.root());
        try (ServedToLinux served = new ServedToLinux(guest, folder)) {
            Files.move(tree.root(), served.directory().resolve("tree"));
            GuestMount mount = served.start().mount("names", "");

            assertThat(mount.run("cd tree\n" + AllNamesTree.SUMS)).isEqualTo(expected);
            mount.run("cp -a tree " + IN_GUEST + "/copied && cp -a " + IN_GUEST + "/copied back && rm -r tree");

            assertThat(sumsInGuest(IN_GUEST + "/copied")).isEqualTo(expected);
            assertThat(AllNamesTree.sums(served.directory().resolve("back"))).isEqualTo(expected);
            assertThat(served.directory().resolve("tree")).doesNotExist();
            served.assertWell();
        }
    }
}
