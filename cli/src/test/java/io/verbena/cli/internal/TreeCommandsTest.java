package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.StringReader;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import javax.json.Json;
import javax.json.JsonArray;
import javax.json.JsonReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests nfs:find, nfs:du and nfs:rm -r, as a user types them. */
class TreeCommandsTest extends ShellTest {
    private DirectoryMount mount;

    @BeforeEach
    void mount() throws Exception {
        mount = host.mount("a");
        Files.createDirectories(served.resolve("d/e"));
        Files.writeString(served.resolve("d/big.csv"), "x".repeat(2_000));
        Files.writeString(served.resolve("d/e/small.csv"), "x".repeat(10));
        Files.createLink(served.resolve("d/e/hard.csv"), served.resolve("d/big.csv"));
        Files.createSymbolicLink(served.resolve("link"), Path.of("d"));
        Files.setLastModifiedTime(
                served.resolve("d/e/small.csv"), FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    }

    private String[] find(String arguments) throws Exception {
        return shell.run("nfs:find " + arguments).lines().toArray(String[]::new);
    }

    private static JsonArray parse(String json) {
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            return reader.readArray();
        }
    }

    @Test
    void shouldFindWhatFitsAll() throws Exception {
        assertThat(find("a:/"))
                .containsExactlyInAnyOrder(
                        "a:/", "a:/d", "a:/d/big.csv", "a:/d/e", "a:/d/e/hard.csv", "a:/d/e/small.csv", "a:/link");
        assertThat(find("--name '*.csv' --size +1K a:/")).containsExactlyInAnyOrder("a:/d/big.csv", "a:/d/e/hard.csv");
        assertThat(find("--type f --size -11 a:/")).containsExactly("a:/d/e/small.csv");
        assertThat(find("--size 10 a:/d")).containsExactly("a:/d/e/small.csv");
        assertThat(find("--type l a:/")).containsExactly("a:/link");
        assertThat(find("--type d --max-depth 1 a:/d")).containsExactlyInAnyOrder("a:/d", "a:/d/e");
        assertThat(find("--max-depth 0 a:/d a:/link")).containsExactly("a:/d", "a:/link");
        assertThat(find("--newer 2020-01-02 --type f a:/d/e")).containsExactly("a:/d/e/hard.csv");
        assertThat(shell.run("nfs:cd a:/d/e; nfs:find --name 's*' | cat")).isEqualTo("a:/d/e/small.csv\n");
    }

    @Test
    void shouldTellProgramsAllOfWhatIsFound() throws Exception {
        JsonArray found = parse(shell.run("nfs:find --json --name 'small*' a:/"));

        assertThat(found).hasSize(1);
        assertThat(found.getJsonObject(0).getString("path")).isEqualTo("a:/d/e/small.csv");
        assertThat(found.getJsonObject(0).getInt("size")).isEqualTo(10);
        assertThat(found.getJsonObject(0).getString("modified")).isEqualTo("2020-01-01T00:00:00Z");
        assertThat(parse(shell.run("nfs:find --json --type l a:/"))
                        .getJsonObject(0)
                        .getString("target"))
                .isEqualTo("d");
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertFails(ExitStatus.USAGE, "nfs:find --type x a:/").hasMessageStartingWith("--type x: it is f, d or l");
        assertFails(ExitStatus.USAGE, "nfs:find --size x a:/").hasMessageStartingWith("--size x: ");
        assertFails(ExitStatus.USAGE, "nfs:find --max-depth x a:/").hasMessage("--max-depth x: it is a whole number");
        assertFails(ExitStatus.USAGE, "nfs:find a:/ --type f")
                .hasMessage("'--type' stands behind a path: options stand before");
        assertFails(ExitStatus.NOT_FOUND, "nfs:find a:/none").hasMessage("a:/none: no such file or directory");
    }

    @Test
    void shouldPassOverWhatCannotBeReadAndSaySoInTheEnd() throws Exception {
        mount.hook((operation, path, position) -> {
            if (operation.equals("list") && path.equals("/d/e")) {
                throw new AccessDeniedException(path);
            }
        });

        assertFails(ExitStatus.PARTIAL, "nfs:find a:/").hasMessage("1 directory could not be read: see above");
        assertFails(ExitStatus.PARTIAL, "nfs:du a:/").hasMessage("1 directory could not be read: see above");
        assertFails(ExitStatus.PERMISSION, "nfs:find a:/d/e").hasMessage("a:/d/e: permission denied");
        mount.hook((operation, path, position) -> {
            if (operation.equals("list") && path.equals("/d/e")) {
                throw new NoSuchFileException(path); // removed since its directory was read
            }
        });
        assertThat(find("--type f a:/")).containsExactly("a:/d/big.csv");
    }

    @Test
    void shouldTellOfAnEntryThatTheServerCannotDescribe() throws Exception {
        mount.listBad("d");

        for (String command : new String[] {"nfs:find a:/", "nfs:du a:/", "nfs:ls -l a:/d", "nfs:ls --json a:/d"}) {
            assertFails(ExitStatus.PARTIAL, command).hasMessage("1 entry could not be read: see above");
        }
        assertThat(shell.run("nfs:ls a:/d")).as("names alone").contains("bad");
    }

    /** Makes the removal of some files fail. */
    private void keep(String pattern) {
        mount.hook((operation, path, position) -> {
            if (operation.equals("remove") && path.matches(pattern)) {
                throw new AccessDeniedException(path);
            }
        });
    }

    @Test
    void shouldRemoveAllBesideWhatCannotBeRemoved() throws Exception {
        for (String name : List.of("t/a/stays", "t/b/x", "t/c/stays", "t/d/z")) {
            Files.createDirectories(served.resolve(name).getParent());
            Files.createFile(served.resolve(name));
        }
        keep(".*/stays");

        assertFails(ExitStatus.PARTIAL, "nfs:rm -r a:/t a:/none a:/link a:/d/e")
                .hasMessage("3 could not be removed: see above");

        assertThat(find("a:/t")).containsExactlyInAnyOrder("a:/t", "a:/t/a", "a:/t/a/stays", "a:/t/c", "a:/t/c/stays");
        assertThat(find("a:/d")).containsExactlyInAnyOrder("a:/d", "a:/d/big.csv");
        assertThat(served.resolve("link")).doesNotExist();
    }

    @Test
    void shouldSayWhyTheOnlyOneCannotBeRemoved() throws Exception {
        Files.createDirectories(served.resolve("empty"));
        keep("/empty|/d/big.csv");

        assertFails(ExitStatus.PERMISSION, "nfs:rm a:/d/big.csv").hasMessage("a:/d/big.csv: permission denied");
        assertFails(ExitStatus.PERMISSION, "nfs:rm -r a:/empty").hasMessage("a:/empty: permission denied");
        assertFails(ExitStatus.FAILED, "nfs:rm a:/empty")
                .hasMessage("a:/empty: is a directory; -r removes it with all that is in it");
    }

    @Test
    void shouldNotMissWhatSomebodyElseHasRemoved() throws Exception {
        mount.hook((operation, path, position) -> {
            if (operation.equals("remove") && path.equals("/d/e/small.csv")) {
                Files.delete(served.resolve("d/e/small.csv"));
            }
        });

        shell.run("nfs:rm -r a:/d");

        assertThat(served.resolve("d")).doesNotExist();
    }

    /** Another client puts a symbolic link to a directory of somebody else in the place of one that is removed. */
    @ParameterizedTest
    @CsvSource({"listing,/d/e", "remove,/d/e/small.csv", "remove,/d/e/inner/x"})
    void shouldRemoveNothingThroughALinkThatHasComeMeanwhile(String operation, String path) throws Exception {
        for (String directory : List.of("d/e/inner", "others/inner")) {
            Files.createDirectories(served.resolve(directory));
            Files.createFile(served.resolve(directory + "/x"));
        }
        Files.createFile(served.resolve("others/small.csv"));
        mount.hook((asked, of, position) -> {
            if (asked.equals(operation) && of.equals(path) && !Files.exists(served.resolve("away"))) {
                Files.move(served.resolve("d/e"), served.resolve("away"));
                Files.createSymbolicLink(served.resolve("d/e"), Path.of("../others"));
            }
        });

        assertFails(ExitStatus.PARTIAL, "nfs:rm -r a:/d");

        assertThat(find("a:/others"))
                .containsExactlyInAnyOrder("a:/others", "a:/others/inner", "a:/others/inner/x", "a:/others/small.csv");
    }

    @Test
    void shouldNotFollowAServerThatHasDirectoriesWithoutEnd() {
        mount.beEndless();

        for (String command : new String[] {"nfs:find --name x a:/d", "nfs:du -s a:/d", "nfs:rm -r a:/d"}) {
            assertFails(command).hasMessageEndingWith("/d/d: more than 2048 directories deep");
        }
    }

    @Test
    void shouldNotFollowADirectoryThatContainsItself() {
        mount.beLoop();

        for (String command : new String[] {"nfs:find --name x a:/d", "nfs:du -s a:/d", "nfs:rm -r a:/d"}) {
            assertFails(command).hasMessage("a:/d/d: the directory contains itself");
        }
    }

    @Test
    void shouldAddUpEachFileOnce() throws Exception {
        long directory = Files.size(served.resolve("d"));
        long inner = Files.size(served.resolve("d/e"));
        String used = shell.run("nfs:du a:/d");

        assertThat(used.lines().map(String::strip)).hasSize(2);
        assertThat(used.lines().skip(1).findFirst().orElseThrow().strip())
                .isEqualTo((directory + inner + 2_010) + "  a:/d");
        assertThat(shell.run("nfs:du -s a:/d").strip()).isEqualTo((directory + inner + 2_010) + "  a:/d");
        assertThat(shell.run("nfs:du -d 0 -h a:/d a:/link/big.csv").lines())
                .hasSize(2)
                .last()
                .isEqualTo("  2.0K  a:/link/big.csv");
        JsonArray totals = parse(shell.run("nfs:du --json -s a:/d"));
        assertThat(totals.getJsonObject(0).getInt("files")).isEqualTo(2);
        assertThat(totals.getJsonObject(0).getInt("directories")).isEqualTo(2);
    }
}
