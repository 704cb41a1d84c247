package io.verbena.fuse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs do by names and attributes that the kernel still uses, after another client has changed them. */
final class FuseSharingTest {
    @TempDir(factory = MemoryDirectory.class)
    static Path base;

    private static Loopback loopback;

    @BeforeAll
    static void mount() throws IOException {
        FuseFixture.assumeMounts();
        loopback = Loopback.start(base, "actimeo=600");
    }

    @AfterAll
    static void unmount() throws IOException {
        if (loopback != null) {
            loopback.close();
            assertThat(FuseFixture.isMounted(loopback.directory())).isFalse();
        }
    }

    private static Path server(String name) {
        return loopback.exported().resolve(name);
    }

    private static String run(String script) throws IOException, InterruptedException {
        return FuseFixture.run(loopback.directory(), script);
    }

    @Test
    void shouldReadAllThatAnotherClientHasWrittenBeforeAnOpen() throws IOException, InterruptedException {
        Files.writeString(server("log"), "one\n");
        assertThat(run("stat -c %s log")).isEqualTo("4\n");
        Files.writeString(server("log"), "two\n", StandardOpenOption.APPEND);
        assertThat(run("cat log")).isEqualTo("one\ntwo\n");
    }

    @Test
    void shouldUseTheNameThatAFileHasLeft() throws IOException, InterruptedException {
        Files.writeString(server("first"), "both\n");
        Files.createLink(server("second"), server("first"));
        assertThat(run("stat -c %h first second")).isEqualTo("2\n2\n");
        Files.delete(server("second"));
        assertThat(run("cat first && chmod 600 first && ln first third && cat third"))
                .isEqualTo("both\nboth\n");
    }
}
