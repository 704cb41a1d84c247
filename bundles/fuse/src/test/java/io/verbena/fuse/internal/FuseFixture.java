package io.verbena.fuse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fuse.internal.kernel.MountTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What tests of mounts need of this host, and its programs. */
final class FuseFixture {
    private static final long SECONDS = 60;

    private FuseFixture() {}

    /** Skips the test where this host cannot mount, with the reason. */
    static void assumeMounts() {
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "there is no /dev/fuse: no test of mounts");
        assumeTrue(isRoot(), "only root mounts: no test of mounts");
    }

    private static boolean isRoot() {
        try {
            return run(Path.of("/"), "id -u").strip().equals("0");
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    /** Starts a shell script in a directory; its output is one stream. */
    static Process start(Path directory, String script) throws IOException {
        return new ProcessBuilder("sh", "-c", script)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
    }

    /** Runs a shell script in a directory, and returns what it prints and, if it is not 0, its status. */
    static String run(Path directory, String script) throws IOException, InterruptedException {
        Process process = start(directory, script);
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("it has not ended: " + script);
            }
            return process.exitValue() == 0 ? output : output + "status " + process.exitValue() + "\n";
        } finally {
            end(process);
        }
    }

    /** Kills a process, and waits for its end, with which it leaves its directory. */
    static void end(Process process) throws IOException, InterruptedException {
        if (!process.destroyForcibly().waitFor(SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("a process that was killed has not ended");
        }
    }

    /** Reads what a process prints. */
    static String read(Process process, int octets) throws IOException {
        return new String(process.getInputStream().readNBytes(octets), StandardCharsets.ISO_8859_1);
    }

    /** Waits until this process has so many threads with a name. */
    static void awaitThreads(String name, int count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (threads(name) < count) {
            if (System.nanoTime() > end) {
                throw new AssertionError("only " + threads(name) + " threads " + name);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().contains(name))
                .count();
    }

    static boolean isKernelSince(int major, int minor) {
        String[] version = System.getProperty("os.version").split("[^0-9]", 3);
        int known = Integer.parseInt(version[0]);
        return known > major || (known == major && Integer.parseInt(version[1]) >= minor);
    }

    /**
     * Mounts the kernel's figures of all mounts by FUSE. No process is started while a server does not answer: the
     * child closes the files of this one, and waits for the server.
     */
    static void mountFigures(Path directory) throws IOException, InterruptedException {
        assertThat(run(directory, "mount -t fusectl none .")).isEmpty();
    }

    static void unmountFigures(Path directory) throws IOException, InterruptedException {
        assertThat(run(directory.getParent(), "umount " + directory.getFileName()))
                .isEmpty();
    }

    /** The file with the number of the requests that the kernel has under way at a mount. */
    static Path requests(Path figures, Path mount) throws IOException {
        long device = ((Number) Files.getAttribute(mount, "unix:dev")).longValue();
        return figures.resolve(((device & 0xff) | (device >> 12 & 0xfff00)) + "/waiting");
    }

    /** The file with how far the kernel reads ahead at a mount, found without a look at the mount. */
    static Path readAhead(Path mount) throws IOException {
        return Path.of("/sys/class/bdi", MountTable.device(mount).orElseThrow(), "read_ahead_kb");
    }

    /** Waits until a file of the kernel has this line. */
    static void awaitContent(Path file, String line) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!Files.readString(file).strip().equals(line)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(file + " has " + Files.readString(file).strip());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Waits until the kernel has so many requests under way. */
    static void awaitRequests(Path waiting, int count) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (Integer.parseInt(Files.readString(waiting).strip()) < count) {
            if (System.nanoTime() > end) {
                throw new AssertionError("only " + Files.readString(waiting).strip() + " requests are under way");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Whether the kernel's list of mounts has the directory. */
    static boolean isMounted(Path directory) throws IOException {
        return Files.readString(Path.of("/proc/self/mounts")).contains(" " + directory + " ");
    }
}
