package io.verbena.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of this host, octet by octet. */
class LocalNamesTest {
    @TempDir
    Path directory;

    /** The names of the files in a directory, in hex: as the shell's classes see them in the locale of this process. */
    public static void main(String[] arguments) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of(arguments[0]))) {
            for (Path entry : entries) {
                String name = LocalNames.name(entry);
                boolean isFound = Files.isRegularFile(LocalNames.path(LocalNames.text(entry.getParent()) + "/" + name));
                System.out.println(HexFormat.of().formatHex(OctetText.encode(name)) + (isFound ? "" : " lost"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"C", "C.UTF-8"})
    void shouldKeepEveryOctetInAnyLocale(String locale) throws Exception {
        TreeSet<String> names = new TreeSet<>();
        for (byte[] name : OctetTree.names()) {
            Files.write(LocalNames.path(directory + "/" + OctetText.decode(name)), name);
            names.add(HexFormat.of().formatHex(name));
        }
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LocalNamesTest.class.getName(),
                directory.toString());
        builder.environment().put("LC_ALL", locale);
        Process process = builder.redirectErrorStream(true).start();
        List<String> printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                .lines()
                .sorted()
                .toList();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(printed).containsExactlyElementsOf(names);
    }

    @Test
    void shouldKeepEveryOctetOfPathsAndLinks() throws Exception {
        Path odd = Path.of(URI.create("file:///tmp/a%E9/b%0A"));

        assertThat(LocalNames.text(odd)).isEqualTo("/tmp/a\udce9/b\n");
        assertThat(LocalNames.path("/tmp/a\udce9/b\n")).isEqualTo(odd);
        assertThat(LocalNames.name(odd.getParent())).isEqualTo("a\udce9");
        assertThat(LocalNames.name(Path.of("/"))).isEmpty();
        assertThat(LocalNames.shown(odd)).isEqualTo("/tmp/a\\xE9/b\\x0A");
        assertThat(LocalNames.parse("/tmp/a\\xE9/b\\x0A")).isEqualTo(odd);
        assertThat(LocalNames.parse("~/a\\xE9"))
                .isEqualTo(LocalNames.path(System.getProperty("user.home") + "/a\udce9"));
        for (String target : List.of("../\udce9", "\udce9/", "/\udce9/./..", "a/", "caf\u00e9/", "\udcff")) {
            Path link = directory.resolve("link");
            Files.createSymbolicLink(link, LocalNames.linkTarget(target));

            assertThat(LocalNames.text(Files.readSymbolicLink(link))).isEqualTo(target);
            Files.delete(link);
        }
    }

    /** A directory's URI ends with a slash, its path does not. */
    @Test
    void shouldTakeDirectoriesAsTheyAre() throws Exception {
        Path made = Files.createDirectory(LocalNames.path(directory + "/d\udce9"));

        assertThat(LocalNames.text(made)).isEqualTo(directory + "/d\udce9");
        assertThat(LocalNames.name(made)).isEqualTo("d\udce9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "\udce9\0", "\ud800", "\udc00"})
    void shouldRefuseWhatNoNameHas(String text) {
        assertThatThrownBy(() -> LocalNames.path(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
