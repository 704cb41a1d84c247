package io.verbena.nfs.nio.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.FileType;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.nio.internal.FakeNames.Disturbance;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of names are done once, in whichever gap between their steps the mount is replaced. */
@Timeout(60)
class ReplacedNamesTest {
    /** Whose creation cannot be told from that of another process, as the server keeps no verifier of it. */
    private static final Set<Change> MAY_BE_ANOTHERS = EnumSet.of(Change.DIRECTORY, Change.SYMBOLIC_LINK);

    /** The number of an object of another process. */
    private static final long ANOTHERS = 99;

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
        return withDisturbances(EnumSet.allOf(Change.class));
    }

    static Stream<Object[]> creationsAndDisturbances() {
        return withDisturbances(EnumSet.of(Change.DIRECTORY, Change.SYMBOLIC_LINK, Change.LINK));
    }

    private static Stream<Object[]> withDisturbances(Set<Change> changes) {
        return changes.stream().flatMap(change -> Arrays.stream(Disturbance.values())
                .map(disturbance -> new Object[] {change, disturbance}));
    }

    @ParameterizedTest
    @MethodSource("changesAndDisturbances")
    void shouldBeDoneOnceWhereverTheMountIsReplaced(Change change, Disturbance disturbance) throws IOException {
        boolean more = true;
        int call = 1;
        for (; more; call++) {
            try (FakeNames names = new FakeNames(disturbance, call, true)) {
                boolean isUndecided = isUndecided(change, names);

                more = names.isDisturbed();
                assertThat(isUndecided)
                        .as("at call " + call)
                        .isEqualTo(disturbance == Disturbance.SESSION_LOST
                                && MAY_BE_ANOTHERS.contains(change)
                                && names.isAnswerOfAChangeLost());
                assertThat(String.join(" ", names.names()))
                        .as("at call " + call)
                        .isEqualTo(change.result);
            }
        }
        assertThat(call).isGreaterThan(2);
    }

    private static boolean isUndecided(Change change, FakeNames names) throws IOException {
        try {
            change.make(names);
            return false;
        } catch (UndecidedException e) {
            return true;
        }
    }

    /** Servers give the number of a removed file to the next new one. */
    @ParameterizedTest
    @ValueSource(longs = {ANOTHERS, 1})
    void shouldNotRemoveTheFileOfAnotherProcessInThePlaceOfItsOwn(long id) throws IOException {
        try (FakeNames names = new FakeNames(Disturbance.LOST_AFTER, 2, true)) {
            names.meanwhile(() -> names.put("/file", FileType.REGULAR, id, null));

            assertThatThrownBy(() -> Change.REMOVE.make(names))
                    .isInstanceOf(UndecidedException.class)
                    .hasMessageContaining("/file");
            assertThat(names.isAnswerOfAChangeLost()).isTrue();
            assertThat(names.id("/file")).isEqualTo(id);
        }
    }

    /** As a log that is renamed, and that its writer creates anew. */
    @ParameterizedTest
    @EnumSource(names = {"RENAME", "RENAME_AT_ONCE"})
    void shouldNotRenameTheFileOfAnotherProcessOverItsOwn(Change change) throws IOException {
        boolean isRenamed = false;
        for (int call = 1; !isRenamed; call++) {
            try (FakeNames names = new FakeNames(Disturbance.LOST_AFTER, call, true)) {
                names.meanwhile(() -> {
                    if (names.id("/file") == 0) {
                        names.put("/file", FileType.REGULAR, ANOTHERS, null);
                    }
                });

                change.make(names);

                isRenamed = names.isAnswerOfAChangeLost();
                assertThat(names.id("/new")).isEqualTo(1);
                assertThat(names.id("/file")).isEqualTo(isRenamed ? ANOTHERS : 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RENAME", "RENAME_AT_ONCE"})
    void shouldNotRenameTheFileOfAnotherProcessInThePlaceOfItsOwn(Change change) throws IOException {
        int rename = change == Change.RENAME ? 4 : 2; // after the looks at the source and the target
        try (FakeNames names = new FakeNames(Disturbance.LOST_BEFORE, rename, true)) {
            names.meanwhile(() -> names.put("/file", FileType.REGULAR, ANOTHERS, null));

            assertThatThrownBy(() -> change.make(names)).isInstanceOf(UndecidedException.class);
            assertThat(names.id("/new")).isZero();
            assertThat(names.id("/file")).isEqualTo(ANOTHERS);
        }
    }

    /** As a directory that stands for a lock of the other process. */
    @ParameterizedTest
    @MethodSource("creationsAndDisturbances")
    void shouldNotTakeForItsOwnWhatWasThereBefore(Change change, Disturbance disturbance) throws IOException {
        boolean more = true;
        int call = 1;
        for (; more; call++) {
            try (FakeNames names = new FakeNames(disturbance, call, true)) {
                long id = putLike(change, names);

                assertThatThrownBy(() -> change.make(names))
                        .as("at call " + call)
                        .isInstanceOf(FileAlreadyExistsException.class);

                more = names.isDisturbed();
                assertThat(names.id("/new")).isEqualTo(id);
            }
        }
        assertThat(call).isGreaterThan(2);
    }

    /** Puts an object there that is as the change makes one; returns its number. */
    private static long putLike(Change change, FakeNames names) {
        switch (change) {
            case DIRECTORY -> names.put("/new", FileType.DIRECTORY, ANOTHERS, null);
            case SYMBOLIC_LINK -> names.put("/new", FileType.SYMBOLIC_LINK, ANOTHERS, "text");
            default -> names.put("/new", FileType.REGULAR, names.id("/file"), null);
        }
        return names.id("/new");
    }

    @ParameterizedTest
    @EnumSource(names = {"DIRECTORY", "SYMBOLIC_LINK", "LINK"})
    void shouldSayThatItIsNotKnownWhoseObjectHasTakenThePlaceOfAnother(Change change) throws IOException {
        try (FakeNames names = new FakeNames(Disturbance.LOST_BEFORE, 2, true)) { // behind the look at the name
            putLike(change, names);
            names.meanwhile(() -> putLike(change, names));

            assertThatThrownBy(() -> change.make(names))
                    .isInstanceOf(UndecidedException.class)
                    .hasMessageContaining("/new");
        }
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
