package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/hadoop.md, as they stand there, with the shaded jar and the older Hadoop. */
@ExtendWith(SharedExport.class)
final class HadoopPageIT {
    private static final Path PAGE = Path.of("../docs/hadoop.md");
    private static final Pattern SECTION = Pattern.compile("(?s)\n## Five commands\n(.*?)\n## ");
    private static final Pattern BLOCK = Pattern.compile("(?s)\n```\n(.*?)```\n");

    private static List<String> commands() throws IOException {
        Matcher section = SECTION.matcher(Files.readString(PAGE));
        assertThat(section.find()).isTrue();
        List<String> commands = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(section.group(1));
        while (blocks.find()) {
            commands.add(blocks.group(1));
        }
        return commands;
    }

    /** The launcher of Hadoop with its own class path, as far as {@code hadoop fs} needs it. */
    private static void makeLauncher(Path folder) throws IOException {
        Path configuration = Files.createDirectory(folder.resolve("etc"));
        Files.writeString(configuration.resolve("core-site.xml"), "<configuration/>");
        Path launcher = Files.writeString(
                folder.resolve("hadoop"),
                """
                #!/bin/sh
                test "$1" = fs || exit 64
                shift
                exec '%s' -cp "%s:%s/*:$HADOOP_CLASSPATH" org.apache.hadoop.fs.FsShell "$@"
                """
                        .formatted(ChildProcess.java(), configuration, System.getProperty("verbena.older.hadoop")));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void shouldLeadANewcomerThereInFiveCommands(@TempDir Path folder) throws Exception {
        makeLauncher(folder);
        Path jar = Path.of(System.getProperty("verbena.hadoop.jar"));
        Files.createSymbolicLink(folder.resolve("verbena-hadoop-all.jar"), jar);
        Files.writeString(folder.resolve("report.csv"), "a,b\n1,2\n");
        List<String> commands = commands();

        assertThat(commands).hasSize(5);
        String script = String.join("", commands)
                .replace("storage.example.com", SharedExport.own().uri().getAuthority());
        ChildProcess bash = ChildProcess.run(
                folder,
                Map.of("PATH", folder + ":" + System.getenv("PATH"), "XDG_STATE_HOME", folder.toString()),
                List.of("bash", "-e", "-c", script));

        assertThat(bash.output()).contains("/projects/first/report.csv").contains("COMPOSITE-CRC32C");
        assertThat(bash.status()).as(bash.output()).isZero();
        assertThat(SharedExport.own().directory().resolve("projects/first/report.csv"))
                .hasContent("a,b\n1,2\n");
        assertThat(folder.resolve("back.csv")).hasContent("a,b\n1,2\n");
    }

    @Test
    void shouldReadRangesWithTheOldestHadoop(@TempDir Path folder) throws Exception {
        Files.writeString(SharedExport.own().directory().resolve("ranges"), "12");
        String tests = Path.of("target/test-classes").toAbsolutePath().toString();
        ChildProcess program = ChildProcess.run(
                folder,
                Map.of("XDG_STATE_HOME", folder.toString()),
                List.of(
                        ChildProcess.java(),
                        "-cp",
                        String.join(
                                ":",
                                System.getProperty("verbena.older.hadoop") + "/*",
                                System.getProperty("verbena.hadoop.jar"),
                                tests),
                        OlderVectoredRead.class.getName(),
                        SharedExport.own().uri() + "/ranges"));

        assertThat(program.output()).contains("read 12\n");
        assertThat(program.status()).as(program.output()).isZero();
    }

    @Test
    void shouldSayWhatIsWrongWithAnOptionInOneLine(@TempDir Path folder) throws Exception {
        makeLauncher(folder);

        ChildProcess hadoop = ChildProcess.run(
                folder,
                Map.of("HADOOP_CLASSPATH", System.getProperty("verbena.hadoop.jar")),
                List.of(
                        folder.resolve("hadoop").toString(),
                        "fs",
                        "-D",
                        "fs.verbena.checksum=md5",
                        "-ls",
                        SharedExport.own().uri().toString()));

        assertThat(hadoop.status()).isEqualTo(1);
        assertThat(hadoop.output())
                .contains("ls: fs.verbena.checksum cannot be 'md5'; allowed: crc32c, crc32 or none\n")
                .doesNotContain("\tat ");
    }
}
