package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the removal of temporary files of copies that were killed. */
class AbandonedPartsTest extends TransferCase {
    private static final String OLD = HiddenNames.passing(1);
    private static final String YOUNG = HiddenNames.passing(2);
    private static final String RESUMABLE = ".verbena-0000000000000003.part";

    @BeforeEach
    void leave() throws Exception {
        for (String name : List.of(OLD, YOUNG, RESUMABLE)) {
            write(served.resolve("dir/" + name), 100);
            mount.age(name, Duration.ofHours(2));
        }
        mount.age(YOUNG, Duration.ofMinutes(59));
    }

    @Test
    void shouldRemoveWhatNobodyHasChangedForAnHour() throws Exception {
        write(local.resolve("file"), 10);
        put("file", "/dir/file");
        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder("file", YOUNG, RESUMABLE);
    }

    @Test
    void shouldRemoveItFromEachDirectoryThatATreeIsCopiedTo() throws Exception {
        write(local.resolve("x/dir/file"), 10);
        host.run(List.of(here("x/.")), there("/"), TREE);
        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder("file", YOUNG, RESUMABLE);
    }

    @Test
    void shouldRemoveLinksAndEmptyDirectoriesToo() throws Exception {
        String link = ".verbena-0000000000000004.link";
        String young = ".verbena-0000000000000005.link";
        String directory = ".verbena-0000000000000006.dir";
        String full = ".verbena-0000000000000007.dir";
        Files.createSymbolicLink(served.resolve("dir/" + link), Path.of("x"));
        Files.createSymbolicLink(served.resolve("dir/" + young), Path.of("x"));
        Files.createDirectory(served.resolve("dir/" + directory));
        write(served.resolve("dir/" + full + "/file"), 1);
        for (String name : List.of(link, directory, full)) {
            mount.age(name, Duration.ofHours(2));
        }
        write(local.resolve("dir/file"), 10);

        host.engine()
                .copy(List.of(here("dir")), there("/dir"), CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.DELETE))
                .run()
                .orThrow();

        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder("file", YOUNG, young, full);
    }

    @Test
    void shouldRemoveThemWhereALinkIsReplaced() throws Exception {
        String link = ".verbena-0000000000000004.link";
        Files.createSymbolicLink(served.resolve("dir/" + link), Path.of("x"));
        mount.age(link, Duration.ofHours(2));
        Files.createSymbolicLink(served.resolve("dir/current"), Path.of("old"));
        Files.createDirectory(local.resolve("tree"));
        Files.createSymbolicLink(local.resolve("tree/current"), Path.of("new"));

        host.run(List.of(here("tree/.")), there("/dir"), TREE);

        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder("current", YOUNG, RESUMABLE);
    }

    @Test
    void shouldLeaveThatOfACopyUnderWayWhereASynchronisationRemovesWhatIsTooMuch() throws Exception {
        Files.createDirectories(local.resolve("dir"));
        host.engine()
                .copy(List.of(here("dir")), there("/dir"), CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.DELETE))
                .run();
        assertThat(names(served.resolve("dir"))).contains(YOUNG).doesNotContain(RESUMABLE);
    }

    /** A host whose clock is wrong. */
    private static final class WrongRuntime extends SystemRuntime {
        private final Duration later;

        WrongRuntime(Duration later) {
            this.later = later;
        }

        @Override
        public Instant now() {
            return super.now().plus(later);
        }
    }

    private void sync(Runtime runtime) throws Exception {
        Files.createDirectories(local.resolve("dir"));
        try (TransferEngine engine = new TransferEngine(runtime)) {
            engine.copy(List.of(here("dir")), there("/dir"), CopyOptions.of(Flag.RECURSIVE, Flag.SYNC))
                    .run()
                    .orThrow();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, 1000})
    void shouldGoByTheClockOfTheServerAlone(long days) throws Exception {
        sync(new WrongRuntime(Duration.ofDays(days)));
        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder(YOUNG, RESUMABLE);
    }

    @Test
    void shouldAskForTheTimeOfTheServerWhereItHasWrittenNothing() throws Exception {
        mount.age("dir", Duration.ofDays(30));
        sync(new SystemRuntime());
        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder(YOUNG, RESUMABLE);
    }

    @Test
    void shouldNotAskWhereAllIsYoung() throws Exception {
        mount.age("dir", Duration.ofDays(30));
        mount.age(OLD, Duration.ofMinutes(1));
        List<String> opened = new ArrayList<>();
        mount.hook((operation, path, position) -> {
            if (operation.equals("create") || operation.equals("open")) {
                opened.add(path);
            }
        });
        sync(new SystemRuntime());
        assertThat(opened).isEmpty();
        assertThat(names(served.resolve("dir"))).contains(OLD, YOUNG);
    }

    @Test
    void shouldRemoveThemFromDirectoriesOfThisHostToo() throws Exception {
        write(served.resolve("file"), 10);
        write(local.resolve("to/" + YOUNG), 100);
        get("/file", "to/file");
        assertThat(names(local.resolve("to"))).containsExactlyInAnyOrder("file", YOUNG);
    }

    @Test
    void shouldRemoveThemAfterACopyOfAStreamToo() throws Exception {
        host.engine()
                .copy(new ByteArrayInputStream(new byte[10]), there("/dir/stream"), CopyOptions.of())
                .run()
                .orThrow();
        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder("stream", YOUNG, RESUMABLE);
    }

    @Test
    void shouldKnowItsOwnNamesOnly() {
        assertThat(HiddenNames.isPassing(OLD)).isTrue();
        assertThat(HiddenNames.isPassing(HiddenNames.passing(-1))).isTrue();
        assertThat(HiddenNames.isPassing(RESUMABLE)).isFalse();
        assertThat(HiddenNames.isPassing("x" + OLD)).isFalse();
    }
}
