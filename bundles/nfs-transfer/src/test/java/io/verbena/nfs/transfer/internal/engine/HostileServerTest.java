package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a server which lists what no honest server lists changes nothing outside the target. */
class HostileServerTest extends TransferCase {
    private static final CopyOptions MIRROR = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.DELETE);
    private Path outside;

    @BeforeEach
    void makeCanary() throws Exception {
        outside = Files.createDirectory(local.resolve("outside"));
        Files.writeString(outside.resolve("file"), "precious");
        Files.setPosixFilePermissions(outside, PosixFilePermissions.fromString("rwx-----x"));
    }

    private void assertNothingOutsideHasChanged() throws Exception {
        assertThat(names(outside)).containsExactly("file");
        assertThat(outside.resolve("file")).hasContent("precious");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(outside)))
                .isEqualTo("rwx-----x");
    }

    private CopySummary get(CopyOptions options) throws Exception {
        return host.engine().copy(there("/from"), here("to"), options).run();
    }

    @Test
    void shouldCopyNothingOfANameThatIsListedTwice() throws Exception {
        write(served.resolve("from/x/file"), 10);
        write(served.resolve("from/good"), 10);
        write(local.resolve("to/x/kept"), 10);
        mount.listAlsoAsLink("from", "x", outside.toString());

        CopySummary summary = get(MIRROR);

        assertThat(summary.failed()).singleElement().satisfies(failure -> assertThat(failure.cause())
                .hasMessageContaining("/from/x: the name is listed more than once"));
        assertThat(local.resolve("to/good")).hasSize(10);
        assertThat(local.resolve("to/x")).isDirectory();
        assertThat(names(local.resolve("to/x"))).containsExactly("kept");
        assertNothingOutsideHasChanged();
    }

    @Test
    void shouldNotWriteThroughALinkThatAnEarlierCopyHasMade() throws Exception {
        write(served.resolve("from/x/file"), 10);
        Files.createDirectory(local.resolve("to"));
        Files.createSymbolicLink(local.resolve("to/x"), outside);

        CopySummary summary = host.engine()
                .copy(there("/from").contents(), here("to"), TREE.with(Flag.FORCE, true))
                .run();

        assertThat(summary.failed()).hasSize(1);
        assertNothingOutsideHasChanged();
    }

    @Test
    void shouldNotCopyADirectoryNamedAsASourceThroughALink() throws Exception {
        write(served.resolve("from/file"), 10);
        Files.createDirectory(local.resolve("to"));
        Files.createSymbolicLink(local.resolve("to/from"), outside);

        assertThatThrownBy(() -> get("/from", "to")).hasMessageContaining("is no directory");

        assertNothingOutsideHasChanged();
    }

    @ParameterizedTest
    @ValueSource(strings = {".verbena-0123456789abcdef.part", ".verbena-0123456789abcdef.tmp.part", ".verbena-x"})
    void shouldCopyNothingUnderTheNamesOfTemporaryFiles(String name) throws Exception {
        write(served.resolve("from/good"), 10);
        Files.createSymbolicLink(served.resolve("from").resolve(name), outside.resolve("file"));

        CopySummary summary = host.engine()
                .copy(there("/from"), here("to"), TREE.with(Flag.RESUME, true))
                .run();

        assertThat(summary.failed()).singleElement().satisfies(failure -> assertThat(failure.cause())
                .hasMessageContaining(name + ": the name is one of the temporary files"));
        assertThat(names(local.resolve("to"))).containsExactly("good");
        assertNothingOutsideHasChanged();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".verbena-0123456789abcdef.part",
                ".verbena-0123456789abcdef.tmp.part",
                ".verbena-0123456789abcdef.sums"
            })
    void shouldLeaveOutTheTemporaryFilesOfOtherCopies(String name) throws Exception {
        write(served.resolve("from/good"), 10);
        write(served.resolve("from").resolve(name), 5);

        CopySummary summary = get(MIRROR);

        assertThat(summary.failed()).isEmpty();
        assertThat(names(local.resolve("to"))).containsExactly("good");
    }

    @Test
    void shouldLeaveOutTheLinksAndDirectoriesOfOtherCopies() throws Exception {
        write(served.resolve("from/good"), 10);
        Files.createSymbolicLink(served.resolve("from/.verbena-0123456789abcdef.link"), outside.resolve("file"));
        Files.createDirectory(served.resolve("from/.verbena-0123456789abcdef.dir"));

        CopySummary summary = get(MIRROR);

        assertThat(summary.failed()).isEmpty();
        assertThat(names(local.resolve("to"))).containsExactly("good");
    }
}
