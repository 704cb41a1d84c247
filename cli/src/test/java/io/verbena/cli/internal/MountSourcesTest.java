package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.cli.internal.hosts.HostAliases;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what nfs:mount takes besides SERVER:/EXPORT: lines of fstab and aliases, options of the kernel's client. */
class MountSourcesTest extends ShellTest {
    private static final String FSTAB =
            """
            # a comment
            UUID=1234 / ext4 defaults 0 1
            storage:/my\\040data  /mnt/data  nfs4  rw,noatime,nconnect=4,hard,_netdev  0 0
            storage:/later       /mnt/later nfs   noauto,soft 0 0
            [2001:db8::1]:/six   /mnt/a\\040b nfs4
            broken line
            """;

    private Path write(String name, String text) throws IOException {
        return Files.writeString(local.resolve(name), text);
    }

    private Object key(String mount, String key) {
        return host.configurations().get(Mount.PID + "~" + mount).get(key);
    }

    @Test
    void shouldTakeOptionsOfTheKernelsClientAndTellWhichAreIgnored() throws Exception {
        assertThat(shell.run("nfs:mount -o noatime,max_connect=4,soft,x-systemd.automount server:/export a"))
                .isEqualTo(
                        """
                        ignored mount options: noatime (the server keeps times of access); max_connect=4 (one address\
                         of the server is used); x-systemd.automount (for the host's mount program)
                        mounted server:/export as a
                        """);
        assertThat(key("a", Mount.OPTIONS)).isEqualTo("soft");
        assertFails("nfs:mount -o vers=3 server:/export b").hasMessageContaining("Verbena speaks NFSv4.1");
    }

    @Test
    void shouldTakeWhatIsMountedAlikeIfAskedTo() throws Exception {
        shell.run("nfs:mount -o hard server:/export a");

        assertThat(shell.run("nfs:mount --ensure -o hard,noatime server:/export a"))
                .isEqualTo("mounted already server:/export as a\n");
        assertThat(shell.run("nfs:mount --ensure server:/export b")).isEqualTo("mounted server:/export as b\n");
        assertFails("nfs:mount -o hard server:/export a").hasMessageContaining("alike already: --ensure takes it");
        assertFails("nfs:mount --ensure server:/export a").hasMessageContaining("or nfs:unmount it first");
        assertFails("nfs:mount --ensure -o hard server:/other a").hasMessageContaining("choose another name");
    }

    @Test
    void shouldMountLinesOfFstab() throws Exception {
        Path fstab = write("fstab", FSTAB);

        assertThat(shell.run("nfs:mount --fstab " + fstab + " /mnt/data/"))
                .endsWith("mounted server:/export as data\n");
        assertThat(key("data", Mount.EXPORT)).isEqualTo("/my data");
        assertThat(key("data", Mount.OPTIONS)).isEqualTo("hard,nconnect=4,rw");
        assertThat(shell.run("nfs:mount -o port=2050 --fstab " + fstab + " later x"))
                .isEqualTo("mounted server:/export as x\n");
        assertThat(key("x", Mount.OPTIONS)).isEqualTo("port=2050,soft");
        assertThat(shell.run("nfs:mount --fstab " + fstab + " 'a b'")).endsWith(" as a-b\n");
        Path other = write("other", "storage:/e /mnt/e/ nfs\n");
        assertThat(shell.run("nfs:mount --fstab " + other + " /mnt/e")).endsWith(" as e\n");
        assertFails(ExitStatus.NOT_FOUND, "nfs:mount --fstab " + fstab + " /mnt")
                .hasMessage(fstab + ": no line for '/mnt': there is /mnt/data, /mnt/later, /mnt/a b");
        assertFails(ExitStatus.NOT_FOUND, "nfs:mount --fstab " + fstab)
                .hasMessageContaining("more than one line: name one of /mnt/data");
        assertFails(ExitStatus.NOT_FOUND, "nfs:mount --fstab " + local + "/none /mnt/data")
                .hasMessage(local + "/none: no such file or directory");
    }

    @Test
    void shouldMountAllThatFstabMountsAtTheStart() throws Exception {
        Path fstab = write("fstab", FSTAB);

        assertThat(shell.run("nfs:mount -a --fstab " + fstab))
                .contains("mounted server:/export as data\n", "mounted server:/export as a-b\n")
                .doesNotContain("later");
        assertThat(shell.run("nfs:mount -a --fstab " + fstab)).contains("mounted already server:/export as data\n");
        assertFails(ExitStatus.USAGE, "nfs:mount -a --fstab " + fstab + " /mnt/data")
                .hasMessageContaining("leave SOURCE out");
    }

    @Test
    void shouldGoOnBehindALineThatFails() throws Exception {
        Path fstab = write(
                "fstab",
                """
                s:/a /mnt/a nfs vers=3
                s:/b /mnt/b nfs vers=3,nofail
                s:/c /mnt/c nfs
                """);

        assertThat(shell.runUntilFailure("nfs:mount -a --fstab " + fstab))
                .contains(
                        fstab + ":1: mount option 'vers=3'",
                        fstab + ":2: mount option 'vers=3'",
                        "(nofail)",
                        "mounted server:/export as c",
                        "1 of 3 lines could not be mounted: see above");
    }

    private void withAliases(String text, Shell.InSession rest) throws Exception {
        Path file = write("config", text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        shell.inSession("started=1", session -> {
            session.put(HostAliases.FILE, file.toString());
            rest.run(session);
        });
    }

    private static final String ALIASES =
            """
            # servers
            Host storage big
                Server storage.example.com
                Port 2050
                Options hard,noatime
            host v6
                server = 2001:db8::1
                Export "/my docs"
            """;

    @Test
    void shouldMountByAliases() throws Exception {
        withAliases(ALIASES, session -> {
            session.execute("nfs:mount -o rsize=65536 storage:/projects work");
            session.execute("nfs:mount v6");
            session.execute("nfs:mount v6:/other other");
            session.execute("nfs:mount unknown:/x y");

            assertThat(key("work", Mount.SERVER)).isEqualTo("storage.example.com");
            assertThat(key("work", Mount.OPTIONS)).isEqualTo("port=2050,rsize=65536,hard");
            assertThat(key("v6", Mount.EXPORT)).isEqualTo("/my docs");
            assertThat(key("v6", Mount.SERVER)).isEqualTo("2001:db8::1");
            assertThat(key("other", Mount.EXPORT)).isEqualTo("/other");
            assertThat(key("y", Mount.SERVER)).isEqualTo("unknown");
            assertThatThrownBy(() -> session.execute("nfs:mount storage"))
                    .hasMessage("alias storage has no Export: name one, like storage:/docs, or add it to the alias");
            assertThatThrownBy(() -> session.execute("nfs:mount storag x"))
                    .hasMessageContaining("and no alias: there is storage, big, v6");
            assertThatThrownBy(() -> session.execute("nfs:mount storage:/x"))
                    .hasMessageContaining("the mount has no name");
        });
    }

    @Test
    void shouldCompleteAliases() throws Exception {
        withAliases(ALIASES, session -> assertThat(shell.complete(session, "nfs:mount", ""))
                .contains("storage:/", "big:/", "v6"));
        withAliases("Nonsense", session -> assertThat(shell.complete(session, "nfs:mount", "stor"))
                .doesNotContain("storage:/"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Server a | :1: 'Server' stands before the first line Host NAME",
                "Host a*  | :1: 'a*' cannot be an alias: letters, digits, '.', '_' and '-' can, patterns cannot",
                "Host     | :1: 'Host' is no line KEYWORD VALUE, like Server storage.example.com",
                "Host a/Sever b | :2: unknown keyword 'Sever': known are Host, Server, Port, Export, Options",
                "Host a/Port x | :2: mount option 'port' cannot be 'x': a number from 1 to 65535",
                "Host a/Port 1/Port 2 | :3: Port is there twice for a: remove one",
                "Host a/Options vers=3 | :2: mount option 'vers=3': Verbena speaks NFSv4.1",
                "Host a/Export docs | :2: Export 'docs' is no path: it begins with a slash",
                "Host a/Server b c | :2: Server wants one value: put a value with blanks in double quotes",
                "Host a/Server \"b | :2: the double quotes of '\"b' do not match",
                "Host a/Host a | :2: there are two aliases 'a': remove one"
            })
    void shouldNameTheLineOfAFault(String lines, String fault) throws Exception {
        withAliases(
                lines.replace("/", "\n"), session -> assertThatThrownBy(() -> session.execute("nfs:mount server:/x y"))
                        .isInstanceOf(CommandException.class)
                        .hasMessageStartingWith(local + "/config" + fault));
    }

    /** The octet e9 is an e with an acute accent in ISO 8859-1. */
    private Path latin(String name, String text) throws IOException {
        return Files.write(local.resolve(name), text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void shouldRefuseOnlyTheLineOfFstabThatIsNotInUtf8() throws Exception {
        Path fstab = latin(
                "fstab",
                """
                # caf\u00e9
                server:/a /mnt/a nfs4 soft 0 0
                server:/caf\u00e9 /mnt/b nfs4 soft 0 0
                tmpfs /mnt/caf\u00e9 tmpfs defaults 0 0
                """);

        assertThat(shell.run("nfs:mount --fstab " + fstab + " a")).endsWith(" as a\n");
        assertFails("nfs:mount --fstab " + fstab + " b")
                .hasMessage(fstab + ":3: the line is not UTF-8: convert it, or remove it");
        assertThat(shell.runUntilFailure("nfs:mount -a --fstab " + fstab))
                .contains(
                        fstab + ":3: the line is not UTF-8: convert it, or remove it\n",
                        "mounted already ",
                        "1 of 2 lines could not be mounted: see above");
    }

    @Test
    void shouldRefuseOnlyTheAliasWithALineThatIsNotInUtf8() throws Exception {
        withAliases("", session -> {
            Path file = latin(
                    "config",
                    """
                    # caf\u00e9
                    Host good
                        Export /docs
                    Host bad
                        Server caf\u00e9
                        Export /docs
                    Host caf\u00e9
                        Server other
                    Host last
                        Export /last
                    """);
            session.execute("nfs:mount good");
            session.execute("nfs:mount last");

            assertThat(key("good", Mount.EXPORT)).isEqualTo("/docs");
            assertThat(key("good", Mount.SERVER)).isEqualTo("good");
            assertThat(key("last", Mount.EXPORT)).isEqualTo("/last");
            for (String source : List.of("bad", "bad:/x y")) {
                assertThatThrownBy(() -> session.execute("nfs:mount " + source))
                        .hasMessage(file + ":5: the line is not UTF-8: convert it, or remove it");
            }
            assertThatThrownBy(() -> session.execute("nfs:mount unknown"))
                    .hasMessageContaining("there is good, bad, last")
                    .hasMessageEndingWith("; " + file + ":7: the line is not UTF-8: convert it, or remove it");
        });
    }

    @Test
    void shouldRefuseAFileThatOthersCanChange() throws Exception {
        withAliases(ALIASES, session -> {
            Path file = local.resolve("config");
            for (String modes : List.of("rw-rw-r--", "rw-r--rw-")) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(modes));
                assertThatThrownBy(() -> session.execute("nfs:mount server:/x y"))
                        .hasMessage(file + ": is not used, since others can change the file: chmod go-w '" + file + "'")
                        .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.PERMISSION));
            }
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            Files.setPosixFilePermissions(local, PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThatThrownBy(() -> session.execute("nfs:mount server:/x y"))
                    .hasMessageContaining("others can change the directory " + local.toRealPath());
        });
    }

    @Test
    void shouldNameTheLineAndWhatIsWrongWithIt(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("lines"),
                "# mounts\n-o port=1 server:/a a b\n\n--none server:/a a\n-o sorft server:/a a\n");

        assertFails(ExitStatus.USAGE, "nfs:mount-service " + file)
                .hasMessageContaining(file + ", line 2: nfs:mount: too many arguments specified")
                .hasMessageContaining(", in: -o port=1 server:/a a b; ")
                .hasMessageContaining(file + ", line 4: nfs:mount: unknown option '--none'")
                .hasMessageContaining(file + ", line 5: ");
        Files.writeString(file, "/srv /srv\n");
        assertFails(ExitStatus.USAGE, "nfs:serve " + file)
                .hasMessageStartingWith(file + ", line 1: nfs:export: too many arguments specified");
    }
}
