package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.Invocation;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with which mount a copy continues after its mount is replaced, and when the copy does not continue. */
@Timeout(60)
class SuccessorTest {
    @TempDir
    Path served;

    @TempDir
    Path local;

    private TestHost host;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        Files.writeString(served.resolve("file"), "content");
    }

    @AfterEach
    void stop() {
        host.close();
    }

    /** Removes the mount at the first call of the given operation. */
    private DirectoryMount.Hook goneAt(String operation, Runnable then) {
        AtomicInteger times = new AtomicInteger();
        return (each, path, position) -> {
            if (each.equals(operation) && times.getAndIncrement() == 0) {
                host.takeAway("b");
                then.run();
                throw new MountReplacedException("b", false);
            }
        };
    }

    private void get() throws Exception {
        host.mounts()
                .engine()
                .copy(
                        Locations.remote("b:/file", host.mounts()),
                        Locations.local(local + "/copy", Invocation.ofProcess()),
                        CopyOptions.of())
                .run();
    }

    @Test
    void shouldSayWhatToDoWhenTheMountDoesNotComeBack() throws Exception {
        host.mount("b", "swapTimeout=1").hook(goneAt("open", () -> {}));

        assertThatThrownBy(this::get)
                .hasMessageMatching("b:/file: mount 'b' has not come within 1 s: is the bundle"
                        + " io.verbena.nfs41.client started\\?");
    }

    @Test
    void shouldNotWaitForAMountThatWasUnmountedSince() throws Exception {
        host.mount("b", "swapTimeout=60").hook(goneAt("open", () -> host.forget("b")));

        assertThatThrownBy(this::get).hasMessageEndingWith("mount 'b' has been unmounted");
    }

    @ParameterizedTest
    @CsvSource({"server, other", "export, /other", "options, port=2050"})
    void shouldNotGoOnInAnotherPlace(String key, String value) throws Exception {
        host.mount("b").hook(goneAt("open", () -> {
            host.configure("b", key, value);
            host.comeBack("b");
        }));

        assertThatThrownBy(this::get)
                .hasMessageContaining("mount 'b' was server:/export (port 20049) and is ")
                .hasMessageContaining(" now, where its files may be others");
    }

    @Test
    void shouldGoOnWhereAnotherOptionOfTheMountWasChanged() throws Exception {
        host.mount("b").hook(goneAt("open", () -> {
            host.configure("b", "options", "rsize=65536");
            host.comeBack("b");
        }));

        get();

        assertThat(local.resolve("copy")).hasContent("content");
    }
}
