package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.nfs.transfer.fixture.PathScan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests by its system calls that the server resolves one name at a time below an export. */
class ExportScanTest {
    @TempDir
    private Path folder;

    @Test
    @Timeout(300)
    void shouldResolveOneNameAtATimeBelowAnExport() throws Exception {
        assumeTrue(PathScan.isAvailable(), "there is no strace that may trace");
        Path exported = Files.createDirectory(folder.resolve("exported"));

        List<String> calls = PathScan.trace(
                ScannedExport.class,
                folder.resolve("trace"),
                List.of(exported.toString(), folder.resolve("state").toString()));

        assertThat(PathScan.violations(calls, List.of(exported))).isEmpty();
        assertThat(PathScan.byDescriptor(calls)).as("the scan sees the calls").hasSizeGreaterThan(50);
        assertThat(exported.resolve("top0/a/hard")).hasSize(10_000);
    }
}
