package io.verbena.cli.rdma.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what is found on a host made of files. */
abstract class FindingsTest {
    /** The root directory of the host. */
    @TempDir
    protected Path root;

    /** What is found and was not returned by {@link #only}. */
    protected final List<Finding> found = new ArrayList<>();

    /** Writes a file of the host. */
    protected void file(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    /** Returns the line of the only finding, and forgets it. */
    protected String only() {
        assertThat(found).hasSize(1);
        String line = found.get(0).line();
        found.clear();
        return line;
    }
}
