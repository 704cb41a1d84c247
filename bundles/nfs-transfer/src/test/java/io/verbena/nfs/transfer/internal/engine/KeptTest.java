package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the properties other than content that copies keep, and the reports of properties that they lose. */
class KeptTest extends TransferCase {
    private static final CopyOptions LINKED = TREE.with(Flag.HARD_LINKS, true);
    private static final CopyOptions SYNC = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC);
    private static final Instant TIME = Instant.parse("2021-03-04T05:06:07.123456789Z");

    private CopySummary put(CopyOptions options) throws Exception {
        return host.engine()
                .copy(List.of(here("tree")), there("/copy"), options)
                .run();
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

        CopySummary there = put(LINKED);
        host.engine().copy(List.of(there("/copy")), here("back"), LINKED).run();

        assertThat(there.files()).isEqualTo(2);
        assertThat(there.besides().linked()).isEqualTo(2);
        assertThat(there.failed()).isEmpty();
        assertLinked(served.resolve("copy"));
        assertLinked(local.resolve("back"));
    }

    @Test
    void shouldTellOfHardLinksThatBecomeFiles() throws Exception {
        linkedTree();

        CopySummary summary = put(TREE);

        assertThat(summary.files()).isEqualTo(4);
        assertThat(summary.besides().separated()).isEqualTo(2);
        assertThat(summary.failed()).isEmpty();
        assertThat(inode(served.resolve("copy/dir/two"))).isNotEqualTo(inode(served.resolve("copy/one")));
    }

    @Test
    void shouldMakeFilesOfTheirOwnHardLinksAgain() throws Exception {
        linkedTree();
        put(TREE);

        CopySummary first = put(SYNC.with(Flag.HARD_LINKS, true));
        CopySummary second = put(SYNC.with(Flag.HARD_LINKS, true));

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

        CopySummary summary = put(LINKED);

        assertThat(summary.failed()).hasSizeGreaterThanOrEqualTo(3);
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
        host.engine().copy(List.of(there("/copy")), here("back"), TREE).run();

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

        CopySummary summary = put(TREE);

        assertThat(summary.files()).isEqualTo(1);
        assertThat(summary.besides().withoutLinkTimes()).isEqualTo(1);
        assertThat(summary.failed()).isEmpty();
    }

    @Test
    void shouldKeepNanoseconds() throws Exception {
        write(local.resolve("tree/x"), 10);
        Files.setLastModifiedTime(local.resolve("tree/x"), FileTime.from(TIME));
        Files.setLastModifiedTime(local.resolve("tree"), FileTime.from(TIME));

        put(TREE);
        host.engine()
                .copy(List.of(there("/copy")), here("back"), TREE.with(Flag.PRESERVE, true))
                .run();

        for (Path copy : List.of(served.resolve("copy"), local.resolve("back"))) {
            assertThat(Files.getLastModifiedTime(copy.resolve("x")).toInstant()).isEqualTo(TIME);
            assertThat(Files.getLastModifiedTime(copy).toInstant()).isEqualTo(TIME);
        }
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

        CopySummary summary = put(TREE);

        assertThat(summary.besides().withExtendedAttributes()).isEqualTo(1);
        assertThat(summary.failed()).isEmpty();
    }

    private static boolean canHave(UserDefinedFileAttributeView view) {
        try {
            view.write("origin", ByteBuffer.wrap(new byte[] {1}));
            return true;
        } catch (IOException | NullPointerException e) {
            return false;
        }
    }
}
