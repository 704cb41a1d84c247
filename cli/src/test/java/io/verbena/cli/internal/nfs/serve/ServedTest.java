package io.verbena.cli.internal.nfs.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServedTest {
    private static final class Kind implements Served.Kind {
        private final Set<String> names = new HashSet<>();

        @Override
        public void begin(String words, Set<String> made) throws IOException {
            if (words.startsWith("wrong")) {
                throw new IllegalArgumentException(words);
            }
            if (words.contains("bad")) {
                throw new IOException("no " + words);
            }
            String name = words.substring(0, 1);
            if (!names.add(name)) {
                throw new IOException("there is " + name);
            }
            made.add(name);
        }

        @Override
        public void end(String name) {
            names.remove(name);
        }

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

        assertThat(served.status()).isEqualTo("served [g]");
    }

    @Test
    void shouldKeepWhatIsServedWhereTheFileHasAFault() throws Exception {
        Path file = folder.resolve("lines");
        Files.writeString(file, "a\nb\n");
        Kind kind = new Kind();
        Served served = new Served(kind, new LinesFile(file, "exports"));
        served.update();

        for (String fault : List.of("", "# a\n", "wrong a\nb\n", "a bad\nb\n", "b\na c bad\n")) {
            Files.writeString(file, fault);
            assertThatThrownBy(served::update).as(fault).isInstanceOf(CommandException.class);
            assertThat(served.status()).as(fault).isEqualTo("served [a, b]");
            assertThat(kind.names).as(fault).containsExactlyInAnyOrder("a", "b");
        }

        Files.writeString(file, "b\na changed\nc\n");
        served.update();
        assertThat(served.status()).isEqualTo("served [a, b, c]");

        Files.writeString(file, "c\n");
        served.update();
        assertThat(kind.names).containsExactly("c");
    }

    @Test
    void shouldTellThatAFileIsNotUtf8() throws IOException {
        Path file = folder.resolve("lines");
        Files.write(file, new byte[] {'a', (byte) 0xff});

        assertThatThrownBy(new Served(new Kind(), new LinesFile(file, "exports"))::update)
                .hasMessageEndingWith("lines: it is not UTF-8");
    }
}
