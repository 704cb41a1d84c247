package io.verbena.packaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The system below an image: busybox as shell and tools, the C library and what the Java runtime links to. The files
 * are those of the building host's own packages, so that no base image is fetched from anywhere; the runtime is of the
 * same host. Debian and what derives from it have such packages.
 */
final class BaseFiles {
    private static final List<String> PACKAGES =
            List.of("busybox-static", "libc6", "libc-bin", "libgcc-s1", "libstdc++6", "zlib1g");

    /** Shared libraries, the locale for names in UTF-8, and copyrights. */
    private static final Pattern WANTED = Pattern.compile("(/usr)?/lib(64)?/([a-z0-9_]+-linux-gnu/)?lib"
            + "(c|m|dl|rt|pthread|resolv|nss_[a-z]+|gcc_s|stdc\\+\\+|z)\\.so\\.[0-9.]+"
            + "|(/usr)?/lib(64)?/([a-z0-9_]+-linux-gnu/)?ld-linux[^/]*|/usr/lib/locale/C\\.utf8/.*"
            + "|/usr/share/doc/[^/]+/copyright|(/usr)?/bin/busybox");

    private static final List<String> TOOLS = List.of(
            "awk",
            "basename",
            "cat",
            "chmod",
            "chown",
            "cmp",
            "cp",
            "cut",
            "date",
            "df",
            "dirname",
            "du",
            "env",
            "expr",
            "find",
            "flock",
            "grep",
            "head",
            "hostname",
            "id",
            "kill",
            "ln",
            "ls",
            "mkdir",
            "mkfifo",
            "mktemp",
            "mv",
            "ps",
            "pwd",
            "readlink",
            "rm",
            "rmdir",
            "sed",
            "sh",
            "sleep",
            "sort",
            "stat",
            "tail",
            "tee",
            "test",
            "timeout",
            "touch",
            "tr",
            "true",
            "uname",
            "vi",
            "wc",
            "which");

    private BaseFiles() {}

    /** Whether the packages are installed; of a missing one, says so. */
    static boolean arePresent() throws IOException {
        if (!Files.isExecutable(Path.of("/usr/bin/dpkg"))) {
            System.err.println(
                    "no container image: its C library and shell are those of a Debian host, and this is none");
            return false;
        }
        for (String each : PACKAGES) {
            if (!Files.isRegularFile(Path.of("/usr/share/doc/" + each + "/copyright"))) {
                System.err.println("no container image: install the package " + each);
                return false;
            }
        }
        return true;
    }

    /** Adds the files, and returns the packages with their versions. */
    static List<String> add(FileTree tree) throws IOException {
        for (String each : PACKAGES) {
            for (String name : output("dpkg", "-L", each)) {
                Path file = Path.of(name);
                if (WANTED.matcher(name).matches() && Files.isRegularFile(file)) {
                    // the file itself, in place of links such as that of /lib to /usr/lib
                    tree.addFile(usr(name), file.toRealPath());
                }
            }
        }
        for (String top : List.of("bin", "sbin", "lib", "lib64")) {
            tree.addLink("/" + top, "usr/" + top);
            tree.addDirectory("/usr/" + top, FileTree.EXECUTABLE);
        }
        for (String tool : TOOLS) {
            tree.addLink("/usr/bin/" + tool, "busybox");
        }
        tree.addText(
                "/etc/passwd",
                """
                root:x:0:0:root:/root:/bin/sh
                nobody:x:65534:65534:nobody:/nonexistent:/bin/false
                verbena:x:%1$s:%1$s:verbena:/var/lib/verbena:/bin/sh
                """
                        .formatted(ContainerImage.USER));
        tree.addText(
                "/etc/group",
                """
                root:x:0:
                nogroup:x:65534:
                verbena:x:%s:
                """
                        .formatted(ContainerImage.USER));
        tree.addText("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
        tree.addDirectory("/tmp", 01777);
        tree.addDirectory("/proc", 0555);
        tree.addDirectory("/sys", 0555);
        tree.addDirectory("/dev", FileTree.EXECUTABLE);
        tree.addDirectory("/root", 0700);
        List<String> query = new ArrayList<>(List.of("dpkg-query", "-W", "-f", "${Package} ${Version}\\n"));
        query.addAll(PACKAGES);
        return output(query.toArray(String[]::new));
    }

    private static String usr(String name) {
        return name.startsWith("/usr/") ? name : "/usr" + name;
    }

    private static List<String> output(String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " has failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return out.lines().toList();
    }

    /** For the runtime's needs: a library outside of this set would be missing in the image. */
    static void check(Set<String> libraries) {
        libraries.stream()
                .filter(library -> !library.startsWith("GLIBC_"))
                .filter(library -> !WANTED.matcher("/usr/lib/" + library).matches())
                .findFirst()
                .ifPresent(library -> {
                    throw new IllegalStateException("the image has no " + library);
                });
    }
}
