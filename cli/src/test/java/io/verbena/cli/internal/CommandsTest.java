package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Shell;
import io.verbena.nfs.Export;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.support.CommandException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command as a user types it. */
class CommandsTest {
    @TempDir
    Path served;

    @TempDir
    Path local;

    private TestHost host;
    private Providers providers;
    private Shell shell;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        providers = new Providers();
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), providers);
    }

    @AfterEach
    void stop() {
        shell.close();
        host.close();
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertFails(String command) {
        return assertThatThrownBy(() -> shell.run(command))
                .isInstanceOf(CommandException.class)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n", "Exception"));
    }

    @Test
    void shouldHelpWithAnExampleForEveryCommand() throws Exception {
        int commands = 0;
        for (Class<?> type : Shell.commands(Mounts.class)) {
            Command command = type.getAnnotation(Command.class);
            if (command != null && CliCommand.class.isAssignableFrom(type)) {
                String name = command.scope() + ":" + command.name();
                assertThat(shell.run(name + " --help")).as(name).contains("Example", name, "DESCRIPTION");
                commands++;
            }
        }
        assertThat(commands).isEqualTo(20);
    }

    @Test
    void shouldMountListAndUnmount() throws Exception {
        assertThat(shell.run("nfs:mount -o proto=rdma,port=2050,soft server:/export a"))
                .isEqualTo("mounted server:/export as a\n");
        assertThat(host.configurations().get(Mount.PID + "~a").get(Mount.OPTIONS))
                .isEqualTo("proto=rdma,port=2050,soft");
        assertThat(shell.run("nfs:mounts")).contains("a", "server:/export", "mounted", "vers=4.1, rsize=1048576");
        assertThat(shell.run("nfs:df a:")).contains("server:/export");
        assertThat(shell.run("nfs:unmount a")).isEqualTo("unmounted a\n");
        assertThat(host.configurations()).isEmpty();
        assertThat(shell.run("nfs:mounts")).contains("nothing is mounted");
    }

    @Test
    void shouldMountFromAnIpv6Address() throws Exception {
        shell.run("nfs:mount '[::1]:/x y' b");

        assertThat(host.configurations().get(Mount.PID + "~b").get(Mount.SERVER))
                .isEqualTo("::1");
        assertThat(host.configurations().get(Mount.PID + "~b").get(Mount.EXPORT))
                .isEqualTo("/x y");
    }

    @Test
    void shouldRefuseWhatCannotBeMounted() throws Exception {
        assertFails("nfs:mount -o rsiz=1 server:/export a").hasMessageContaining("did you mean 'rsize'?");
        assertFails("nfs:mount server a").hasMessageContaining("'server' is no SERVER:/EXPORT");
        assertFails("nfs:mount server:/export 'a/b'").hasMessageContaining("cannot name a mount");
        shell.run("nfs:mount server:/export a");
        assertFails("nfs:mount server:/other a").hasMessageContaining("there is a mount 'a' of server:/export already");
        assertFails("nfs:unmount b").hasMessage("no mount 'b': there is a");
    }

    @Test
    void shouldLeaveNothingOfAMountThatFails() {
        host.hook((operation, path, position) -> {
            throw new IOException("server 192.0.2.1 port 20049 refused the connection");
        });

        assertFails("nfs:mount 192.0.2.1:/x a")
                .hasMessage("cannot mount 192.0.2.1:/x: server 192.0.2.1 port 20049 refused the connection");
        assertThat(host.configurations()).isEmpty();
        assertThat(host.mounts().all()).isEmpty();
    }

    @Test
    void shouldExportListAndUnexport() throws Exception {
        assertThat(shell.run("nfs:export --port 0 --name docs " + local))
                .isEqualTo("exported " + local + " as docs at 127.0.0.1:4711\n");
        assertThat(shell.run("nfs:exports")).contains("docs", "127.0.0.1:4711", "rw", "listening", "clients=1");
        assertFails("nfs:export --name docs " + local).hasMessageContaining("there is an export 'docs' already");
        assertThat(shell.run("nfs:unexport docs")).isEqualTo("unexported docs\n");
        assertFails("nfs:unexport docs").hasMessage("no export 'docs': there is none");
    }

    @Test
    void shouldLeaveNothingOfAnExportThatFails() throws Exception {
        Path refused = Files.createDirectory(local.resolve("refused"));

        assertFails("nfs:export " + refused).hasMessage("cannot export " + refused + ": address already in use");
        assertFails("nfs:export " + local + "/none").hasMessageContaining("no such directory");
        assertFails("nfs:export --port 70000 " + local).hasMessage("--port 70000: a port is a number from 0 to 65535");
        assertThat(host.configurations()).isEmpty();
    }

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

        assertThat(shell.run("nfs:ls a:/")).isEqualTo("one\\nline \\u001b[31m\n");
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
        assertThat(shell.run("nfs:cat a:/x | wc -c")).contains("3");
    }

    @Test
    void shouldPutAndGetAndSaySo() throws Exception {
        host.mount("a");
        Files.writeString(local.resolve("é x"), "content");

        assertThat(shell.run("nfs:put '" + local + "/é x' a:/"))
                .matches("put 1 file, 7 octets, \\d+\\.\\d{3} s, .* MB/s\n");
        assertThat(served.resolve("é x")).hasContent("content");
        assertThat(shell.run("nfs:get -q 'a:/é x' " + local + "/back")).isEmpty();
        assertThat(local.resolve("back")).hasContent("content");
        assertFails("nfs:get a:/x").hasMessageContaining("nfs:get wants");
    }

    @Test
    void shouldMakeMoveLinkAndRemove() throws Exception {
        host.mount("a");

        shell.run("nfs:mkdir -p a:/d/e a:/d/e; nfs:put -q /etc/hostname a:/d/f; nfs:mv a:/d/f a:/d/e");
        assertThat(served.resolve("d/e/f")).exists();
        shell.run("nfs:ln a:/d/e/f a:/hard; nfs:ln -s d/e/f a:/soft");
        assertThat(Files.isSameFile(served.resolve("hard"), served.resolve("soft")))
                .isTrue();
        assertThat(Files.readSymbolicLink(served.resolve("soft"))).hasToString("d/e/f");
        assertFails("nfs:ln -s a:/x a:/y").hasMessageContaining("leave out 'a:'");
        assertFails("nfs:rm a:/d").hasMessage("a:/d: is a directory; -r removes it with all that is in it");
        assertFails("nfs:rm a:/none").hasMessage("a:/none: no such file or directory");
        shell.run("nfs:rm -f a:/none; nfs:rm -r a:/d a:/soft a:/hard");
        assertThat(served).isEmptyDirectory();
        assertFails("nfs:rm -r a:/").hasMessageContaining("refused");
        assertFails("nfs:mkdir a:/x/y").hasMessage("a:/x/y: no such file or directory");
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
    void shouldTellFailuresInOneLine() throws Exception {
        assertFails("nfs:ls a:/").hasMessage("no mount 'a': there is none yet, nfs:mount makes one");
        DirectoryMount mount = host.mount("a");
        assertFails("nfs:ls /x").hasMessageContaining("'/x' is no remote path");
        assertFails("nfs:ls b:/").hasMessage("no mount 'b': there is a");
        assertFails("nfs:cat a:/x").hasMessage("a:/x: no such file or directory");
        mount.hook((operation, path, position) -> {
            throw new AccessDeniedException(path);
        });
        assertFails("nfs:ls a:/x").hasMessage("a:/x: permission denied");
        mount.hook((operation, path, position) -> {
            throw new IOException("connection to server lost:\n no answer for 60 s");
        });
        assertFails("nfs:ls a:/x").hasMessage("a:/x: connection to server lost: no answer for 60 s");
        mount.hook((operation, path, position) -> {
            throw new IllegalStateException("a bug");
        });
        assertThatThrownBy(() -> shell.run("nfs:ls a:/x")).hasMessageContaining("internal error, see the log");
    }

    @Test
    void shouldSayInOneLineThatTheMountWasReplacedAndWhatToDo() throws Exception {
        DirectoryMount mount = host.mount("a");
        Files.writeString(served.resolve("x"), "abc");
        mount.hook((operation, path, position) -> {
            throw new MountReplacedException("a", operation.equals("remove"));
        });

        String again = "mount a was replaced, and this was not done: run it again";
        assertFails("nfs:ls a:/x").hasMessage("a:/x: " + again);
        assertFails("nfs:df a").hasMessage("a:/: " + again);
        assertFails("rdma:reconnect a").hasMessage("cannot reconnect a: " + again);
        mount.hook((operation, path, position) -> {
            if (operation.equals("remove")) {
                throw new MountReplacedException("a", true);
            }
        });
        assertFails("nfs:rm a:/x")
                .hasMessage("a:/x: mount a was replaced, and this may have been done or not: look, and run it again if"
                        + " not");
    }

    @Test
    void shouldWaitForAMountThatIsBeingReplaced() throws Exception {
        host.mount("a", "swapTimeout=60");
        Files.writeString(served.resolve("x"), "");
        host.takeAway("a");
        CompletableFuture<String> listed = CompletableFuture.supplyAsync(() -> {
            try {
                return shell.run("nfs:ls a:/");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        host.comeBack("a");

        assertThat(listed.get(60, TimeUnit.SECONDS)).isEqualTo("x\n");
    }

    @Test
    void shouldNameTheBundleWhoseMountDoesNotCome() throws Exception {
        host.mount("a", "swapTimeout=1");
        host.takeAway("a");

        assertFails("nfs:ls a:/")
                .hasMessage("mount 'a' has not come within 1 s: is the bundle io.verbena.nfs41.client started?");
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

    @Test
    void shouldReconnectAndSayToWhat() throws Exception {
        DirectoryMount mount = host.mount("a");
        AtomicInteger asked = new AtomicInteger();
        mount.hook((operation, path, position) -> asked.incrementAndGet());

        assertThat(shell.run("rdma:reconnect a")).matches("reconnected a: version 2, pause \\d+ ms\n");
        assertThat(shell.run("rdma:reconnect --timeout 5 a")).startsWith("reconnected a");
        assertThat(asked).hasValue(2);
        assertFails("rdma:reconnect b").hasMessage("no mount 'b': there is a");
        for (String timeout : List.of("0", "3601", "x", "12345")) {
            assertFails("rdma:reconnect --timeout " + timeout + " a")
                    .hasMessage("--timeout " + timeout + ": it is a number of seconds from 1 to 3600");
        }
        mount.hook((operation, path, position) -> {
            throw new IOException("no provider 'native' came within 30 s: start io.verbena.verbs.native");
        });
        assertFails("rdma:reconnect a")
                .hasMessage("cannot reconnect a: no provider 'native' came within 30 s: start io.verbena.verbs.native");
    }

    @Test
    void shouldShowWhatWasReplacedUnderAMount() throws Exception {
        host.mount("a");

        assertThat(shell.run("nfs:mounts"))
                .contains("Swaps", "2, 7 calls replayed; last: provider", "drain 3 ms")
                .doesNotContain("swaps=", "replayed=", "lastSwap=");
    }

    @Test
    void shouldTellWhichProviderCarriesAMountOrListens() throws Exception {
        shell.run("nfs:mount -o provider=native server:/export a; nfs:export --provider iwarp --name docs " + local);

        assertThat(shell.run("nfs:mounts"))
                .contains("native rxe0 (auto: rxe0 ", " has a route) ")
                .doesNotContain("provider=", "providerChoice=", "device=");
        assertThat(shell.run("nfs:exports")).contains("iwarp (auto: serves");
        assertThat(host.configurations().get(Export.PID + "~docs").get(Export.PROVIDER))
                .isEqualTo("iwarp");
    }

    @Test
    void shouldNameTheProvidersKnown() {
        String known = "no RDMA provider is called 'rxe'; known ones are auto, native, iwarp";
        assertFails("nfs:mount -o provider=rxe server:/export a").hasMessage(known);
        assertFails("nfs:export --provider rxe " + local).hasMessage(known);
        assertThat(host.configurations()).isEmpty();
        providers.addProvider(Map.of(Providers.NAME, "rxe"));
        assertThat(host.mounts().all()).isEmpty();
        assertFails("nfs:mount -o provider=siw server:/export a").hasMessageContaining("auto, native, iwarp, rxe");
    }
}
