package io.verbena.cli.internal.nfs.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.cli.ExitStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the messages of commands about the properties that copies keep and lose. */
class KeptCommandsTest extends TransferCase {
    private String failing(String command) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        assertThatThrownBy(() -> shell.run(command, printed))
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.PARTIAL));
        return printed.toString(StandardCharsets.UTF_8);
    }

    private void linkedTree() throws IOException {
        write(local.resolve("tree/one"), 10);
        Files.createDirectory(local.resolve("tree/dir"));
        Files.createLink(local.resolve("tree/dir/two"), local.resolve("tree/one"));
        Files.createLink(local.resolve("tree/three"), local.resolve("tree/one"));
        write(local.resolve("tree/alone"), 20);
    }

    @Test
    void shouldLinkByCommandsAndTellPrograms() throws Exception {
        linkedTree();

        assertThat(shell.run("nfs:put -r -H -n " + local + "/tree a:/copy"))
                .contains("link a:/copy/", "; made 2 hard links");
        assertThat(shell.run("nfs:put -r --hard-links --json " + local + "/tree a:/copy"))
                .contains("\"files\":2,", "\"hardLinks\":2,\"separatedHardLinks\":0,");
        assertThat(shell.run("nfs:sync -n -H " + local + "/tree a:/copy"))
                .isEqualTo("would have synchronised 0 files, 0 octets; 4 files the same already\n");
        assertThat(shell.run("nfs:cp -r --json a:/copy a:/other"))
                .contains("\"hardLinks\":0,\"separatedHardLinks\":2,");
    }

    @Test
    void shouldTellOfExtendedAttributes() throws Exception {
        write(local.resolve("tree/x"), 10);
        UserDefinedFileAttributeView view =
                Files.getFileAttributeView(local.resolve("tree/x"), UserDefinedFileAttributeView.class);
        assumeThat(canHave(view)).isTrue();

        assertThat(shell.run("nfs:put -r --json " + local + "/tree a:/again"))
                .contains("\"withExtendedAttributes\":1,");
    }

    private static boolean canHave(UserDefinedFileAttributeView view) {
        try {
            view.write("origin", ByteBuffer.wrap(new byte[] {1}));
            return true;
        } catch (IOException | NullPointerException e) {
            return false;
        }
    }

    private static void makePipe(Path pipe) throws Exception {
        Process process = new ProcessBuilder("mkfifo", pipe.toString()).start();
        assertThat(process.waitFor()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs:put -r LOCAL/tree a:/copy", "nfs:sync LOCAL/tree a:/copy"})
    void shouldTellOfSpecialFilesOfThisHost(String command) throws Exception {
        write(local.resolve("tree/x"), 10);
        makePipe(local.resolve("tree/pipe"));
        String typed = command.replace("LOCAL", local.toString());

        String printed = failing(typed);

        assertThat(printed)
                .contains("; left out 1 that is neither file, directory nor link: " + local + "/tree/pipe")
                .contains("\n" + local + "/tree/pipe: left out: neither file, directory nor symbolic link\n");
        assertThat(served.resolve("copy/x")).exists();
        assertThat(shell.run(typed.replaceFirst(" ", " --exclude pipe "))).doesNotContain("left out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nfs:get -r a:/tree LOCAL/copy", "nfs:sync a:/tree LOCAL/copy", "nfs:cp -r a:/tree a:/copy"})
    void shouldTellOfSpecialFilesOfAServer(String command) throws Exception {
        write(served.resolve("tree/x"), 10);
        makePipe(served.resolve("tree/pipe"));
        String typed = command.replace("LOCAL", local.toString());

        assertThatThrownBy(() -> shell.run(typed)).hasMessage("1 was left out, see above; 1 are done");
        assertThat(failing(typed.replaceFirst(" ", " --json "))).contains("\"skipped\":[\"a:/tree/pipe\"]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nfs:get -r a:/tree LOCAL/copy", "nfs:sync a:/tree LOCAL/copy", "nfs:cp -r a:/tree a:/copy"})
    void shouldLoseOnlyTheBadEntryOfAListing(String command) throws Exception {
        write(served.resolve("tree/x"), 10);
        write(served.resolve("tree/y"), 10);
        mount.lie("tree", "../../escaped");
        String typed = command.replace("LOCAL", local.toString());

        String printed = failing(typed);

        assertThat(printed)
                .contains("2 files, 20 octets", "; 1 failed")
                .contains("a:/tree/../../escaped: the server lists a name that no file can have");
        assertThat(Files.exists(local.resolve("copy/y")) || Files.exists(served.resolve("copy/y")))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nfs:get -r a:/tree LOCAL/copy", "nfs:sync a:/tree LOCAL/copy", "nfs:cp -r a:/tree a:/copy"})
    void shouldLoseOnlyTheEntryThatTheServerCannotDescribe(String command) throws Exception {
        write(served.resolve("tree/x"), 10);
        mount.listBad("tree");

        assertThat(failing(command.replace("LOCAL", local.toString())))
                .contains("1 file, 10 octets", "; 1 failed")
                .contains("a:/tree/bad: the server cannot tell of 'bad'");
    }

    @Test
    void shouldLoseOnlyTheEntryWhoseAttributesFail() throws Exception {
        write(served.resolve("tree/x"), 10);
        makePipe(served.resolve("tree/odd"));
        mount.hook((operation, path, position) -> {
            if (operation.equals("attributes") && path.equals("/tree/odd")) {
                throw new AccessDeniedException(path);
            }
        });

        assertThat(failing("nfs:get -r a:/tree " + local))
                .contains("got 1 file, 10 octets", "a:/tree/odd: permission denied");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs:ls a:/tree", "nfs:find a:/tree", "nfs:du a:/tree"})
    void shouldListWhatIsBesideABadEntry(String command) throws Exception {
        write(served.resolve("tree/x"), 10);
        mount.lie("tree", "..");

        assertThat(failing(command))
                .contains(command.startsWith("nfs:du") ? "a:/tree" : "x\n")
                .contains("a:/tree/..: the server lists a name that no file can have");
    }
}
