package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests current directories and patterns, as a user types them. */
class RemotePathsTest extends ShellTest {
    @BeforeEach
    void mount() throws Exception {
        host.mount("a");
        for (String name :
                new String[] {"x.csv", "y.csv", ".z.csv", "note.txt", "d1/1.csv", "d1/in", "d2/2.csv", "e/in"}) {
            Path file = served.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, name);
        }
        Files.createSymbolicLink(served.resolve("link"), Path.of("d1"));
    }

    @Test
    void shouldSeePathsFromTheCurrentDirectory() throws Exception {
        assertThat(shell.run("nfs:cd a:/d1; nfs:pwd; nfs:ls; nfs:cat in; nfs:cat ../note.txt; nfs:cat /e/in"))
                .isEqualTo("a:/d1\n1.csv\nin\nd1/innote.txte/in");
        assertThat(shell.run("nfs:cd a:; nfs:cd e; nfs:pwd; nfs:cd ../d2/.; nfs:pwd; nfs:cd -; nfs:cd; nfs:pwd"))
                .isEqualTo("a:/e\na:/d2\na:/e\na:/\n");
        assertThat(shell.run("nfs:cd a:/link; nfs:cd ..; nfs:pwd")).isEqualTo("a:/\n");
        assertThat(shell.run("nfs:cd a:/d1; nfs:sha256 :in")).endsWith("  a:/d1/in\n");
        assertThat(shell.run("nfs:cd a:/d1; echo $NFS_PWD")).isEqualTo("a:/d1\n");
    }

    @Test
    void shouldMakeAndRemoveFromTheCurrentDirectory() throws Exception {
        shell.run("nfs:cd a:/e; nfs:mkdir sub; nfs:mv in sub; nfs:ln sub/in hard; nfs:rm :sub/in");

        assertThat(served.resolve("e/hard")).hasContent("e/in");
        assertThat(served.resolve("e/sub")).isEmptyDirectory();
        for (String dots : new String[] {".", "..", ":.", "a:/d1/.", "../e/./"}) {
            assertFails("nfs:cd a:/e; nfs:rm -r " + dots).hasMessageContaining("refused");
        }
    }

    @Test
    void shouldSayWhereThereIsNoCurrentDirectory() {
        assertFails(ExitStatus.USAGE, "nfs:ls x").hasMessageContaining("'x' is no remote path");
        assertFails(ExitStatus.USAGE, "nfs:ls :x").hasMessageContaining("after nfs:cd it may be relative");
        assertFails("nfs:pwd").hasMessageContaining("nfs:cd NAME:/path sets one");
        assertFails(ExitStatus.USAGE, "nfs:cd -").hasMessageContaining("no directory before");
        assertFails(ExitStatus.NOT_FOUND, "nfs:cd a:/none").hasMessage("a:/none: no such file or directory");
        assertFails("nfs:cd a:/note.txt").hasMessage("a:/note.txt: not a directory");
    }

    @Test
    void shouldExpandPatterns() throws Exception {
        assertThat(shell.run("nfs:ls a:/*.csv")).isEqualTo("a:/x.csv\na:/y.csv\n");
        assertThat(shell.run("nfs:ls 'a:/.*.csv'")).isEqualTo("a:/.z.csv\n");
        assertThat(shell.run("nfs:ls 'a:/{d*,link}/[12].csv'")).isEqualTo("a:/d1/1.csv\na:/d2/2.csv\na:/link/1.csv\n");
        assertThat(shell.run("nfs:ls 'a:/*/in'")).isEqualTo("a:/d1/in\na:/e/in\na:/link/in\n");
        assertThat(shell.run("nfs:cd a:/d1; nfs:cat '*n' :../?.csv")).isEqualTo("d1/inx.csvy.csv");
        assertThat(shell.run("nfs:ls 'a:/d?'")).isEqualTo("a:/d1:\n1.csv\nin\n\na:/d2:\n2.csv\n");
        shell.run("nfs:rm -r 'a:/d?' 'a:/*.csv'; nfs:rm -f 'a:/*.none'");
        assertThat(served.toFile().list()).containsExactlyInAnyOrder(".z.csv", "note.txt", "e", "link");
    }

    @Test
    void shouldFailWhereNothingMatches() {
        assertFails(ExitStatus.NOT_FOUND, "nfs:ls 'a:/*.none'").hasMessage("a:/*.none: nothing matches");
        assertFails(ExitStatus.NOT_FOUND, "nfs:rm 'a:/note.txt/*'").hasMessage("a:/note.txt/*: nothing matches");
        assertFails(ExitStatus.NOT_FOUND, "nfs:cat 'a:/*/none'").hasMessage("a:/*/none: nothing matches");
        assertFails(ExitStatus.USAGE, "nfs:ls 'a:/[x'").hasMessageContaining("'[x' is no pattern");
    }

    @Test
    void shouldTakeANameThatIsThereAsItIs() throws Exception {
        Files.writeString(served.resolve("[xy].csv"), "brackets");

        assertThat(shell.run("nfs:cat 'a:/[xy].csv'")).isEqualTo("brackets");
        assertThat(shell.run("nfs:cat 'a:/\\[xy\\].cs?'")).isEqualTo("brackets");
    }

    @Test
    void shouldNotBeLedOutOfADirectoryByAServer() throws Exception {
        host.mount("b").lie("d1", "../note.txt");

        assertFails("nfs:ls 'b:/d1/*'")
                .hasMessageContaining("b:/d1/../note.txt: the server lists a name that no file can have");
        assertFails(ExitStatus.PARTIAL, "nfs:rm -r 'b:/d*'").hasMessage("1 could not be removed: see above");
        assertThat(served.resolve("note.txt")).exists();
    }
}
