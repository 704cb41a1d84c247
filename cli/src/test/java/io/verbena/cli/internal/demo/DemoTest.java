package io.verbena.cli.internal.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.internal.TestHost;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {
    @TempDir
    Path served;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private TestHost host;

    @BeforeEach
    void start() {
        host = new TestHost(served);
    }

    @AfterEach
    void stop() {
        host.close();
    }

    private void demonstrate() throws Exception {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        new Demo(host.exports(), host.mounts(), new DemoFiles(2, 30, 20), out).run();
    }

    @Test
    void shouldDemonstrateAndLeaveNothing() throws Exception {
        demonstrate();

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains(
                        "settings: vers=4.1",
                        "put 1 file, 2097152 octets",
                        "SHA-256 of 1 file is the same in the server's directory",
                        "got 30 files",
                        "SHA-256 of 30 files is the same in the copy that came back")
                .endsWith("demo: all files are the same at both ends\n");
        assertThat(host.configurations()).isEmpty();
        Path removed =
                Path.of(printed.toString(StandardCharsets.UTF_8).replaceAll("(?s).*demo: removed (\\S+)\n.*", "$1"));
        assertThat(removed).doesNotExist();
    }

    @Test
    void shouldFailWhereAnOctetIsWrong() {
        host.hook((operation, path, position) -> {
            if (operation.equals("close") && path.endsWith(".part")) {
                // The file is complete, and about to be renamed to its final name.
                Path file = host.exported().resolve("." + path);
                byte[] content = Files.readAllBytes(file);
                content[content.length / 2] ^= 1;
                Files.write(file, content);
            }
        });

        assertThatThrownBy(this::demonstrate)
                .hasMessage("the demonstration failed: the big file has another SHA-256 in the server's directory");
        assertThat(host.configurations()).isEmpty();
    }
}
