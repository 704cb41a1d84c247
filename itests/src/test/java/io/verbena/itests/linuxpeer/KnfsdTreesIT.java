package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Our client against Linux's server: names and directories. */
@AgainstLinux
class KnfsdTreesIT {
    private static final String FOLDER = "/trees";

    private final LinuxGuest guest;
    private KnfsdFolder folder;
    private NfsMount mount;

    KnfsdTreesIT(LinuxGuest guest) {
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

    /** The names, of any octets, that the guest sees in a directory. */
    private Set<String> namesInGuest(String directory) throws Exception {
        String[] names = folder.run("find " + directory + " -mindepth 1 -maxdepth 1 -printf '%f\\0'")
                .split("\0", -1);
        return new TreeSet<>(List.of(names).subList(0, names.length - 1));
    }

    private Set<String> names(String directory) throws IOException {
        Set<String> names = new TreeSet<>();
        for (DirectoryEntry entry : mount.list(FOLDER + "/" + directory)) {
            assertThat(names.add(entry.name())).as("%s, once", entry.name()).isTrue();
        }
        return names;
    }

    @Test
    void shouldListThousandsOfEntries() throws Exception {
        folder.run("mkdir many && cd many && seq -f entry-%04.0f 0 4999 | xargs touch && ln -sf elsewhere entry-0042"
                + " && echo four > entry-0007");
        Set<String> names = new HashSet<>();
        for (DirectoryEntry entry : mount.entries(FOLDER + "/many")) {
            assertThat(names.add(entry.name())).as("%s, once", entry.name()).isTrue();
            FileAttributes attributes = entry.attributes();
            assertThat(attributes.isSymbolicLink()).isEqualTo(entry.name().equals("entry-0042"));
            assertThat(attributes.isRegularFile()).isNotEqualTo(attributes.isSymbolicLink());
            assertThat(attributes.size())
                    .isEqualTo(
                            switch (entry.name()) {
                                case "entry-0007" -> 5;
                                case "entry-0042" -> "elsewhere".length();
                                default -> 0;
                            });
        }
        assertThat(names).hasSize(5000);
        assertThat(names)
                .isEqualTo(IntStream.range(0, 5000)
                        .mapToObj(i -> String.format("entry-%04d", i))
                        .collect(HashSet::new, Set::add, Set::addAll));
        assertThat(mount.list(FOLDER + "/many")).hasSize(5000);
        assertThat(mount.attributes(FOLDER + "/many/entry-4999", true).isRegularFile())
                .isTrue();
    }

    @Test
    void shouldMakeHundredsOfEntries() throws Exception {
        mount.createDirectory(FOLDER + "/ours", 0755);
        Set<String> made = new TreeSet<>();
        for (int i = 0; i < 300; i++) {
            String name = "ours/" + "n".repeat(i % 100) + i;
            if (i % 3 == 0) {
                mount.createDirectory(FOLDER + "/" + name, 0700);
            } else {
                folder.open(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                        .close();
            }
            made.add(name.substring(5));
        }
        assertThat(namesInGuest("ours")).isEqualTo(made);
        assertThat(names("ours")).isEqualTo(made);
        assertThat(folder.run("find ours -mindepth 1 -type d | wc -l")).isEqualTo("100\n");
        for (String name : made) {
            mount.remove(FOLDER + "/ours/" + name);
        }
        assertThat(folder.run("ls -A ours")).isEmpty();
        mount.remove(FOLDER + "/ours");
        assertThat(folder.run("ls -A")).isEmpty();
    }

    @Test
    void shouldCreateExclusivelyOnlyOnce() throws Exception {
        Instant before =
                Instant.ofEpochSecond(Long.parseLong(folder.run("date +%s").strip()));
        folder.open("new", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                .close();
        assertThat(folder.run("stat -c '%a %s' new")).isEqualTo("640 0\n");
        // the server may store the verifier of an exclusive creation in the times
        FileAttributes attributes = mount.attributes(FOLDER + "/new", true);
        assertThat(attributes.modified()).isBetween(before, before.plus(Duration.ofMinutes(2)));
        assertThat(attributes.accessed()).isBetween(before, before.plus(Duration.ofMinutes(2)));
        assertThatThrownBy(() -> folder.open("new", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
                .isInstanceOf(FileAlreadyExistsException.class);
        folder.run("ln -s nowhere link");
        assertThatThrownBy(() -> folder.open("link", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(folder.run("ls -A")).isEqualTo("link\nnew\n");
    }

    @Test
    void shouldLetOneOfManyCreate() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 5; round++) {
                String name = "race-" + round;
                Callable<Boolean> attempt = () -> {
                    try {
                        folder.open(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                                .close();
                        return true;
                    } catch (FileAlreadyExistsException e) {
                        return false;
                    }
                };
                int winners = 0;
                for (Future<Boolean> result :
                        threads.invokeAll(Collections.nCopies(8, attempt), 60, TimeUnit.SECONDS)) {
                    winners += result.get() ? 1 : 0;
                }
                assertThat(winners).isOne();
            }
        } catch (ExecutionException e) {
            throw new AssertionError("neither created nor there", e);
        } finally {
            threads.shutdownNow();
        }
        assertThat(folder.run("ls | wc -l")).isEqualTo("5\n");
    }

    @Test
    void shouldRenameOverWhatIsThere() throws Exception {
        folder.make("a", "first");
        folder.make("b", "second");
        try (RemoteFile replaced = folder.open("b", StandardOpenOption.READ)) {
            mount.rename(FOLDER + "/a", FOLDER + "/b");
            assertThat(folder.run("ls && cat b")).isEqualTo("b\nfirst");
            ByteBuffer buffer = ByteBuffer.allocate(20);
            assertThat(replaced.read(buffer, 0)).as("it is open still").isEqualTo(6);
            assertThat(new String(buffer.array(), 0, 6, UTF_8)).isEqualTo("second");
        }
        assertThat(folder.run("ls -A")).as("the replaced file is closed").isEqualTo("b\n");
        assertThatThrownBy(() -> mount.rename(FOLDER + "/a", FOLDER + "/c")).isInstanceOf(NoSuchFileException.class);
        folder.run("mkdir -p full/inside empty from/inside && echo x > from/file");
        mount.rename(FOLDER + "/from", FOLDER + "/empty");
        assertThat(folder.run("cat empty/file")).isEqualTo("x\n");
        assertThatThrownBy(() -> mount.rename(FOLDER + "/empty", FOLDER + "/full"))
                .isInstanceOfAny(DirectoryNotEmptyException.class, FileAlreadyExistsException.class);
        mount.rename(FOLDER + "/empty/file", FOLDER + "/full/inside/moved");
        mount.rename(FOLDER + "/full/inside/moved", FOLDER + "/full/inside/moved");
        assertThat(folder.run("find . | sort | tr '\\n' ' '"))
                .isEqualTo(". ./b ./empty ./empty/inside ./full ./full/inside ./full/inside/moved ");
    }

    @Test
    void shouldKeepNamesAsTheyAre() throws Exception {
        List<String> odd = List.of(
                " ",
                "two  spaces ",
                "new\nline",
                "tab\tand\u0001control",
                "-rf",
                "...",
                ".hidden",
                "quote\"'`$(x)*?[a]",
                "back\\slash",
                "Käse",
                "Ka\u0308se",
                "名前",
                "🙂",
                "\u200bzero",
                "n".repeat(255),
                "名".repeat(85));
        mount.createDirectory(FOLDER + "/ours", 0755);
        for (String name : odd) {
            folder.make("ours/" + name, name);
        }
        assertThat(namesInGuest("ours")).isEqualTo(new TreeSet<>(odd));
        assertThat(names("ours")).isEqualTo(new TreeSet<>(odd));
        folder.run("cp -a ours theirs");
        assertThat(names("theirs")).isEqualTo(new TreeSet<>(odd));
        for (String name : odd) {
            assertThat(new String(Contents.read(mount, FOLDER + "/theirs/" + name), UTF_8))
                    .isEqualTo(name);
            mount.remove(FOLDER + "/theirs/" + name);
        }
        assertThat(folder.run("ls -A theirs")).isEmpty();
        for (String name : new String[] {"n".repeat(256), "名".repeat(85) + "x"}) {
            assertThatThrownBy(() -> folder.make("ours/" + name, ""))
                    .isInstanceOfSatisfying(
                            NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_NAMETOOLONG"));
        }
    }

    @Test
    void shouldListNamesThatAreNotUtf8() throws Exception {
        // Linux accepts any octets: an octet outside of UTF-8 is a lone surrogate here, and the name refers to the file
        folder.run("touch before $'bad\\377name' later");
        assertThat(names("")).containsExactlyInAnyOrder("before", "bad\udcffname", "later");
        assertThat(mount.attributes(FOLDER + "/bad\udcffname", true).isRegularFile())
                .isTrue();
        mount.rename(FOLDER + "/bad\udcffname", FOLDER + "/\udcfe");
        assertThat(folder.run("LC_ALL=C ls -b")).isEqualTo("before\nlater\n\\376\n");
    }

    @Test
    void shouldGoThroughDeepDirectories() throws Exception {
        StringBuilder path = new StringBuilder(FOLDER);
        // more components than a COMPOUND has operations, and more octets than Linux allows in a path
        for (int i = 0; i < 60; i++) {
            path.append('/').append(i % 2 == 0 ? "d" : "e".repeat(200)).append(i);
            mount.createDirectory(path.toString(), 0755);
        }
        Contents.write(mount, path + "/file", new byte[] {1, 2, 3});
        assertThat(Contents.read(mount, path + "/./../" + "e".repeat(200) + "59/file"))
                .containsExactly(1, 2, 3);
        assertThat(folder.run("find . -type d | wc -l")).isEqualTo("61\n");
        assertThat(folder.run("find . -name file -execdir sha256sum {} +"))
                .startsWith(Contents.sha256(new byte[] {1, 2, 3}));
        try (NfsMount small = folder.mount("inline=1024")) {
            assertThat(Contents.read(small, path + "/file")).containsExactly(1, 2, 3);
        }
    }

    @Test
    void shouldTellWhyNot() throws Exception {
        folder.run("mkdir -p full/inside && echo x > file");
        assertThatThrownBy(() -> mount.remove(FOLDER + "/full")).isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> mount.remove(FOLDER + "/none")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> mount.list(FOLDER + "/file")).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> mount.createDirectory(FOLDER + "/full", 0755))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> mount.createDirectory(FOLDER + "/file/inside", 0755))
                .isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> folder.open("none", StandardOpenOption.READ))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("peer:" + FOLDER + "/none");
        assertThatThrownBy(() -> folder.open("full", StandardOpenOption.READ))
                .isInstanceOfSatisfying(
                        NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_ISDIR"));
        mount.remove(FOLDER + "/full/inside");
        mount.remove(FOLDER + "/full");
        mount.remove(FOLDER + "/file");
        assertThat(folder.run("ls -A")).isEmpty();
    }
}
