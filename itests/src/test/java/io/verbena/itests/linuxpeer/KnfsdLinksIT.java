package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Our client against Linux's server: links, modes and times. */
@AgainstLinux
class KnfsdLinksIT {
    private static final String FOLDER = "/links";

    /** The longest target of a symbolic link whose creation fits in a message of 1024 octets. */
    private static final int LONG_CALL = 776;

    private final LinuxGuest guest;
    private KnfsdFolder folder;
    private NfsMount mount;

    KnfsdLinksIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void mount() throws Exception {
        folder = new KnfsdFolder(guest, FOLDER);
        mount = folder.mount();
    }

    @AfterEach
    void tidyUp() throws Exception {
        folder.remove();
    }

    @Test
    void shouldLinkFilesUnderSeveralNames() throws Exception {
        folder.make("one", "content");
        mount.createDirectory(FOLDER + "/directory", 0755);
        mount.createLink(FOLDER + "/directory/two", FOLDER + "/one");
        assertThat(folder.run("stat -c '%h' one && [ one -ef directory/two ] && cat directory/two"))
                .isEqualTo("2\ncontent");
        folder.run("ln one three");
        assertThat(mount.attributes(FOLDER + "/directory/two", true))
                .isEqualTo(mount.attributes(FOLDER + "/three", true))
                .extracting(FileAttributes::linkCount)
                .isEqualTo(3);
        assertThatThrownBy(() -> mount.createLink(FOLDER + "/three", FOLDER + "/one"))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> mount.createLink(FOLDER + "/four", FOLDER + "/none"))
                .isInstanceOf(NoSuchFileException.class);
        mount.remove(FOLDER + "/one");
        assertThat(folder.run("cat three && stat -c %h three")).isEqualTo("content2\n");
    }

    @Test
    void shouldFollowSymbolicLinks() throws Exception {
        folder.make("data", "0123456789");
        mount.createDirectory(FOLDER + "/many", 0755);
        mount.createDirectory(FOLDER + "/many/entry", 0755);
        mount.createSymbolicLink(FOLDER + "/link", "many");
        mount.createSymbolicLink(FOLDER + "/deep", "link/entry/../../absolute");
        mount.createSymbolicLink(FOLDER + "/absolute", FOLDER + "/data");
        mount.createSymbolicLink(FOLDER + "/loop", "loop");
        assertThat(folder.run("readlink link deep absolute loop"))
                .isEqualTo("many\nlink/entry/../../absolute\n" + FOLDER + "/data\nloop\n");
        assertThat(mount.attributes(FOLDER + "/link", false).isSymbolicLink()).isTrue();
        assertThat(mount.attributes(FOLDER + "/link", true).isDirectory()).isTrue();
        assertThat(mount.attributes(FOLDER + "/link/entry", true).isDirectory()).isTrue();
        assertThat(mount.attributes(FOLDER + "/deep", true)).isEqualTo(mount.attributes(FOLDER + "/data", true));
        try (RemoteFile file = folder.open("deep", StandardOpenOption.READ)) {
            assertThat(file.read(ByteBuffer.allocate(20), 0)).isEqualTo(10);
        }
        assertThatThrownBy(() -> mount.attributes(FOLDER + "/loop", true)).isInstanceOf(FileSystemLoopException.class);
        assertThatThrownBy(() -> mount.readLink(FOLDER + "/data")).isInstanceOf(NotLinkException.class);
        mount.remove(FOLDER + "/deep");
        assertThat(folder.run("cat data")).isEqualTo("0123456789");
    }

    @Test
    void shouldKeepTargetsOfSymbolicLinksAsTheyAre() throws Exception {
        // in this mount only the target determines the length of a call
        try (NfsMount small = folder.mount("inline=1024,uid=0,gid=0,machine=here")) {
            Set<Integer> lengths = new TreeSet<>(List.of(1, 2, 3, 4, 255, 256, 1020, 1024, 4092, 4093, 4094, 4095));
            // around the length at which the call exceeds a message of 1024 octets
            IntStream.rangeClosed(LONG_CALL - 20, LONG_CALL + 20).forEach(lengths::add);
            for (int length : lengths) {
                small.createSymbolicLink(FOLDER + "/to-" + length, target(length));
            }
            assertThat(folder.run("find . -type l -printf '%f %l\\n'").lines())
                    .containsExactlyInAnyOrderElementsOf(lengths.stream()
                            .map(length -> "to-" + length + " " + target(length))
                            .toList());
            for (int length : lengths) {
                assertThat(small.readLink(FOLDER + "/to-" + length)).isEqualTo(target(length));
            }
            assertThat(mount.readLink(FOLDER + "/to-4095")).isEqualTo(target(4095));
            assertThat(mount.attributes(FOLDER + "/to-4095", false).size()).isEqualTo(4095);
            assertThatThrownBy(() -> small.createSymbolicLink(FOLDER + "/long", "x".repeat(4097)))
                    .isInstanceOfSatisfying(
                            NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_NAMETOOLONG"));
        }
        folder.run("ln -s $'a b\\n\"ü\"/../.' odd");
        assertThat(mount.readLink(FOLDER + "/odd")).isEqualTo("a b\n\"ü\"/../.");
    }

    private static String target(int length) {
        return "t" + "x".repeat(length - 1);
    }

    @Test
    void shouldSetModesAndTimes() throws Exception {
        folder.make("file", "content");
        for (int mode : new int[] {0, 0400, 0644, 0777, 01755, 02755, 04755, 07777}) {
            assertThat(mount.setAttributes(FOLDER + "/file", AttributeChanges.NONE.withMode(mode))
                            .mode())
                    .isEqualTo(mode);
            assertThat(folder.run("stat -c %a file")).isEqualTo(Integer.toOctalString(mode) + "\n");
        }
        for (String time : new String[] {
            "1969-12-31T23:59:58.999999999Z",
            "1970-01-01T00:00:00Z",
            "2020-02-02T20:20:20.123456789Z",
            "2038-01-19T03:14:08.000000001Z",
            "2200-01-01T00:00:00.5Z"
        }) {
            Instant accessed = Instant.parse(time);
            Instant modified = accessed.plusSeconds(3600).plusNanos(1);
            FileAttributes changed =
                    mount.setAttributes(FOLDER + "/file", AttributeChanges.NONE.withTimes(accessed, modified));
            assertThat(changed.accessed()).isEqualTo(accessed);
            assertThat(changed.modified()).isEqualTo(modified);
            assertThat(folder.run("TZ=UTC stat -c '%x,%y' file"))
                    .isEqualTo(asStatPrints(accessed) + "," + asStatPrints(modified) + "\n");
        }
        folder.run("touch -d '2011-11-11 11:11:11.111111111 UTC' file && chown 12:34 file && chmod 4711 file");
        FileAttributes seen = mount.attributes(FOLDER + "/file", true);
        assertThat(seen.modified()).isEqualTo(Instant.parse("2011-11-11T11:11:11.111111111Z"));
        assertThat(seen.mode()).isEqualTo(04711);
        assertThat(seen.owner()).isEqualTo("12");
        assertThat(seen.group()).isEqualTo("34");
        mount.setAttributes(FOLDER + "/file", AttributeChanges.NONE.withOwner("4000000000"));
        mount.setAttributes(FOLDER + "/file", AttributeChanges.NONE.withGroup("56"));
        assertThat(folder.run("stat -c '%u %g' file")).isEqualTo("4000000000 56\n");
    }

    private static String asStatPrints(Instant time) {
        return DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.nnnnnnnnn xx")
                .withZone(ZoneOffset.UTC)
                .format(time);
    }
}
