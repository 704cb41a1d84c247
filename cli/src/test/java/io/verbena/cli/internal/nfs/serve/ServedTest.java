package io.verbena.cli.internal.nfs.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServedTest {
    private static final class Kind implements Served.Kind {
        @Override
        public void begin(String words, Set<String> made) throws IOException {
            if (words.startsWith("bad")) {
                throw new IOException("no " + words);
            }
            made.add(words);
        }

        @Override
        public void end(String name) {}

        @Override
        public String status(Set<String> names) {
            return "served " + names;
        }
    }

    @TempDir
    private Path folder;

    @Test
    void shouldServeTheOthersAndNameEachLineThatFails() throws IOException {
        Path file = folder.resolve("lines");
        Files.writeString(file, "bad one\ngood\n\nbad two\n");
        Served served = new Served(new Kind(), new LinesFile(file, "exports"));

        assertThatThrownBy(served::update)
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("line 1: no bad one; ")
                .hasMessageContaining("line 4: no bad two");

        assertThat(served.status()).isEqualTo("served [good]");
    }
}
