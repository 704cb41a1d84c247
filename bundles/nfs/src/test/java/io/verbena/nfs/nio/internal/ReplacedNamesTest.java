package io.verbena.nfs.nio.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.nio.internal.FakeNames.Disturbance;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes of names are done once, in whichever gap between their steps the mount is replaced. */
@Timeout(60)
class ReplacedNamesTest {
    private enum Change {
        CREATE("/file /new") {
            @Override
            void make(FakeNames names) throws IOException {
                Files.createFile(names.path("/new"));
            }
        },
        DIRECTORY("/file /new") {
            @Override
            void make(FakeNames names) throws IOException {
                Files.createDirectory(names.path("/new"));
            }
        },
        SYMBOLIC_LINK("/file /new") {
            @Override
            void make(FakeNames names) throws IOException {
                Files.createSymbolicLink(names.path("/new"), names.path("text"));
            }
        },
        LINK("/file /new") {
            @Override
            void make(FakeNames names) throws IOException {
                Files.createLink(names.path("/new"), names.path("/file"));
            }
        },
        RENAME("/new") {
            @Override
            void make(FakeNames names) throws IOException {
                Files.move(names.path("/file"), names.path("/new"));
            }
        },
        RENAME_AT_ONCE("/new") {
            @Override
            void make(FakeNames names) throws IOException {
                Files.move(names.path("/file"), names.path("/new"), StandardCopyOption.ATOMIC_MOVE);
            }
        },
        REMOVE("") {
            @Override
            void make(FakeNames names) throws IOException {
                Files.delete(names.path("/file"));
            }
        };

        private final String result;

        Change(String result) {
            this.result = result;
        }

        abstract void make(FakeNames names) throws IOException;
    }

    static Stream<Object[]> changesAndDisturbances() {
        return Arrays.stream(Change.values()).flatMap(change -> Arrays.stream(Disturbance.values())
                .map(disturbance -> new Object[] {change, disturbance}));
    }

    @ParameterizedTest
    @MethodSource("changesAndDisturbances")
    void shouldBeDoneOnceWhereverTheMountIsReplaced(Change change, Disturbance disturbance) throws IOException {
        boolean more = true;
        int call = 1;
        for (; more; call++) {
            try (FakeNames names = new FakeNames(disturbance, call, true)) {
                change.make(names);

                more = names.isDisturbed();
                assertThat(String.join(" ", names.names()))
                        .as("at call " + call)
                        .isEqualTo(change.result);
            }
        }
        assertThat(call).isGreaterThan(2);
    }

    @Test
    void shouldSayThatANewFileMayBeItsOwnWhereTheServerHasForgottenTheVerifier() throws IOException {
        try (FakeNames names = new FakeNames(Disturbance.LOST_AFTER, 1, false)) {
            assertThatThrownBy(() -> Files.createFile(names.path("/new")))
                    .isInstanceOf(UndecidedException.class)
                    .hasMessageContaining("/new")
                    .hasMessageContaining("not known");
        }
    }

    @Test
    void shouldSayAsEverThatAnothersFileIsThere() throws IOException {
        try (FakeNames names = new FakeNames(Disturbance.REFUSED, 1, true)) {
            assertThatThrownBy(() -> Files.createFile(names.path("/file")))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
        try (FakeNames names = new FakeNames(Disturbance.REFUSED, 1, true)) {
            assertThatThrownBy(() -> Files.createDirectory(names.path("/file")))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
        try (FakeNames names = new FakeNames(Disturbance.REFUSED, 1, true)) {
            assertThatThrownBy(() -> Files.delete(names.path("/none"))).isInstanceOf(NoSuchFileException.class);
        }
    }
}
