package io.verbena.itests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A mount that every program of this host sees: {@code verbena mount} in a process of its own. */
public final class FuseMount implements AutoCloseable {
    private static final long SCRIPT_SECONDS = 170;
    private static final long END_SECONDS = 60;

    private final Path folder;
    private final Path place;
    private final Launcher.Run run;

    /**
     * Mounts.
     *
     * @param folder an empty folder, for the directory of the mount and what programs keep outside of it
     * @param source as {@code verbena mount} takes it
     * @param options as {@code verbena mount} takes them
     */
    public FuseMount(Path folder, String source, String options) throws IOException, InterruptedException {
        this.folder = folder;
        place = Files.createDirectories(folder.resolve("mount"));
        run = new Launcher(folder).start("mount", "-o", options, source, place.toString());
        boolean isMounted = false;
        try {
            Launcher.awaitTrue(() -> {
                run.expectAlive();
                return Files.readString(run.err()).contains("mounted " + source + " at ");
            });
            isMounted = true;
        } finally {
            if (!isMounted) {
                close();
            }
        }
    }

    /** Skips a test where this host or this user cannot mount. */
    public static void assumePossible() {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "this host has no /dev/fuse for this user");
        assumeTrue("root".equals(System.getProperty("user.name")), "only root mounts");
    }

    /** Skips a test where this host lacks a program. */
    static void assumeProgram(String name) throws IOException, InterruptedException {
        Process look = new ProcessBuilder("sh", "-c", "command -v " + name)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assumeTrue(look.waitFor() == 0, "this host has no " + name);
    }

    /**
     * Runs a script of bash in a directory of the mount; an error ends it, and fails. {@code HOME} is a directory of
     * the host's own file system.
     *
     * @return what it has printed
     */
    String run(String directory, String script) throws IOException, InterruptedException {
        Path out = folder.resolve("script.out");
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", script)
                .directory(place.resolve(directory).toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment()
                .put("HOME", Files.createDirectories(folder.resolve("home")).toString());
        builder.environment().put("LC_ALL", "C");
        Process bash = builder.start();
        bash.getOutputStream().close();
        try {
            if (!bash.waitFor(SCRIPT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("no end after " + SCRIPT_SECONDS + " s: " + printed(out));
            }
        } finally {
            bash.descendants().forEach(ProcessHandle::destroyForcibly);
            bash.destroyForcibly();
        }
        if (bash.exitValue() != 0) {
            throw new AssertionError("status " + bash.exitValue() + ": " + printed(out));
        }
        return Files.readString(out);
    }

    private String printed(Path out) throws IOException {
        return Files.readString(out) + "; the mount: " + run.printed();
    }

    /** Unmounts as users do. All that was written is at the server then. */
    void unmount() throws IOException, InterruptedException {
        int status = new ProcessBuilder("umount", place.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        Launcher.Result ended = run.await();
        if (status != 0 || ended.status() != 0) {
            throw new AssertionError("umount: " + status + "; the mount: " + ended);
        }
    }

    /** Unmounts by force if it is still mounted. */
    @Override
    public void close() throws IOException {
        try {
            run.process().destroy();
            if (!run.process().waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                run.process().descendants().forEach(ProcessHandle::destroyForcibly);
                run.process().destroyForcibly();
                int unused = new ProcessBuilder("umount", "-l", place.toString())
                        .start()
                        .waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
