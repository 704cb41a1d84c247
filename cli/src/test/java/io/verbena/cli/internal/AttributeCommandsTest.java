package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the commands that change attributes, as a user types them. */
class AttributeCommandsTest extends ShellTest {
    private Path file;

    @BeforeEach
    void mount() throws Exception {
        host.mount("a");
        file = Files.writeString(served.resolve("x"), "abc");
    }

    private Instant modified() throws Exception {
        return Files.getLastModifiedTime(file).toInstant();
    }

    @Test
    void shouldTouch() throws Exception {
        shell.run("nfs:touch -d 2020-01-02T03:04:05Z a:/x");
        assertThat(modified()).isEqualTo("2020-01-02T03:04:05Z");
        shell.run("nfs:touch a:/x a:/new; nfs:touch -c a:/none");
        assertThat(Duration.between(modified(), Instant.now())).isLessThan(Duration.ofMinutes(10));
        assertThat(served.resolve("new")).isEmptyFile();
        assertThat(served.resolve("none")).doesNotExist();
        assertFails(ExitStatus.USAGE, "nfs:touch -d then a:/x").hasMessageStartingWith("-d then: it is a time like");
        assertFails(ExitStatus.NOT_FOUND, "nfs:touch a:/none/x").hasMessage("a:/none/x: no such file or directory");
    }

    @Test
    void shouldTruncate() throws Exception {
        shell.run("nfs:truncate -s 1 a:/x; nfs:truncate -s 1K a:/new; nfs:truncate -c -s 1 a:/none");

        assertThat(file).hasContent("a");
        assertThat(served.resolve("new")).hasSize(1_024);
        assertThat(served.resolve("none")).doesNotExist();
        assertFails(ExitStatus.FAILED, "nfs:truncate -s 8191P a:/huge").hasMessageStartingWith("a:/huge: ");
        assertThat(served.resolve("huge")).as("nothing is left of what failed").doesNotExist();
        assertFails(ExitStatus.USAGE, "nfs:truncate -s big a:/x").hasMessageStartingWith("-s big: it is a number of");
    }

    @Test
    void shouldChangeOwners() throws Exception {
        String user = Files.getAttribute(file, "unix:uid").toString();
        String group = Files.getAttribute(file, "unix:gid").toString();

        shell.run("nfs:chown " + user + ":" + group + " a:/x; nfs:chown " + user + " a:/x; nfs:chown :" + group
                + " a:/x");
        assertFails(ExitStatus.USAGE, "nfs:chown : a:/x").hasMessage("':' is no OWNER, OWNER:GROUP or :GROUP");
        assertFails(ExitStatus.NOT_FOUND, "nfs:chown 0 a:/none");
    }

    @Test
    void shouldSetSeveralAttributesAtOnce() throws Exception {
        shell.run("nfs:setattr --mode u=rw,go= --size 2 --mtime 2020-01-02 --atime 2021-01-02 a:/x");

        assertThat((int) Files.getAttribute(file, "unix:mode") & 0_777).isEqualTo(0_600);
        assertThat(modified()).isEqualTo("2020-01-02T00:00:00Z");
        assertThat(Files.getAttribute(file, "lastAccessTime")).hasToString("2021-01-02T00:00:00Z");
        assertThat(file).hasContent("ab");
        assertFails(ExitStatus.USAGE, "nfs:setattr a:/x").hasMessageStartingWith("nfs:setattr wants something to set");
    }
}
