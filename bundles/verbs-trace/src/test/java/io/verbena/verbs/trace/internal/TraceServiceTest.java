package io.verbena.verbs.trace.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.trace.TraceStatus;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;

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
    void shouldRememberTheLastTrace() throws Exception {
        TraceService service = new TraceService(proxy(BundleContext.class, proxy(ServiceRegistration.class, null)));
        assertThat(service.last()).isEmpty();

        Path file = folder.resolve("trace.pcapng");
        service.start(file, false);
        assertThat(service.last()).isEmpty();
        TraceStatus ended = service.stop();

        assertThat(service.last()).contains(ended);
        assertThat(service.status()).isEmpty();
    }

    /** An object that answers every call with the same result. */
    private static <T> T proxy(Class<T> type, Object result) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> result));
    }

    @Test
    void shouldWriteOverNothingUnasked() throws Exception {
        Path file = Files.writeString(folder.resolve("trace.pcapng"), "of before");

        assertThatThrownBy(() -> TraceService.open(file, false)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasContent("of before");
    }
}
