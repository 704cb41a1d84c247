package io.verbena.itests.release;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The root of a system that has only what each Debian system has, of the version of this host. Programs in it have
 * namespaces of their own for processes, mounts and the network, so that they end with the test.
 */
final class CleanRoot implements AutoCloseable {
    private static final Path MAKE =
            ReleaseBuild.TOP.resolve("itests/clean-root/make").normalize();
    private static final List<String> TOOLS = List.of("unshare", "chroot", "tar", "busybox");

    /** Databases of packages and users with their older versions, and what is no part of a system. */
    private static final Pattern OTHERS = Pattern.compile("/(dev|proc|root|srv)(/|$)|/server\\.out$"
            + "|/var/lib/(dpkg|rpm)/|/usr/lib/sysimage|/var/log/|/etc/((passwd|group|g?shadow|sub[ug]id)-?|hosts)$"
            + "|/etc/\\.pwd\\.lock");

    private final Path folder;
    private final Path root;

    private CleanRoot(Path folder) throws IOException {
        this.folder = folder;
        this.root = Files.createDirectory(folder.resolve("root"));
    }

    /** An empty root in a folder, for an image that brings everything. */
    static CleanRoot empty(Path folder) throws IOException {
        assumeTools(TOOLS);
        return new CleanRoot(folder);
    }

    /** Copies what each Debian system has from the packages of this host. */
    static CleanRoot debian(Path folder) throws IOException, InterruptedException {
        assumeTools(TOOLS);
        assumeTools(List.of("dpkg-query"));
        CleanRoot made = new CleanRoot(folder);
        made.expect(List.of(MAKE.toString(), made.root.toString()));
        return made;
    }

    static void assumeTools(List<String> tools) {
        assumeTrue(isRoot(), "packages are installed in a clean root, which takes root: run the build as root");
        for (String tool : tools) {
            assumeTrue(
                    List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin").stream()
                            .anyMatch(place -> Files.isExecutable(Path.of(place, tool))),
                    "packages are tested in a clean root, and there is no " + tool + " here: see .ci/install");
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    @Override
    public void close() throws IOException {
        try {
            // its mounts have ended with their namespaces
            expect(List.of("rm", "-rf", "--one-file-system", root.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    Path path() {
        return root;
    }

    /** A file in the root by its absolute path there. */
    Path resolve(String path) {
        return root.resolve(path.substring(1));
    }

    /**
     * Returns the paths of all files and directories, except the databases of packages and users, and the places where
     * tests put their files.
     */
    Set<String> paths() throws IOException {
        try (Stream<Path> walked = Files.walk(root)) {
            return walked.map(path -> "/" + root.relativize(path))
                    .filter(path -> !OTHERS.matcher(path).lookingAt())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    ReleaseBuild.Result inside(String script) throws IOException, InterruptedException {
        return inside("0:0", List.of("HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"), List.of("sh", "-ec", script));
    }

    /** Runs a program in the root, as a user. */
    ReleaseBuild.Result inside(String user, List<String> environment, List<String> program)
            throws IOException, InterruptedException {
        String command = "exec /usr/bin/env -i " + quoted(environment) + " /usr/sbin/chroot --userspec=" + user + " "
                + quoted(List.of(root.toString())) + " " + quoted(program);
        return ReleaseBuild.run(folder, isolated(command));
    }

    /** Runs a script outside of the root, where its /proc and /dev are mounted. */
    ReleaseBuild.Result beside(String script) throws IOException, InterruptedException {
        return ReleaseBuild.run(folder, isolated(script));
    }

    private List<String> isolated(String script) {
        String prepared =
                """
                set -e
                root=%s
                mkdir -p "$root/proc" "$root/dev" "$root/etc"
                mount -t proc proc "$root/proc"
                mount -t tmpfs tmpfs "$root/dev"
                for device in null zero random urandom; do
                    : > "$root/dev/$device"
                    mount --bind "/dev/$device" "$root/dev/$device"
                done
                busybox ip link set lo up
                echo "127.0.0.1 localhost storage.example.com nfs.example.org $(hostname)" > "$root/etc/hosts"
                %s
                """
                        .formatted(quoted(List.of(root.toString())), script);
        // without what this process has in its environment, such as the place of the clients' state
        return List.of(
                "env",
                "-i",
                "HOME=/root",
                "LC_ALL=C.UTF-8",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--net",
                "sh",
                "-c",
                prepared);
    }

    static String quoted(List<String> words) {
        return String.join(
                " ",
                words.stream()
                        .map(word -> "'" + word.replace("'", "'\\''") + "'")
                        .toList());
    }

    void expect(List<String> command) throws IOException, InterruptedException {
        ReleaseBuild.Result result = ReleaseBuild.run(folder, command);
        if (result.status() != 0) {
            throw new AssertionError(command + " has failed: " + result.out());
        }
    }
}
