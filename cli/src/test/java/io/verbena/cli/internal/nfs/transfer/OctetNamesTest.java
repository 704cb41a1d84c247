package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import io.verbena.text.OctetTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.json.Json;
import javax.json.JsonArray;
import javax.json.JsonReader;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests commands that copy, show and parse names of arbitrary octets. */
class OctetNamesTest extends TransferCase {
    private Path file(Path directory, String name) throws IOException {
        Path file = LocalNames.path(LocalNames.text(directory) + "/" + name);
        return Files.writeString(file, "content of " + OctetText.escape(name));
    }

    /** Returns a word that the shell leaves unchanged. */
    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    @Test
    void shouldCopyEveryNameThereAndBack() throws Exception {
        Path tree = local.resolve("tree");
        OctetTree.make(tree);
        List<String> expected = OctetTree.find(tree);

        String summary = shell.run("nfs:put -r --verify --json " + tree + " a:/");
        assertThat(summary).contains("\"failed\":[]", "\"skipped\":[]");
        assertThat(OctetTree.find(served.resolve("tree"))).isEqualTo(expected);

        shell.run("nfs:get -r --verify a:/tree " + local + "/back");
        assertThat(OctetTree.find(local.resolve("back"))).isEqualTo(expected);

        shell.run("nfs:cp -r a:/tree a:/copy");
        assertThat(OctetTree.find(served.resolve("copy"))).isEqualTo(expected);

        assertThat(shell.run("nfs:sync --delete " + tree + " a:/copy")).startsWith("synchronised 0 files");
        assertThat(shell.run("nfs:sync --delete a:/copy " + local + "/back")).startsWith("synchronised 0 files");

        shell.run("nfs:rm -r a:/tree a:/copy");
        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldSynchroniseNamesThatAreNotUtf8() throws Exception {
        Path directory = Files.createDirectories(LocalNames.path(local + "/tree/dir\udce9"));
        file(directory, "caf\udce9.txt");
        shell.run("nfs:sync " + local + "/tree a:/tree");
        file(LocalNames.path(served + "/tree/dir\udce9"), "gone\udcff");

        assertThat(shell.run("nfs:sync --delete " + local + "/tree a:/tree"))
                .contains("1 file the same already", "removed 1");
        assertThat(OctetTree.find(served.resolve("tree"))).isEqualTo(OctetTree.find(local.resolve("tree")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"caf\udce9.txt", "a\\x41", "a\\\\b", "a\nb", "\u009b", "caf\u00e9", "tab\t", "it's", "x;y z"})
    void shouldShowANameAsItIsTaken(String name) throws Exception {
        Path file = file(served, name);
        String shown = OctetText.escape(name);
        assertThat(shell.run("nfs:ls a:/")).isEqualTo(shown + "\n");
        assertThat(shell.run("nfs:find --type f a:/")).isEqualTo("a:/" + shown + "\n");
        assertThat(shell.run("nfs:ls -l a:/")).endsWith("  " + shown + "\n");
        String quoted = quoted("a:/" + shown);

        assertThat(shell.run("nfs:cat " + quoted)).isEqualTo(Files.readString(file));
        assertThat(shell.run("nfs:ls " + quoted)).isEqualTo("a:/" + shown + "\n");
        assertThat(shell.run("nfs:stat " + quoted)).contains("a:/" + shown);
        assertThat(shell.run("nfs:sha256 " + quoted)).endsWith("  a:/" + shown + "\n");
        assertThat(shell.run("nfs:du --apparent-size " + quoted)).endsWith("a:/" + shown + "\n");
        String here = quoted(local + "/" + shown);
        shell.run("nfs:get " + quoted + " " + here);
        assertThat(LocalNames.path(local + "/" + name)).hasSameTextualContentAs(file);
        assertThat(shell.run("nfs:sha256 " + here)).endsWith("  " + local + "/" + shown + "\n");
        shell.run("nfs:rm " + quoted);
        shell.run("nfs:put " + here + " a:/");
        assertThat(file).exists();
    }

    @Test
    void shouldTellProgramsNamesAsCommandsTakeThem() throws Exception {
        file(served, "caf\udce9.txt");
        file(served, "a\\x41");
        Files.createSymbolicLink(served.resolve("link"), LocalNames.linkTarget("x\udce9"));

        try (JsonReader reader = Json.createReader(new StringReader(shell.run("nfs:ls --json a:/")))) {
            JsonArray listed = reader.readArray();
            assertThat(listed.getJsonObject(0).getString("name")).isEqualTo("a\\\\x41");
            assertThat(listed.getJsonObject(1).getString("path")).isEqualTo("a:/caf\\xE9.txt");
            assertThat(listed.getJsonObject(2).getString("target")).isEqualTo("x\\xE9");
        }
        assertThat(shell.run("nfs:get -n --json 'a:/caf\\xE9.txt' " + local))
                .contains("copy a:/caf\\\\xE9.txt to " + local + "/caf\\\\xE9.txt");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a:/caf?.txt", "a:/caf\\xE9*", "a:/*[\\xE0-\\xFF].txt", "a:/{caf\\xe9,none}.txt", "a:/c*.txt"})
    void shouldMatchOctetsByPatterns(String pattern) throws Exception {
        file(served, "caf\udce9.txt");
        file(served, "cafe");
        Files.createDirectory(served.resolve("to"));

        assertThat(shell.run("nfs:ls '" + pattern + "'")).isEqualTo("a:/caf\\xE9.txt\n");
        shell.run("nfs:get '" + pattern + "' " + local);
        assertThat(LocalNames.path(local + "/caf\udce9.txt")).exists();
    }

    @Test
    void shouldTakeNamesWithPatternsInThemAsTheyAreShown() throws Exception {
        file(served, "a\\*b");
        file(served, "a*b");
        file(served, "axb");

        assertThat(shell.run("nfs:ls 'a:/a\\\\*b'")).isEqualTo("a:/a\\\\*b\n");
        assertThat(shell.run("nfs:ls 'a:/a*b'")).isEqualTo("a:/a*b\n");
        assertThat(shell.run("nfs:ls 'a:/a\\x2Ab'")).isEqualTo("a:/a*b\n");
        assertThat(shell.run("nfs:ls 'a:/a[x]b'")).isEqualTo("a:/axb\n");
    }

    @Test
    void shouldExcludeAndIncludeByOctets() throws Exception {
        Path tree = Files.createDirectory(local.resolve("tree"));
        file(tree, "caf\udce9.txt");
        file(tree, "th\udce9.txt");

        assertThat(shell.run("nfs:put -r --exclude 'caf\\xE9*' " + tree + " a:/"))
                .startsWith("put 1 file,");
        assertThat(names(served.resolve("tree"))).hasSize(1);
    }

    @Test
    void shouldSeeNamesFromTheCurrentDirectory() throws Exception {
        Path directory = Files.createDirectory(LocalNames.path(served + "/d[\udce9]"));
        file(directory, "caf\udce9.txt");

        assertThat(shell.run("nfs:cd 'a:/d[\\xE9]'; nfs:pwd; nfs:ls '*.txt'; nfs:cat 'caf\\xE9.txt'"))
                .isEqualTo("a:/d[\\xE9]\na:/d[\\xE9]/caf\\xE9.txt\ncontent of caf\\xE9.txt");
        assertThat(shell.run("nfs:cd 'a:/d[\\xE9]'; nfs:ls $NFS_PWD")).isEqualTo("caf\\xE9.txt\n");
    }

    @Test
    void shouldCompleteToWhatTheShellReadsAsThatName() throws Exception {
        file(served, "caf\udce9.txt");
        file(served, "a\\b");
        file(local, "th\udce9.txt");
        Files.createDirectory(LocalNames.path(served + "/dir\udce9"));

        List<String> remote = shell.complete("nfs:cat", "a:/");
        assertThat(remote).containsExactlyInAnyOrder("a:/caf\\\\xE9.txt", "a:/a\\\\\\\\b", "a:/dir\\\\xE9/");
        assertThat(shell.run("nfs:cat a:/caf\\\\xE9.txt a:/a\\\\\\\\b"))
                .isEqualTo("content of caf\\xE9.txtcontent of a\\\\b");
        assertThat(shell.complete("nfs:put", local + "/t")).contains(local + "/th\\\\xE9.txt");
        shell.run("nfs:put " + local + "/th\\\\xE9.txt a:/");
        assertThat(LocalNames.path(served + "/th\udce9.txt")).exists();
    }

    /** A word in quotes precedes the word to complete. */
    @Test
    void shouldCompleteBehindWordsInQuotes() throws Exception {
        file(served, "file");

        assertThat(shell.complete("nfs:put", local + "/x;y \\xE9", "a:/f")).containsExactly("a:/file");
    }

    @Test
    void shouldNameWhatFailedAsCommandsTakeIt() throws Exception {
        Path tree = Files.createDirectory(served.resolve("tree"));
        file(tree, "caf\udce9\n.txt");
        file(tree, "good");
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.contains("caf")) {
                throw new AccessDeniedException(path);
            }
        });
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        assertThatThrownBy(() -> shell.run("nfs:get -r --json a:/tree " + local, printed))
                .isInstanceOf(CommandException.class);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains(
                        "\"path\":\"a:/tree/caf\\\\xE9\\\\x0A.txt\"",
                        "\na:/tree/caf\\xE9\\x0A.txt: permission denied\n");
    }

    @Test
    void shouldRefuseNamesThatNoFileHas() {
        assertThatThrownBy(() -> shell.run("nfs:put '" + local + "/a\\x00b' a:/"))
                .hasMessageContaining("Nul character");
    }
}
