package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Shell;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.karaf.shell.api.action.Command;
import org.junit.jupiter.api.Test;

/** Tests the common behaviour of all commands, and transfers. */
class CommandsTest extends ShellTest {
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
        assertThat(commands).isEqualTo(40);
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

        assertFails("rdma:reconnect a")
                .hasMessage("cannot reconnect a: mount a was replaced, and this was not done: run it again");
        mount.hook((operation, path, position) -> {
            if (operation.equals("remove")) {
                throw new MountReplacedException("a", true);
            }
        });
        assertFails("nfs:rm a:/x")
                .hasMessage("a:/x: mount a was replaced, and this may have been done or not: look, and run it again if"
                        + " not");
    }

    /** Replaces the mount at the first call of each of these operations on a path. */
    private void replaceAt(boolean isUndecided, String... operations) throws Exception {
        Set<String> left = ConcurrentHashMap.newKeySet();
        left.addAll(List.of(operations));
        DirectoryMount.Hook hook = (operation, path, position) -> {
            if (left.remove(operation + " " + path)) {
                host.replace("a");
                throw new MountReplacedException("a", isUndecided);
            }
        };
        host.hook(hook);
        host.mount("a").hook(hook);
    }

    @Test
    void shouldGoOnWithTheNextMountWhereNothingWasDone() throws Exception {
        Files.createDirectories(served.resolve("d/e"));
        Files.writeString(served.resolve("d/x"), "abc");
        Files.writeString(served.resolve("d/y"), "abc");
        replaceAt(
                false,
                "attributes /d",
                "list /d",
                "fileSystemStatus /",
                "rename /d/x",
                "createDirectory /d/f",
                "remove /d/y",
                "remove /d");

        assertThat(shell.run("nfs:ls a:/d")).contains("e", "x", "y");
        shell.run("nfs:df a");
        shell.run("nfs:mv a:/d/x a:/d/z");
        shell.run("nfs:mkdir a:/d/f");
        assertThat(shell.run("nfs:find a:/d").lines()).hasSize(5);
        shell.run("nfs:rm -r a:/d");
        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldLookAgainWhereALookHadNoAnswer() throws Exception {
        Files.createDirectories(served.resolve("d"));
        for (int i = 0; i < 5; i++) {
            Files.writeString(served.resolve("d/" + i), "abc");
        }
        replaceAt(true, "attributes /d", "list /d", "next /d");
        assertThat(shell.run("nfs:find a:/d").lines()).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    void shouldGoOnInTheMiddleOfADirectoryUnlessItWasChanged() throws Exception {
        Files.createDirectories(served.resolve("d"));
        for (int i = 0; i < 5; i++) {
            Files.writeString(served.resolve("d/" + i), "abc");
        }
        AtomicInteger nexts = new AtomicInteger();
        AtomicBoolean isChanged = new AtomicBoolean();
        DirectoryMount.Hook hook = (operation, path, position) -> {
            if (operation.equals("next") && nexts.incrementAndGet() == 4) {
                if (isChanged.get()) {
                    for (int i = 0; i < 5; i++) {
                        Files.delete(served.resolve("d/" + i));
                    }
                }
                host.replace("a");
                throw new MountReplacedException("a", false);
            }
        };
        host.hook(hook);
        host.mount("a").hook(hook);

        assertThat(shell.run("nfs:find a:/d").lines()).hasSize(6).doesNotHaveDuplicates();
        assertThat(nexts.get()).isGreaterThan(5);
        nexts.set(0);
        isChanged.set(true);
        assertFails("nfs:find a:/d")
                .hasMessage("a:/d: changed while it was listed, and its mount was replaced: run it again");
    }
}
