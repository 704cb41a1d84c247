package io.verbena.nfs.transfer.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.ContentMismatchException;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests copies that are read back. */
class VerifyTest extends TransferCase {
    private static final CopyOptions VERIFY = CopyOptions.of(Flag.RECURSIVE, Flag.VERIFY);

    /** Makes the server lose an octet when the file is closed. */
    private void loseAnOctet() {
        mount.hook((operation, path, position) -> {
            if (operation.equals("close") && path.endsWith(".part")) {
                Path file = served.resolve("." + path);
                if (Files.size(file) > 0) {
                    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
                        content.write(0);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRefuseWhatTheServerHasNotKept(boolean isResumable) throws Exception {
        write(local.resolve("file"), 3 << 20);
        Files.writeString(served.resolve("file"), "old");
        loseAnOctet();

        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(here("file")), there("/file"), VERIFY.with(Flag.RESUME, isResumable))
                        .run())
                .hasMessageContaining("a:/file: what was written is not what " + local + "/file holds")
                .isInstanceOf(ContentMismatchException.class);

        assertThat(served.resolve("file")).hasContent("old");
        assertThat(names(served)).containsExactly("file");
    }

    @Test
    void shouldTellOneWrongFileAmongMany() throws Exception {
        write(local.resolve("tree/x"), 10);
        Files.createFile(local.resolve("tree/empty"));
        loseAnOctet();

        CopySummary summary = host.engine()
                .copy(List.of(here("tree")), there("/tree"), VERIFY)
                .run();

        assertThat(summary.files()).isEqualTo(1);
        assertThat(summary.failed()).singleElement().satisfies(failure -> {
            assertThat(failure.path()).isEqualTo(local + "/tree/x");
            assertThat(failure.cause()).isInstanceOf(ContentMismatchException.class);
        });
        assertThat(names(served.resolve("tree"))).containsExactly("empty");
    }

    @Test
    void shouldReadBackThroughAnotherOpenWhenTheFileIsClosed() throws Exception {
        write(local.resolve("file"), 10);
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        mount.hook((operation, path, position) -> {
            if (List.of("open", "read", "write", "close", "rename").contains(operation)) {
                calls.add(operation);
            }
        });

        host.engine().copy(List.of(here("file")), there("/file"), VERIFY).run();

        assertThat(calls).containsExactly("open", "write", "close", "open", "read", "close", "rename");
    }

    @Test
    void shouldVerifyLargeFilesPartByPart() throws Exception {
        sparse(served.resolve("large"), 2 * STRETCH, 0, STRETCH);

        copyByStretches(there("/large"), here("large"), VERIFY);

        assertThat(Files.mismatch(served.resolve("large"), local.resolve("large")))
                .isEqualTo(-1);
    }

    @Test
    void shouldRefuseToVerifyWhatCannotBeReadBack() throws Exception {
        write(served.resolve("file"), 10);

        Location device = MountHost.local("/dev/null");
        assertThat(host.run(List.of(there("/file")), device, TREE).files()).isEqualTo(1);
        assertThatThrownBy(() -> host.engine()
                        .copy(List.of(there("/file")), device, VERIFY)
                        .run())
                .hasMessage("/dev/null: is no regular file, so that it cannot be read back");
    }

    @Test
    void shouldVerifyWhatComesFromAPipe() throws Exception {
        Location target = there("/x");

        assertThat(host.engine()
                        .copy(new ByteArrayInputStream(new byte[3_000_000]), target, VERIFY)
                        .run()
                        .octets())
                .isEqualTo(3_000_000);
        loseAnOctet();
        assertThatThrownBy(() -> host.engine()
                        .copy(new ByteArrayInputStream("abc".getBytes(UTF_8)), target, VERIFY)
                        .run())
                .hasMessage("a:/x: what was written is not what came from the pipe");
        assertThat(served.resolve("x")).hasSize(3_000_000);
        assertThat(names(served)).containsExactly("x");
    }

    /** Octets that were in flight when a mount was replaced cannot be read from the pipe again. */
    @Test
    void shouldNotLoseAPartOfWhatComesFromAPipe() throws Exception {
        Location target = there("/x");
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position == 3 << 20) {
                host.replace("a");
                throw new MountReplacedException("a", true);
            }
        });

        byte[] content = new byte[10 << 20];
        Arrays.fill(content, (byte) 1);

        assertThatThrownBy(() -> host.engine()
                        .copy(new ByteArrayInputStream(content), target, TREE)
                        .run())
                .hasMessage("input: the mount was replaced, and a pipe cannot be read again: run it again");
        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldLeaveNothingOfAPipeThatBreaks() throws Exception {
        Location target = there("/x");
        assertThatThrownBy(() ->
                        host.engine().copy(new BrokenStream(), target, VERIFY).run())
                .hasMessage("input: broken");
        assertThat(served).isEmptyDirectory();
    }

    private static final class BrokenStream extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("broken");
        }

        @Override
        public int read(byte[] destination, int offset, int length) throws IOException {
            return read();
        }
    }
}
