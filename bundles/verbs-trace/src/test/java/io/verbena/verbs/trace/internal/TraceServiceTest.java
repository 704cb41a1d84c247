package io.verbena.verbs.trace.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of a trace. */
class TraceServiceTest {
    @TempDir
    private Path folder;

    @Test
    void shouldLetNobodyElseReadAFileThatWasThereBefore() throws Exception {
        assumeTrue(
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
                "no permissions of POSIX: nothing to restrict");
        Path file = Files.writeString(folder.resolve("trace.pcapng"), "of before");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        TraceRun run = TraceService.open(file, true);
        run.start();
        run.stop();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(file).content(StandardCharsets.ISO_8859_1).doesNotContain("of before");
    }

    @Test
    void shouldWriteOverNothingUnasked() throws Exception {
        Path file = Files.writeString(folder.resolve("trace.pcapng"), "of before");

        assertThatThrownBy(() -> TraceService.open(file, false)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasContent("of before");
    }
}
