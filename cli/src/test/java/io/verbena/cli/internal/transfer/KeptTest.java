package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.Shell;
import io.verbena.cli.internal.DirectoryMount;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.Providers;
import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import io.verbena.nfs.FileType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What copies keep besides contents, and what they say that they do not. */
class KeptTest extends TransferCase {
    private static final CopyOptions LINKED = TREE.with(Flag.HARD_LINKS, true);
    private static final CopyOptions SYNC = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC);
    private static final Instant TIME = Instant.parse("2021-03-04T05:06:07.123456789Z");

    private Shell shell;

    @BeforeEach
    void startShell() throws Exception {
        shell = new Shell(Mounts.class, host.mounts(), host.exports(), new Providers());
    }

    @AfterEach
    void stopShell() {
        shell.close();
    }

    private String failing(String command) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        assertThatThrownBy(() -> shell.run(command, printed))
                .satisfies(failure -> assertThat(ExitStatus.of(failure)).isEqualTo(ExitStatus.PARTIAL));
        return printed.toString(StandardCharsets.UTF_8);
    }

    private Summary put(CopyOptions options) throws Exception {
        return new Copy(List.of(here("tree")), there("/copy"), options).run();
    }

    private void linkedTree() throws IOException {
        write(local.resolve("tree/one"), 10);
        Files.createDirectory(local.resolve("tree/dir"));
        Files.createLink(local.resolve("tree/dir/two"), local.resolve("tree/one"));
        Files.createLink(local.resolve("tree/three"), local.resolve("tree/one"));
        write(local.resolve("tree/alone"), 20);
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    private void assertLinked(Path top) throws IOException {
        assertThat(inode(top.resolve("dir/two"))).isEqualTo(inode(top.resolve("one")));
        assertThat(inode(top.resolve("three"))).isEqualTo(inode(top.resolve("one")));
        assertThat(inode(top.resolve("alone"))).isNotEqualTo(inode(top.resolve("one")));
        assertThat(top.resolve("dir/two")).hasSize(10);
    }

    @Test
    void shouldKeepHardLinksBothWays() throws Exception {
        linkedTree();

        Summary there = put(LINKED);
        new Copy(List.of(there("/copy")), here("back"), LINKED).run();

        assertThat(there.files()).isEqualTo(2);
        assertThat(there.toString()).contains("; made 2 hard links");
        assertThat(there.status()).isEqualTo(ExitStatus.OK);
        assertLinked(served.resolve("copy"));
        assertLinked(local.resolve("back"));
    }

    @Test
    void shouldTellOfHardLinksThatBecomeFiles() throws Exception {
        linkedTree();

        Summary summary = put(TREE);

        assertThat(summary.files()).isEqualTo(4);
        assertThat(summary.toString()).contains("; 2 hard links copied as files of their own, -H keeps them");
        assertThat(summary.status()).isEqualTo(ExitStatus.OK);
        assertThat(inode(served.resolve("copy/dir/two"))).isNotEqualTo(inode(served.resolve("copy/one")));
    }

    @Test
    void shouldMakeFilesOfTheirOwnHardLinksAgain() throws Exception {
        linkedTree();
        put(TREE);

        Summary first = put(SYNC.with(Flag.HARD_LINKS, true));
        Summary second = put(SYNC.with(Flag.HARD_LINKS, true));

        assertThat(first.besides().linked()).isEqualTo(2);
        assertLinked(served.resolve("copy"));
        assertThat(second.besides().linked()).isZero();
        assertThat(second.files()).isZero();
        assertThat(second.unchanged()).isEqualTo(4);
        assertThat(names(served.resolve("copy"))).containsExactly("alone", "dir", "one", "three");
    }

    @Test
    void shouldNotLinkToWhatCouldNotBeCopied() throws Exception {
        linkedTree();
        mount.hook((operation, path, position) -> {
            if (operation.equals("rename") && path.startsWith("/copy/") && !path.startsWith("/copy/dir")) {
                throw new AccessDeniedException(path);
            }
        });

        Summary summary = put(LINKED);

        assertThat(summary.failed()).hasSizeGreaterThanOrEqualTo(3);
        assertThat(summary.status()).isNotEqualTo(ExitStatus.OK);
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
    void shouldKeepTimesOfSymbolicLinks() throws Exception {
        Files.createDirectory(local.resolve("tree"));
        Path link = Files.createSymbolicLink(local.resolve("tree/link"), Path.of("nowhere"));
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(FileTime.from(TIME), null, null);
        Instant kept =
                Files.getLastModifiedTime(link, LinkOption.NOFOLLOW_LINKS).toInstant();
        assertThat(kept).isCloseTo(TIME, within(1, ChronoUnit.MICROS));

        put(TREE);
        new Copy(List.of(there("/copy")), here("back"), TREE).run();

        for (Path copy : List.of(served.resolve("copy/link"), local.resolve("back/link"))) {
            assertThat(Files.getLastModifiedTime(copy, LinkOption.NOFOLLOW_LINKS)
                            .toInstant())
                    .isEqualTo(kept);
        }
    }

    @Test
    void shouldTellWhereAServerKeepsNoTimesOfLinks() throws Exception {
        Files.createDirectory(local.resolve("tree"));
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("nowhere"));
        mount.hook((operation, path, position) -> {
            if (operation.equals("setLinkAttributes")) {
                throw new FileSystemException(path, null, "not supported");
            }
        });

        Summary summary = put(TREE);

        assertThat(summary.files()).isEqualTo(1);
        assertThat(summary.toString()).contains("; times of 1 symbolic link not kept");
        assertThat(summary.status()).isEqualTo(ExitStatus.OK);
    }

    @Test
    void shouldKeepNanoseconds() throws Exception {
        write(local.resolve("tree/x"), 10);
        Files.setLastModifiedTime(local.resolve("tree/x"), FileTime.from(TIME));
        Files.setLastModifiedTime(local.resolve("tree"), FileTime.from(TIME));

        put(TREE);
        new Copy(List.of(there("/copy")), here("back"), TREE.with(Flag.PRESERVE, true)).run();

        for (Path copy : List.of(served.resolve("copy"), local.resolve("back"))) {
            assertThat(Files.getLastModifiedTime(copy.resolve("x")).toInstant()).isEqualTo(TIME);
            assertThat(Files.getLastModifiedTime(copy).toInstant()).isEqualTo(TIME);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "07.123456789, 07.123456789, true",
        "07.123456789, 07.123456788, false",
        "07.123456789, 07.123456700, true", // 100 nanoseconds
        "07.123456789, 07.123456000, true",
        "07.123456789, 07.123455000, false",
        "07.123456789, 07.123000000, true",
        "07.123456789, 07.120000000, true", // exFAT
        "07.123456789, 07.000000000, true",
        "07.123456789, 08.000000000, false",
        "07.000000000, 07.000000001, true",
        "06.999999999, 07.000000000, false"
    })
    void shouldCompareTimesAsFinelyAsBothAreKept(String one, String other, boolean isSame) {
        Instant first = Instant.parse("2021-03-04T05:06:" + one + "Z");
        Instant second = Instant.parse("2021-03-04T05:06:" + other + "Z");

        assertThat(node(first).isSameBySizeAndTime(node(second))).isEqualTo(isSame);
        assertThat(node(second).isSameBySizeAndTime(node(first))).isEqualTo(isSame);
    }

    private static Node node(Instant modified) {
        return new Node("x", FileType.REGULAR, 10, 0_644, modified, null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SECONDS", "MILLIS", "MICROS"})
    void shouldNotCopyForEverToWhatKeepsCoarserTimes(ChronoUnit unit) throws Exception {
        write(local.resolve("tree/x"), 10);
        Files.setLastModifiedTime(local.resolve("tree/x"), FileTime.from(TIME));
        mount.hook(new DirectoryMount.Hook() {
            @Override
            public void before(String operation, String path, long position) {}

            @Override
            public void after(String operation, String path) throws IOException {
                if (operation.equals("setAttributes")) {
                    Path file = served.resolve("." + path);
                    Instant now = Files.getLastModifiedTime(file).toInstant();
                    Files.setLastModifiedTime(file, FileTime.from(now.truncatedTo(unit)));
                }
            }
        });

        assertThat(put(SYNC).files()).isEqualTo(1);
        assertThat(put(SYNC).files()).isZero();
        Files.setLastModifiedTime(local.resolve("tree/x"), FileTime.from(TIME.plusSeconds(1)));
        assertThat(put(SYNC).files()).isEqualTo(1);
    }

    @Test
    void shouldTellOfExtendedAttributes() throws Exception {
        write(local.resolve("tree/x"), 10);
        write(local.resolve("tree/y"), 10);
        UserDefinedFileAttributeView view =
                Files.getFileAttributeView(local.resolve("tree/x"), UserDefinedFileAttributeView.class);
        assumeThat(canHave(view)).isTrue();

        Summary summary = put(TREE);

        assertThat(summary.toString()).contains("; extended attributes of 1 file not kept, as NFS 4.1 has none");
        assertThat(summary.status()).isEqualTo(ExitStatus.OK);
        assertThat(shell.run("nfs:put -r --json " + local + "/tree a:/again"))
                .contains("\"withExtendedAttributes\":1,");
    }

    @ParameterizedTest
    @CsvSource({
        "trusted.a, true",
        "security.a, true",
        "security.selinux, false",
        "system.nfs4_acl, false",
        "system.posix_acl_access, true",
        "user.a, true"
    })
    void shouldTellOfExtendedAttributesOfAllNamespaces(String name, boolean tells) throws Exception {
        Path file = local.resolve("file");
        write(file, 10);

        assertThat(LocalAttributes.areThere(file, asked -> List.of("security.ima", name)))
                .isEqualTo(tells);
    }

    @Test
    void shouldTellOfNoExtendedAttributesWhereAFileSystemHasNone() throws Exception {
        Path file = local.resolve("file");
        write(file, 10);

        assertThat(LocalAttributes.areThere(file, asked -> {
                    throw new UncheckedIOException(new FileSystemException("file"));
                }))
                .isFalse();
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
