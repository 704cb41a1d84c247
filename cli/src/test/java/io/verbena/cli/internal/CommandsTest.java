package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Shell;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import org.apache.karaf.shell.api.action.Command;
import org.junit.jupiter.api.Test;

/** What all commands have in common, and transfers. */
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
        assertThat(commands).isEqualTo(36);
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
}
