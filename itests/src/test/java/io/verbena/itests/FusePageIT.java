package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/fuse.md, as they stand there, from nothing to a mount and back. */
final class FusePageIT {
    private static final String HEADING = "From nothing to a mount";
    private static final long SECONDS = 240;

    @TempDir
    private Path folder;

    @Test
    void shouldLeadANewcomerToAMountInFiveCommands() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "this host has no /dev/fuse for this user");
        assumeTrue("root".equals(System.getProperty("user.name")), "only root mounts");
        Page page = Page.of("docs/fuse.md");
        List<String> blocks = page.blocks(HEADING);
        assertThat(blocks).hasSize(3);
        assertThat(String.join("", blocks).lines()).hasSize(5);

        Launcher launcher = new Launcher(folder);
        Path programs = Files.createDirectory(folder.resolve("bin"));
        Path verbena =
                Files.writeString(programs.resolve("verbena"), "#!/bin/sh\nexec '" + launcher.program() + "' \"$@\"\n");
        Files.setPosixFilePermissions(verbena, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path first = folder.resolve("first");
        Path notes = folder.resolve("notes");
        String script = blocks.get(0)
                + "server=$!\n"
                + "until grep -q '^ready: ' " + notes + "; do kill -0 $server; sleep 0.2; done\n"
                + blocks.get(1)
                + "mount=$!\n"
                + "until grep -q '^mounted 127.0.0.1:/ at ' " + notes + "; do kill -0 $mount; sleep 0.2; done\n"
                + blocks.get(2)
                + "wait $mount; echo \"the mount ended with $?\"\n"
                + "test -z \"$(ls -A " + first + "/mnt)\"\n"
                + "kill $server; wait $server; echo \"the server ended with $?\"\n";
        ProcessBuilder builder = new ProcessBuilder(
                        "env",
                        "--default-signal=INT",
                        "bash",
                        "-e",
                        "-c",
                        script.replace("/tmp/verbena-first", first.toString())
                                .replace("20049", "" + Launcher.freePort()))
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(notes.toFile());
        builder.environment().put("PATH", programs + ":" + System.getenv("PATH"));
        builder.environment().put("TMPDIR", launcher.temporary().toString());
        builder.environment().put("XDG_STATE_HOME", folder.resolve("state").toString());
        Process bash = builder.start();
        try {
            boolean ended = bash.waitFor(SECONDS, TimeUnit.SECONDS);
            String out = Files.readString(folder.resolve("out"));
            assertThat(ended).as("%s%s", out, Files.readString(notes)).isTrue();
            assertThat(out)
                    .as(Files.readString(notes))
                    .isEqualTo(
                            """
                            hello
                            the mount ended with 0
                            the server ended with 0
                            """);
            assertThat(bash.exitValue()).isZero();
            assertThat(first.resolve("export/hello")).hasContent("hello\n");
        } finally {
            bash.descendants().forEach(ProcessHandle::destroy);
            bash.destroy();
        }
    }
}
