package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class LocalUserTest {
    private static final String NO_COMMAND = "/no/such/command";

    @TempDir
    private Path proc;

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldTellWhatTheSystemTells() throws Exception {
        LocalUser user = LocalUser.current();

        assertThat(Integer.toUnsignedString(user.uid())).isEqualTo(id("-u"));
        assertThat(Integer.toUnsignedString(user.gid())).isEqualTo(id("-g"));
        assertThat(user.machineName()).isNotEmpty();
        assertThat(user.groups()).doesNotContain(user.gid()).hasSizeLessThanOrEqualTo(16);
        assertThat(id("-G").split(" ", -1))
                .containsAll(
                        user.groups().stream().map(Integer::toUnsignedString).toList());
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void shouldAskIdWhereThereIsNoProc() throws IOException {
        assertThat(LocalUser.find(proc, "id"))
                .usingRecursiveComparison()
                .ignoringFields("machineName", "groups")
                .isEqualTo(LocalUser.current());
        assertThat(LocalUser.find(proc, "id").groups())
                .containsExactlyInAnyOrderElementsOf(LocalUser.current().groups());
    }

    @Test
    void shouldReadEffectiveIdsAndGroups() throws IOException {
        status("Name:\tj\u00e4va\nUid:\t1\t4294967294\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 6 4294967295 9 \n");
        hostname("box.example\n");

        assertThat(LocalUser.find(proc, NO_COMMAND)).isEqualTo(new LocalUser(-2, 6, List.of(9, -1), "box.example"));
    }

    @Test
    void shouldReadUserWithoutGroups() throws IOException {
        status("Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t \n");
        hostname("box\n");

        assertThat(LocalUser.find(proc, NO_COMMAND)).isEqualTo(new LocalUser(0, 0, List.of(), "box"));
    }

    @Test
    void shouldKeepTheFirst16Groups() throws IOException {
        String groups = IntStream.rangeClosed(1, 20).mapToObj(String::valueOf).collect(Collectors.joining(" "));
        status("Uid:\t1\t1\t1\t1\nGid:\t1\t1\t1\t1\nGroups:\t" + groups + "\n");
        hostname("box\n");

        LocalUser user = LocalUser.find(proc, NO_COMMAND);

        assertThat(user.groups()).isEqualTo(IntStream.rangeClosed(2, 17).boxed().toList());
        assertThat(user.credential().groups()).isEqualTo(user.groups());
    }

    @Test
    void shouldCutNamesThatDoNotFit() throws IOException {
        status("Uid:\t1\t1\t1\t1\nGid:\t1\t1\t1\t1\nGroups:\n");
        hostname("x".repeat(300));

        assertThat(LocalUser.find(proc, NO_COMMAND).credential().machineName()).isEqualTo("x".repeat(255));
    }

    @Test
    void shouldMakeCredential() {
        assertThat(new LocalUser(1, 2, List.of(3), "box").credential())
                .isEqualTo(new Credential.Sys(0, "box", 1, 2, List.of(3)));
    }

    @Test
    void shouldSayWhereTheUserCannotBeTold() throws IOException {
        assertThatThrownBy(() -> LocalUser.find(proc, NO_COMMAND))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(NO_COMMAND);

        status("Uid:\ta\tb\tc\td\nGid:\t1\t1\t1\t1\nGroups:\n");
        assertThatThrownBy(() -> LocalUser.find(proc, NO_COMMAND)).isInstanceOf(IOException.class);

        status("Uid:\t1\nGid:\t1\t1\t1\t1\nGroups:\n");
        assertThatThrownBy(() -> LocalUser.find(proc, NO_COMMAND)).isInstanceOf(IOException.class);

        status("Name:\tjava\n");
        assertThatThrownBy(() -> LocalUser.find(proc, NO_COMMAND))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Uid:");
    }

    private void status(String content) throws IOException {
        Files.createDirectories(proc.resolve("self"));
        Files.writeString(proc.resolve("self/status"), content, StandardCharsets.ISO_8859_1);
    }

    private void hostname(String content) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel"));
        Files.writeString(proc.resolve("sys/kernel/hostname"), content);
    }

    private static String id(String option) throws Exception {
        Process process = new ProcessBuilder("id", option).start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(process.waitFor()).isZero();
        return answer.strip();
    }
}
