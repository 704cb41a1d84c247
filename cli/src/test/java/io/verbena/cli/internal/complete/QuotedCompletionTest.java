package io.verbena.cli.internal.complete;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.Shell;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Providers;
import io.verbena.cli.internal.TestHost;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Types the start of names and TAB at a prompt, and executes the completed lines. */
final class QuotedCompletionTest {
    private static final int COLUMNS = 200;

    private static final List<String> NAMES = List.of(
            "plain.txt",
            "a b  c",
            "it's",
            "say \"hi\"",
            "both ' and \"",
            "$HOME",
            "${x}",
            "%(1+1)",
            "`id`",
            "a;b|c&d",
            "{x,y}",
            "(x)",
            "[ab]",
            "a<b>c",
            "a\\b",
            "end\\",
            "\\x41",
            "*?",
            "a#b",
            "bang!bang !x !! end!",
            "a=b",
            "~x",
            "^c",
            "größe e\u0301 \u65e5\u672c",
            "tab\there",
            "line\nfeed",
            OctetText.decode(new byte[] {'c', 'a', 'f', (byte) 0xe9, ' ', '\''}));

    @TempDir
    Path served;

    @TempDir
    Path local;

    @TempDir
    Path home;

    private TestHost host;
    private Shell shell;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), new Providers());
        shell.addListener(new RawWords());
        host.mount("docs");
    }

    @AfterEach
    void stop() {
        shell.close();
        host.close();
    }

    /** Returns the path of a name in a directory. */
    private static Path in(Path directory, String name) {
        return LocalNames.path(LocalNames.text(directory) + "/" + name);
    }

    /** Creates a file for each name, which begins with a number of its own, and returns the numbers. */
    private static List<String> makeFiles(Path directory) throws Exception {
        List<String> numbers = new ArrayList<>();
        for (String name : NAMES) {
            String number = String.valueOf(numbers.size() + 10);
            Files.writeString(in(directory, number + name), "content " + number + ".\n");
            numbers.add(number);
        }
        return numbers;
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs:/", "'docs:/", "\"docs:/"})
    void shouldNameTheVeryFileOfAMount(String start) throws Exception {
        List<String> numbers = makeFiles(served);
        StringBuilder keys = new StringBuilder();
        numbers.forEach(
                number -> keys.append("nfs:cat ").append(start).append(number).append("\t\n"));

        String screen = shell.type(keys.toString(), home, COLUMNS);

        assertThat(numbers.stream().filter(number -> !screen.contains("content " + number + ".")))
                .as(screen)
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs:/", "'docs:/", "\"docs:/"})
    void shouldGoOnInADirectoryOfAnyName(String start) throws Exception {
        StringBuilder keys = new StringBuilder();
        List<String> numbers = new ArrayList<>();
        for (String name : NAMES) {
            String number = String.valueOf(numbers.size() + 10);
            Path directory = Files.createDirectory(in(served, number + name));
            Files.writeString(in(directory, "in " + name), "content " + number + ".\n");
            numbers.add(number);
            keys.append("nfs:cat ").append(start).append(number).append("\t\t\n");
        }

        String screen = shell.type(keys.toString(), home, COLUMNS);

        assertThat(numbers.stream().filter(number -> !screen.contains("content " + number + ".")))
                .as(screen)
                .isEmpty();
    }

    @Test
    void shouldNameTheVeryFileOfThisHost() throws Exception {
        StringBuilder keys = new StringBuilder();
        for (String number : makeFiles(local)) {
            keys.append("nfs:put ").append(local).append("/").append(number).append("\tdocs:/\n");
        }

        shell.type(keys.toString(), home, COLUMNS);

        assertThat(names(served)).containsExactlyInAnyOrderElementsOf(names(local));
    }

    private static List<String> names(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(LocalNames::name).toList();
        }
    }

    @Test
    void shouldGoOnBehindACommonStart() throws Exception {
        Files.writeString(in(served, "a $one"), "content 1.\n");
        Files.writeString(in(served, "a 'two"), "content 2.\n");

        // the first TAB writes what both have in common, which ends with a blank or a backslash
        String screen = shell.type("nfs:cat docs:/a\t$\t\nnfs:cat 'docs:/a\t'\\'\t\n", home, COLUMNS);

        assertThat(screen).contains("content 1.", "content 2.");
    }

    @Test
    void shouldCompleteInPipelinesAndBlocks() throws Exception {
        Files.writeString(in(served, "a b"), "content 1.\n");
        Files.writeString(in(served, "c $d"), "content 2.\n");

        String screen = shell.type("nfs:cat docs:/c\t; nfs:cat docs:/a\t| nfs:put - docs:/new\n", home, COLUMNS);

        assertThat(screen).contains("content 2.");
        assertThat(Files.readString(in(served, "new"))).isEqualTo("content 1.\n");
    }

    @Test
    void shouldNotCompleteBehindAVariableOrAPattern() {
        assertThat(shell.complete("nfs:cat", "docs:/$x/")).isEmpty();
        assertThat(shell.complete("nfs:cat", "\"docs:/$x/")).isEmpty();
        assertThat(shell.complete("nfs:cat", "docs:/*")).isEmpty();
    }
}
