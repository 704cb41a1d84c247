package io.verbena.fuse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs do by names and attributes that the kernel still uses, after another client has changed them. */
final class FuseSharingTest {
    /** What a user who is not root runs. */
    private static final String AS_USER = "setpriv --reuid 1234 --regid 2345 --clear-groups ";

    private static final FileAttribute<?> OF_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    @TempDir(factory = MemoryDirectory.class)
    static Path base;

    private static Loopback loopback;

    @BeforeAll
    static void mount() throws IOException {
        FuseFixture.assumeMounts();
        loopback = Loopback.start(base, "actimeo=600");
    }

    @AfterAll
    static void unmount() throws IOException {
        if (loopback != null) {
            loopback.close();
            assertThat(FuseFixture.isMounted(loopback.directory())).isFalse();
        }
    }

    private static Path server(String name) {
        return loopback.exported().resolve(name);
    }

    private static String run(String script) throws IOException, InterruptedException {
        return FuseFixture.run(loopback.directory(), script);
    }

    /** Makes a directory and a file in it, of the user who is not root, and has the kernel know them. */
    private static void putOfUser(String directory, String file) throws IOException, InterruptedException {
        assertThat(run("mkdir " + directory + " && echo mine > " + file + " && chown -R 1234:2345 " + directory
                        + " && stat -c %u " + file))
                .isEqualTo("1234\n");
    }

    /** Another client has root's file take the place of one. */
    private static void replaceByRoots(String file) throws IOException {
        Path other = server("of-root");
        Files.writeString(other, "secret");
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-------"));
        Files.move(other, server(file), StandardCopyOption.REPLACE_EXISTING);
    }

    private static void assertRoots(String file) throws IOException {
        assertThat(server(file)).hasContent("secret");
        assertThat(Files.getAttribute(server(file), "unix:uid")).isEqualTo(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server(file))))
                .isEqualTo("rw-------");
    }

    @Test
    void shouldReadAllThatAnotherClientHasWrittenBeforeAnOpen() throws IOException, InterruptedException {
        Files.writeString(server("log"), "one\n");
        assertThat(run("stat -c %s log")).isEqualTo("4\n");
        Files.writeString(server("log"), "two\n", StandardOpenOption.APPEND);
        assertThat(run("cat log")).isEqualTo("one\ntwo\n");
    }

    @Test
    void shouldGiveNobodyWhatAnotherClientHasMade() throws IOException, InterruptedException {
        assertThat(run("mkdir -m 777 open && cat open/new 2>&1")).contains("No such file");
        replaceByRoots("open/new");
        assertThat(run(AS_USER + "sh -c 'echo mine >> open/new' 2>&1")).contains("Permission denied");
        assertRoots("open/new");
    }

    @Test
    void shouldCreateOrOpenWhatAnotherClientHasMade() throws IOException, InterruptedException {
        assertThat(run("cat made 2>&1")).contains("No such file");
        Files.writeString(server("made"), "theirs\n");
        assertThat(run("echo mine >> made && cat made")).isEqualTo("theirs\nmine\n");
    }

    @Test
    void shouldTruncateNoFileThatHasTakenThePlaceOfAnother() throws IOException, InterruptedException {
        putOfUser("t", "t/file");
        replaceByRoots("t/file");
        assertThat(run(AS_USER + "sh -c ': > t/file' 2>&1")).contains("Permission denied");
        assertRoots("t/file");
    }

    @Test
    void shouldTruncateNoFileBehindALinkThatHasTakenThePlaceOfAnother() throws IOException, InterruptedException {
        putOfUser("l", "l/file");
        replaceByRoots("target");
        Files.delete(server("l/file"));
        Files.createSymbolicLink(server("l/file"), Path.of("../target"));
        assertThat(run(AS_USER + "sh -c ': > l/file' 2>&1")).contains("Permission denied");
        assertRoots("target");
    }

    @Test
    void shouldChangeNoAttributesOfAFileThatHasTakenThePlaceOfAnother() throws IOException, InterruptedException {
        putOfUser("a", "a/file");
        replaceByRoots("a/file");
        assertThat(run(AS_USER + "chmod 666 a/file 2>&1")).contains("not permitted");
        assertThat(run(AS_USER + "truncate -s 1 a/file 2>&1")).contains("Permission denied");
        assertRoots("a/file");
    }

    @Test
    void shouldFollowNoLinkThatHasTakenThePlaceOfADirectory() throws IOException, InterruptedException {
        putOfUser("d", "d/file");
        Files.createDirectory(server("private"), OF_OWNER);
        Files.writeString(server("private/file"), "theirs");
        Files.move(server("d"), server("moved"));
        Files.createSymbolicLink(server("d"), Path.of("private"));
        assertThat(run(AS_USER + "sh -c 'rm -f d/file; echo x > d/new; cat d/file; ls d/' 2>&1 | grep -c 'ermission'"))
                .isEqualTo("4\n");
        assertThat(server("private/file")).hasContent("theirs");
        assertThat(server("private/new")).doesNotExist();
        assertThat(run("cat d/file")).isEqualTo("theirs");
    }

    @Test
    void shouldChangeAttributesOfTheFileThatIsOpen() throws IOException, InterruptedException {
        Files.writeString(server("opened"), "");
        Process user = FuseFixture.start(
                loopback.directory(),
                "exec 3<opened; echo open; read line; chmod 640 /dev/fd/3; stat -L -c %a /dev/fd/3");
        try {
            assertThat(FuseFixture.read(user, 5)).isEqualTo("open\n");
            replaceByRoots("opened");
            user.getOutputStream().write('\n');
            user.getOutputStream().close();
            assertThat(FuseFixture.read(user, 4)).isEqualTo("640\n");
        } finally {
            FuseFixture.end(user);
        }
        assertRoots("opened");
    }

    @Test
    void shouldUseTheNameThatAFileHasLeft() throws IOException, InterruptedException {
        Files.writeString(server("first"), "both\n");
        Files.createLink(server("second"), server("first"));
        assertThat(run("stat -c %h first second")).isEqualTo("2\n2\n");
        Files.delete(server("second"));
        assertThat(run("cat first && chmod 600 first && ln first third && cat third"))
                .isEqualTo("both\nboth\n");
    }
}
