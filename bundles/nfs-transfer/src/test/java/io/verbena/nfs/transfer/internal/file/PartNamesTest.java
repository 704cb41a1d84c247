package io.verbena.nfs.transfer.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that nobody else can tell the names of temporary files in advance. */
class PartNamesTest {
    @TempDir
    Path state;

    private static String name(Path state) {
        return new PartNames(new SystemRuntime(), state).name("a file");
    }

    @Test
    void shouldKeepTheSecretForLaterProcessesOfTheUser() throws Exception {
        String first = name(state.resolve("one"));

        assertThat(first).matches("\\.verbena-[0-9a-f]{16}");
        assertThat(name(state.resolve("one"))).isEqualTo(first);
        assertThat(name(state.resolve("other"))).isNotEqualTo(first);
        Path file = state.resolve("one/clients/parts");
        assertThat(file).hasSize(32);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void shouldUseASecretOfItsOwnWhereNoneCanBeKept() throws Exception {
        PartNames names = new PartNames(new SystemRuntime(), Files.createFile(state.resolve("file")));

        assertThat(names.name("a file")).isEqualTo(names.name("a file"));
    }

    @Test
    void shouldMakeDirectoriesThatNobodyElseMayRead() throws Exception {
        name(state.resolve("one"));

        for (String directory : List.of("one", "one/clients")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve(directory))))
                    .as(directory)
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void shouldNotTrustASecretThatOthersMayRead() throws Exception {
        String kept = name(state);
        Files.setPosixFilePermissions(state.resolve("clients/parts"), PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(name(state)).isNotEqualTo(kept);
    }
}
