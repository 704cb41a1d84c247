package io.verbena.nfs41.client.internal.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.rpc.Credential;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client's state directory is not taken from another user. */
final class StrictModesTest {
    private static final int ANOTHER_USER = 65_533;

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void resolve() throws IOException {
        folder = temporary.toRealPath();
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static String owner(Path state) {
        try (ClientOwner owner = ClientOwner.take(
                state, "m", new Credential.Sys(0, "host", 0, 0, List.of()), Optional.empty(), new SystemRuntime())) {
            return new String(owner.id().toByteArray(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldMakeDirectoriesAndFilesForThisUserOnly() throws IOException {
        Path state = folder.resolve("a/b");

        assertThat(owner(state)).startsWith("verbena/");

        try (Stream<Path> made = Files.walk(folder.resolve("a"))) {
            for (Path each : made.toList()) {
                assertThat(mode(each)).as("%s", each).endsWith("------");
            }
        }
    }

    @Test
    void shouldRefuseADirectoryThatItsGroupChanges() throws IOException {
        Path shared = Files.createDirectory(folder.resolve("shared"));
        mode(shared, "rwxrwxr-x");
        String refusal = "'" + shared + "' can be changed by its group or by others: chmod go-w '" + shared + "'";

        assertThatThrownBy(() -> StrictModes.directory(shared)).hasMessage(refusal);
        assertThatThrownBy(() -> StrictModes.directory(shared.resolve("below"))).hasMessage(refusal);
        assertThat(owner(shared)).startsWith("verbena-once/");

        mode(shared, "rwxr-xr-x");
        assertThat(StrictModes.directory(shared)).isEqualTo(shared);
    }

    @Test
    void shouldPassBelowAStickyDirectory() throws IOException {
        Path sticky = Files.createDirectory(folder.resolve("sticky"));
        mode(sticky, "rwxrwxrwx");
        Files.setAttribute(sticky, "unix:mode", 01777);

        assertThat(StrictModes.directory(sticky.resolve("mine"))).isEqualTo(sticky.resolve("mine"));
        assertThatThrownBy(() -> StrictModes.directory(sticky)).hasMessageContaining("chmod go-w");
    }

    @Test
    void shouldRefuseADirectoryOfAnotherUserAlsoByALink() throws IOException {
        Path theirs = Files.createDirectory(folder.resolve("theirs"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), theirs);
        try {
            Files.setAttribute(theirs, "unix:uid", ANOTHER_USER);
        } catch (IOException e) {
            assumeTrue(false, "only root gives files to others");
        }

        for (Path each : List.of(theirs, theirs.resolve("below"), link)) {
            assertThatThrownBy(() -> StrictModes.directory(each))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("'" + theirs + "' belongs to another user");
        }
        assertThat(owner(link)).startsWith("verbena-once/");
    }
}
