package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import io.verbena.nfs.MountReplacedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the commands for files, as a user types them. */
class FileCommandsTest extends ShellTest {
    @Test
    void shouldListByNameAndLong() throws Exception {
        host.mount("a");
        Files.writeString(served.resolve("b with space"), "xyz");
        Files.writeString(served.resolve("é ✓"), "");
        Files.writeString(served.resolve(".hidden"), "");
        Files.createSymbolicLink(served.resolve("link"), Path.of("b with space"));
        Files.createDirectory(served.resolve("dir"));
        Files.setLastModifiedTime(
                served.resolve("b with space"), FileTime.from(Instant.parse("2020-02-03T04:05:06.7Z")));
        Files.setAttribute(served.resolve("b with space"), "unix:mode", 0_640);

        assertThat(shell.run("nfs:ls a:")).isEqualTo("b with space\ndir\nlink\né ✓\n");
        assertThat(shell.run("nfs:ls -a a:/")).startsWith(".hidden\n");
        assertThat(shell.run("nfs:ls -l a:/"))
                .containsPattern("-rw-r----- +1  \\S+ +\\S+ +3  2020-02-03T04:05:06Z  b with space\n")
                .contains("link -> b with space\n")
                .containsPattern("drwxr-xr-x .* dir\n");
        assertThat(shell.run("nfs:ls 'a:/b with space'")).isEqualTo("a:/b with space\n");
        assertThat(shell.run("nfs:ls a:/dir a:/link")).isEqualTo("a:/link\n\na:/dir:\n");
    }

    @Test
    void shouldNotLetNamesBreakLines() throws Exception {
        host.mount("a");
        Files.writeString(served.resolve("one\nline \u001b[31m"), "");

        assertThat(shell.run("nfs:ls a:/")).isEqualTo("one\\x0Aline \\x1B[31m\n");
    }

    @Test
    void shouldShowInvisibleCharactersAndTakeThemBack() throws Exception {
        host.mount("a");
        Files.writeString(served.resolve("\u202egnp.exe"), "abc");
        Files.writeString(served.resolve("zero\u200bwidth\ufe0f"), "");
        Files.writeString(served.resolve("cafe\u0301"), "");

        assertThat(shell.run("nfs:ls a:/"))
                .isEqualTo("cafe\u0301\nzero\\xE2\\x80\\x8Bwidth\\xEF\\xB8\\x8F\n\\xE2\\x80\\xAEgnp.exe\n");
        assertThat(shell.run("nfs:ls -l --json a:/"))
                .contains("\\\\xE2\\\\x80\\\\xAEgnp.exe")
                .doesNotContain("\u202e");
        assertThat(shell.run("nfs:cat 'a:/\\xE2\\x80\\xAEgnp.exe'")).isEqualTo("abc");
        shell.run("nfs:mv 'a:/\\xE2\\x80\\xAEgnp.exe' a:/plain");
        assertThat(served.resolve("plain")).hasContent("abc");
        assertFails("nfs:rm a:/\u2066none").hasMessage("a:/\\xE2\\x81\\xA6none: no such file or directory");
    }

    @Test
    void shouldPrintContentAndDigests() throws Exception {
        host.mount("a");
        Files.writeString(served.resolve("x"), "abc");
        Files.writeString(served.resolve("empty"), "");

        assertThat(shell.run("nfs:cat a:/x a:/empty a:/x")).isEqualTo("abcabc");
        assertThat(shell.run("nfs:sha256 a:/x a:/empty " + served.resolve("x")))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a:/x\n"
                        + "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a:/empty\n"
                        + "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  " + served + "/x\n");
        assertThat(shell.run("nfs:sha256 --json a:/empty"))
                .isEqualTo("[{\"sha256\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
                        + "\"path\":\"a:/empty\"}]\n");
        assertThat(shell.runUntilFailure("nfs:sha256 a:/empty a:/none"))
                .endsWith("  a:/empty\na:/none: no such file or directory\n");
        assertThat(shell.run("nfs:cat a:/x | wc -c")).contains("3");
    }

    @Test
    void shouldMakeMoveLinkAndRemove() throws Exception {
        host.mount("a");

        shell.run("nfs:mkdir -p a:/d/e a:/d/e a:/d/e/.; nfs:mkdir -p a:/d/g/.");
        shell.run("nfs:put -q /etc/hostname a:/d/f; nfs:mv a:/d/f a:/d/e");
        assertThat(served.resolve("d/e/f")).exists();
        shell.run("nfs:ln a:/d/e/f a:/hard; nfs:ln -s d/e/f a:/soft");
        assertThat(Files.isSameFile(served.resolve("hard"), served.resolve("soft")))
                .isTrue();
        assertThat(Files.readSymbolicLink(served.resolve("soft"))).hasToString("d/e/f");
        assertFails("nfs:ln -s a:/x a:/y").hasMessageContaining("leave out 'a:'");
        host.mount("b");
        assertFails("nfs:mv a:/d/e/f a:/none/f").hasMessage("a:/none/f: no such file or directory");
        assertFails("nfs:mv a:/d/e/f b:/f")
                .hasMessage("cannot move a:/d/e/f to b:/f: they are different mounts; nfs:cp and nfs:rm do it");
        assertFails("nfs:rm a:/d").hasMessage("a:/d: is a directory; -r removes it with all that is in it");
        assertFails("nfs:rm a:/none").hasMessage("a:/none: no such file or directory");
        shell.run("nfs:rm -f a:/none; nfs:rm -r a:/d a:/soft a:/hard");
        assertThat(served).isEmptyDirectory();
        assertFails("nfs:rm -r a:/").hasMessageContaining("refused");
        assertFails("nfs:mkdir a:/x/y").hasMessage("a:/x/y: no such file or directory");
    }

    /** What the server is asked for then has no effect and no failure. */
    @Test
    void shouldMoveNoFileToItself() throws Exception {
        host.mount("a");
        Files.createDirectory(served.resolve("dir"));
        Files.writeString(served.resolve("dir/x"), "abc");
        Files.createLink(served.resolve("hard"), served.resolve("dir/x"));
        Files.createSymbolicLink(served.resolve("soft"), Path.of("hard"));

        assertFails(ExitStatus.FAILED, "nfs:mv a:/hard a:/hard").hasMessage("a:/hard and a:/hard are the same file");
        assertFails("nfs:mv a:/hard a:/dir/./../hard").hasMessageEndingWith(" are the same file");
        assertFails("nfs:mv a:/dir/x a:/dir").hasMessage("a:/dir/x and a:/dir/x are the same file");
        assertFails("nfs:mv a:/hard a:/dir/x").hasMessage("a:/hard and a:/dir/x are the same file");
        assertThat(served.resolve("hard")).hasContent("abc");

        shell.run("nfs:mv a:/soft a:/hard");
        assertThat(Files.readSymbolicLink(served.resolve("hard"))).hasToString("hard");
    }

    @Test
    void shouldMakeADirectoryThatSomebodyElseMakesToo() throws Exception {
        host.mount("a").hook((operation, path, position) -> {
            if (operation.equals("createDirectory")) {
                Files.createDirectory(served.resolve("." + path));
            }
        });

        shell.run("nfs:mkdir -p a:/d/e");
        assertThat(served.resolve("d/e")).isDirectory();
        assertFails("nfs:mkdir a:/f").hasMessage("a:/f: already exists");
    }

    @Test
    void shouldChangeModesAndShowAttributes() throws Exception {
        host.mount("a");
        Files.writeString(served.resolve("x"), "abc");

        shell.run("nfs:chmod 600 a:/x; nfs:chmod u+x,go=r a:/x");
        assertThat(shell.run("nfs:stat a:/x"))
                .containsPattern("path +a:/x\n")
                .containsPattern("type +regular\n")
                .containsPattern("size +3\n")
                .containsPattern("mode +0744 -rwxr--r--\n");
        assertFails("nfs:chmod rwx a:/x").hasMessageContaining("'rwx' is no mode");
    }

    @Test
    void shouldPrintAndDigestOnWhenTheMountIsReplaced() throws Exception {
        Files.writeString(served.resolve("x"), "abc");
        AtomicInteger replacements = new AtomicInteger();
        host.hook((operation, path, position) -> {
            if (operation.equals("read") && replacements.getAndIncrement() % 2 == 0) {
                host.replace("a");
                throw new MountReplacedException("a", false);
            }
        });
        host.mount("a");

        assertThat(shell.run("nfs:cat a:/x a:/x")).isEqualTo("abcabc");
        assertThat(shell.run("nfs:sha256 a:/x"))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a:/x\n");
        assertThat(replacements).hasValue(6);
    }
}
