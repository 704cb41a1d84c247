package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Names keep all octets of the file system: a tree with all names is copied to our own export and back, and find(1)
 * prints the same for all copies.
 */
final class NamesIT {
    @TempDir
    private Path folder;

    private Path served;
    private Path local;
    private AllNamesTree tree;
    private String mounted;

    @BeforeEach
    void setUp() throws IOException {
        served = Files.createDirectory(folder.resolve("served"));
        local = Files.createDirectory(folder.resolve("local"));
        tree = AllNamesTree.make(local.resolve("tree"));
        int port = Launcher.freePort();
        mounted = "nfs:export --no-root-squash --port " + port + " --name e " + served + "\nnfs:mount -o port=" + port
                + " 127.0.0.1:/ a\n";
    }

    private Launcher.Result run(String... commands) throws Exception {
        Launcher.Result run =
                new Launcher(folder).runWithInput(mounted + String.join("\n", commands) + "\nnfs:unmount a\n", "-");
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        return run;
    }

    private void assertSame(Path copy) throws Exception {
        assertThat(AllNamesTree.sums(copy)).as(copy.toString()).isEqualTo(AllNamesTree.sums(tree.root()));
    }

    @Test
    void shouldPutAndGetATreeOfAllNames() throws Exception {
        Launcher.Result run =
                run("nfs:put -r --verify " + tree.root() + " a:/", "nfs:get -r --verify a:/tree " + local + "/back");

        assertSame(served.resolve("tree"));
        assertSame(local.resolve("back"));
        assertThat(run.err()).contains("put " + tree.entries() + " files", "got " + tree.entries() + " files");
    }

    /** Names in ISO 8859-1, which old trees have. */
    @Test
    void shouldCopyAFileAndADirectoryWhoseNamesAreNoUtf8() throws Exception {
        Path latin = AllNamesTree.makeLatin(local.resolve("latin"));

        Launcher.Result run = run(
                "nfs:put -r --verify " + latin + " a:/",
                "nfs:get -r --verify a:/latin " + local + "/back",
                "nfs:sync " + latin + " a:/synced",
                "nfs:rm -r a:/synced");

        assertThat(run.err()).contains("put 2 files", "got 2 files");
        assertThat(AllNamesTree.sums(served.resolve("latin"))).isEqualTo(AllNamesTree.sums(latin));
        assertThat(AllNamesTree.sums(local.resolve("back"))).isEqualTo(AllNamesTree.sums(latin));
        assertThat(served.resolve("synced")).doesNotExist();
    }

    @Test
    void shouldSyncCopyAndRemoveATreeOfAllNames() throws Exception {
        run(
                "nfs:sync " + tree.root() + " a:/synced",
                "nfs:cp -r a:/synced a:/copied",
                "nfs:sync --checksum a:/copied " + local + "/back",
                "nfs:mv a:/copied a:/moved");

        assertSame(served.resolve("synced"));
        assertSame(served.resolve("moved"));
        assertSame(local.resolve("back"));
        run("nfs:rm -r a:/synced", "nfs:rm -r a:/moved");
        assertThat(served).isEmptyDirectory();
    }

    /** NFSv4.1 has no extended attributes, and java.nio lists only those of the namespace user. */
    @Test
    void shouldTellThatAnAccessControlListIsNotKept() throws Exception {
        Path file = Files.writeString(local.resolve("file"), "content");
        assumeThat(setAccessControlList(file)).as("this host lets us").isTrue();

        Launcher.Result run = run("nfs:put " + file + " a:/");

        assertThat(run.err()).contains("; extended attributes of 1 file not kept");
    }

    /**
     * Sets an access control list with one more user: entries for the owner, that user, the group, the mask and others.
     */
    private static boolean setAccessControlList(Path file) throws Exception {
        String program = "import os, sys; os.setxattr(sys.argv[1], 'system.posix_acl_access', bytes([2,0,0,0,"
                + " 1,0,6,0,255,255,255,255, 2,0,6,0,57,48,0,0, 4,0,4,0,255,255,255,255,"
                + " 16,0,6,0,255,255,255,255, 32,0,0,0,255,255,255,255]))";
        try {
            return new ProcessBuilder("python3", "-c", program, file.toString())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // python3 is not installed
        }
    }
}
