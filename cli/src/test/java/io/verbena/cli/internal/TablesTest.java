package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.Invocation;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.json.Json;
import javax.json.JsonReader;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests lists on terminals of several widths, with long names, wide characters and combining ones. */
class TablesTest extends ShellTest {
    private static final String LONG_NAME = "archive-of-all-projects-and-measurements-of-the-year-2026";
    private static final String WIDE_NAME = "\u65e5\u672c\u8a9e\u306e\u30de\u30a6\u30f3\u30c8";
    private static final List<String> TABLES = List.of(
            "nfs:mounts",
            "nfs:exports",
            "nfs:df",
            "nfs:df -h",
            "nfs:stat-mount " + LONG_NAME,
            "nfs:explain " + LONG_NAME + ":/file");
    private static final List<String> LISTS = List.of(
            "nfs:ls -l " + LONG_NAME + ":/",
            "nfs:find " + LONG_NAME + ":/",
            "nfs:du " + LONG_NAME + ":/",
            "nfs:stat " + LONG_NAME + ":/file");

    @TempDir
    Path home;

    @BeforeEach
    void mount() throws Exception {
        shell.run("nfs:export --port 0 --name " + LONG_NAME + " " + served);
        host.mount(LONG_NAME);
        host.mount(WIDE_NAME);
        host.mount("a");
        Files.writeString(served.resolve("file"), "content");
        Files.writeString(served.resolve("e\u0301\u65e5".repeat(20)), "content");
    }

    private List<String> table(String command, int columns) throws Exception {
        // the terminal moves the cursor while the line is typed, but prints a table as it is
        return shell.type(command + "\n", home, columns)
                .replaceAll("\u001b\\[[0-9;?]*[a-zA-Z]", "")
                .lines()
                .filter(line -> line.contains(" | ") || line.contains("-+-"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 80, 130})
    void shouldFitTheTerminal(int columns) throws Exception {
        for (String command : TABLES) {
            List<String> lines = table(command, columns);

            assertThat(lines).as(command).isNotEmpty().allSatisfy(line -> assertThat(
                            new AttributedString(line).columnLength())
                    .isLessThanOrEqualTo(columns));
            assertThat(lines.stream().filter(line -> !line.contains("-+-")))
                    .as("rulers of " + command)
                    .allSatisfy(line -> assertThat(column(line)).isEqualTo(column(lines.get(0))));
        }
    }

    /** Returns the column of the first ruler. */
    private static int column(String line) {
        return new AttributedString(line.substring(0, line.indexOf(" | "))).columnLength();
    }

    @Test
    void shouldTellWhichColumnsAreNotShown() throws Exception {
        assertThat(shell.type("nfs:mounts\n", home, 80))
                .contains("not shown: ", "Options and settings (--wide shows all columns)");
        assertThat(shell.type("nfs:mounts --wide\n", home, 80))
                .contains(LONG_NAME)
                .doesNotContain("not shown: ");
        assertThat(shell.type("nfs:mounts\n", home, 400)).doesNotContain("not shown: ");
    }

    @Test
    void shouldShowEverythingElsewhere() throws Exception {
        assertThat(shell.run("nfs:mounts"))
                .contains(LONG_NAME, WIDE_NAME, "version=2")
                .doesNotContain("not shown");
        assertThat(shell.type("nfs:mounts | nfs:put - a:/piped\n", home, 80)).doesNotContain("not shown");
        assertThat(Files.readString(served.resolve("piped"))).contains(LONG_NAME, "version=2");
    }

    @Test
    void shouldFitTheTerminalOfAScript() throws Exception {
        Invocation narrow = new Invocation(home, Map.of(), 80);
        assertThat(shell.run(narrow, "nfs:mounts").lines().filter(line -> line.contains(" | ")))
                .isNotEmpty()
                .allSatisfy(line ->
                        assertThat(new AttributedString(line).columnLength()).isLessThanOrEqualTo(80));
        shell.run(narrow, "nfs:mounts | nfs:put - a:/piped");
        assertThat(Files.readString(served.resolve("piped"))).contains(LONG_NAME, "version=2");
    }

    @Test
    void shouldCutNoNamesOfFiles() throws Exception {
        String name = "e\u0301\u65e5".repeat(20);
        for (String command : List.of("nfs:ls -l a:/", "nfs:ls a:/", "nfs:find a:/")) {
            assertThat(shell.type(command + "\n", home, 80)).as(command).contains(name);
        }
    }

    @Test
    void shouldPrintOneJsonDocumentForEachList() throws Exception {
        for (List<String> commands : List.of(TABLES, LISTS)) {
            for (String command : commands) {
                String json = shell.run(command.replaceFirst(" |$", " --json "));

                try (JsonReader reader = Json.createReader(new StringReader(json))) {
                    assertThat(reader.read()).as(command).isNotNull();
                }
                assertThat(json.strip().lines()).as(command).hasSize(1);
            }
        }
    }

    @Test
    void shouldPrintEmptyListsAsJsonToo() throws Exception {
        for (String name : List.of(LONG_NAME, WIDE_NAME, "a")) {
            shell.run("nfs:unmount " + name);
        }
        shell.run("nfs:unexport " + LONG_NAME);

        for (String command : List.of("nfs:mounts", "nfs:exports", "nfs:df")) {
            assertThat(shell.run(command + " --json")).as(command).isEqualTo("[]\n");
        }
        host.mount("a");
        Files.createDirectory(served.resolve("empty"));
        assertThat(shell.run("nfs:ls --json a:/empty")).isEqualTo("[]\n");
        assertThat(shell.run("nfs:find --json --name nothing a:/empty")).isEqualTo("[]\n");
    }
}
