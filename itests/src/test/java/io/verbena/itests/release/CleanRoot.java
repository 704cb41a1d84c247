package io.verbena.itests.release;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The root of a system that has only what each Debian system has, of the version of this host. Programs in it have
 * namespaces of their own for processes, mounts and the network, so that they end with the test.
 */
final class CleanRoot {
    private static final List<String> TOOLS = List.of("mmdebstrap", "unshare", "chroot", "tar", "busybox");

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

    /** Unpacks a root, which the first test on a host makes of Debian's packages. */
    static CleanRoot debian(Path folder) throws IOException, InterruptedException {
        assumeTools(TOOLS);
        Path archive = archive();
        CleanRoot made = new CleanRoot(folder);
        made.expect(List.of("tar", "xf", archive.toString(), "-C", made.root.toString()));
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

    private static Path archive() throws IOException, InterruptedException {
        String cache = System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        String name = Files.readAllLines(Path.of("/etc/os-release")).stream()
                .filter(line -> line.startsWith("VERSION_CODENAME="))
                .map(line -> line.substring(line.indexOf('=') + 1))
                .findFirst()
                .orElse("");
        assumeTrue(!name.isEmpty(), "a clean root is made of the packages of a Debian host, and this is none");
        Path archive = Files.createDirectories(Path.of(cache, "verbena")).resolve("clean-root-" + name + ".tar");
        if (!Files.exists(archive)) {
            Path made =
                    archive.resolveSibling("making-" + ProcessHandle.current().pid() + ".tar");
            ReleaseBuild.Result result = ReleaseBuild.run(
                    archive.getParent(),
                    List.of(
                            "mmdebstrap",
                            "--variant=essential",
                            "--include=passwd,libstdc++6,hostname",
                            "--dpkgopt=path-exclude=/usr/share/doc/*",
                            "--dpkgopt=path-exclude=/usr/share/locale/*",
                            name,
                            made.toString()));
            if (result.status() != 0) {
                Files.deleteIfExists(made);
                throw new AssertionError("mmdebstrap has made no clean root: " + result.out());
            }
            Files.move(made, archive, StandardCopyOption.REPLACE_EXISTING);
        }
        return archive;
    }

    Path path() {
        return root;
    }

    /** A file in the root by its absolute path there. */
    Path resolve(String path) {
        return root.resolve(path.substring(1));
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
                echo "127.0.0.1 localhost storage.example.com $(hostname)" > "$root/etc/hosts"
                %s
                """
                        .formatted(quoted(List.of(root.toString())), script);
        return List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "sh", "-c", prepared);
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
