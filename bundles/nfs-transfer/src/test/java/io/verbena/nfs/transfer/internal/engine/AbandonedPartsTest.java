package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
    void shouldLeaveThatOfACopyUnderWayWhereASynchronisationRemovesWhatIsTooMuch() throws Exception {
        Files.createDirectories(local.resolve("dir"));
        host.engine()
                .copy(List.of(here("dir")), there("/dir"), CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.DELETE))
                .run();
        assertThat(names(served.resolve("dir"))).contains(YOUNG).doesNotContain(RESUMABLE);
    }

    @Test
    void shouldRemoveAfterADayWhereOnlyThisHostsClockTells() throws Exception {
        mount.age(OLD, Duration.ofHours(25));
        Files.createDirectories(local.resolve("dir"));
        host.engine()
                .copy(List.of(here("dir")), there("/dir"), CopyOptions.of(Flag.RECURSIVE, Flag.SYNC))
                .run();
        assertThat(names(served.resolve("dir"))).containsExactlyInAnyOrder(YOUNG, RESUMABLE);
    }

    @Test
    void shouldKnowItsOwnNamesOnly() {
        assertThat(HiddenNames.isPassing(OLD)).isTrue();
        assertThat(HiddenNames.isPassing(HiddenNames.passing(-1))).isTrue();
        assertThat(HiddenNames.isPassing(RESUMABLE)).isFalse();
        assertThat(HiddenNames.isPassing("x" + OLD)).isFalse();
    }
}
