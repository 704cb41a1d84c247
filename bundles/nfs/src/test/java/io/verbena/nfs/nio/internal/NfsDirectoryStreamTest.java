package io.verbena.nfs.nio.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.NfsException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Directories as java.nio lists them. */
class NfsDirectoryStreamTest {
    @Test
    void shouldTellOfNamesThatNoPathCanHaveBehindTheOthers() throws IOException {
        try (FakeServer server = new FakeServer()) {
            server.directory.list("a");
            server.directory.listBad("x\\x2Fy");
            server.directory.listBad("(empty)");
            server.directory.list("b");
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(server.files.getPath("/"))) {
                Iterator<Path> entries = stream.iterator();
                List<String> names = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    names.add(entries.next().getFileName().toString());
                }
                assertThat(names).containsExactly("a", "b");
                assertThatThrownBy(entries::hasNext)
                        .isInstanceOf(DirectoryIteratorException.class)
                        .cause()
                        .isInstanceOf(NfsException.class)
                        .hasMessageContaining("the server lists 'x\\x2Fy' in it, and 1 more");
                assertThat(entries.hasNext()).isFalse();
            }
        }
    }
}
