package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import io.verbena.nfs.transfer.internal.engine.TreeTransfer.Direction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests transfers while the client's bundle is removed and added again. */
@Timeout(120)
class ReplacedMountTest {
    @TempDir
    Path folder;

    /** The state of an operation at the moment when its mount is replaced. */
    enum Moment {
        /** The request was not sent. */
        BEFORE,
        /** The request was sent, but did not reach the server. */
        UNDECIDED_BEFORE,
        /** The server carried out the request, but its reply was lost. */
        UNDECIDED_AFTER
    }

    /** Replaces a mount at some of the calls, and records the changes. */
    private static final class Replacer implements DirectoryMount.Hook {
        final Queue<String> changes = new ConcurrentLinkedQueue<>();
        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger replacements = new AtomicInteger();
        private final MountHost host;
        private final Moment moment;
        private final int first;
        private final int interval;

        Replacer(MountHost host, Moment moment, int first, int interval) {
            this.host = host;
            this.moment = moment;
            this.first = first;
            this.interval = interval;
        }

        @Override
        public void before(String operation, String path, long position) throws IOException {
            if (moment != Moment.UNDECIDED_AFTER) {
                count(path);
            }
        }

        @Override
        public void after(String operation, String path) throws IOException {
            if (List.of("create", "createDirectory", "createSymbolicLink", "remove", "rename")
                    .contains(operation)) {
                changes.add(operation + " " + path);
            }
            if (moment == Moment.UNDECIDED_AFTER) {
                count(path);
            }
        }

        private synchronized void count(String path) throws IOException {
            int call = calls.incrementAndGet();
            if (call >= first && (call - first) % interval == 0) {
                replacements.incrementAndGet();
                String mount = path.startsWith("/to") ? "b" : "a";
                host.replace(mount);
                throw new MountReplacedException(mount, moment != Moment.BEFORE);
            }
        }
    }

    static Stream<Object[]> directionsAndMoments() {
        return Arrays.stream(Direction.values()).flatMap(direction -> Arrays.stream(Moment.values())
                .filter(moment -> direction != Direction.GET || moment == Moment.BEFORE)
                .map(moment -> new Object[] {direction, moment}));
    }

    /** A get changes nothing on a mount, so it makes no difference there whether a call was carried out. */
    /**
     * Leaves out the creation of each file that was removed before it was created again: a copy does so with a small
     * file if the outcome of the first request is not known.
     */
    private static List<String> withoutTakenBack(Collection<String> changes) {
        List<String> left = new ArrayList<>();
        for (String change : changes) {
            boolean isTakenBack =
                    change.startsWith("remove ") && left.remove("create " + change.substring("remove ".length()));
            if (!isTakenBack) {
                left.add(change);
            }
        }
        return left;
    }

    @ParameterizedTest
    @MethodSource("directionsAndMoments")
    void shouldEndAlikeWhereverTheMountIsReplaced(Direction direction, Moment moment) throws Exception {
        boolean more = true;
        int call = 1;
        for (; more; call++) {
            try (TreeTransfer transfer = new TreeTransfer(folder, direction + "-" + call, direction)) {
                Map<String, String> expected = TreeTransfer.look(transfer.from);
                Replacer replacer = new Replacer(transfer.host, moment, call, Integer.MAX_VALUE);

                CopySummary summary = transfer.run(replacer);

                more = replacer.replacements.get() > 0;
                String at = "replaced at call " + call;
                assertThat(TreeTransfer.look(transfer.to)).as(at).isEqualTo(expected);
                assertThat(withoutTakenBack(replacer.changes)).as(at).doesNotHaveDuplicates();
                assertThat(summary.files()).isEqualTo(5);
                assertThat(summary.replacements()).as(at).isEqualTo(more ? 1 : 0);
            }
        }
        assertThat(call).as("calls of a transfer").isGreaterThan(20);
    }

    /**
     * The calls between two replacements are numerous enough for at least one block to reach stable storage, although
     * several calls are in flight.
     */
    @ParameterizedTest
    @CsvSource({"PUT, 12", "GET, 11", "COPY, 22"})
    void shouldGoOnHoweverOftenTheMountIsReplacedAsLongAsItGetsFurther(Direction direction, int calls)
            throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, direction + "-often", direction)) {
            TreeTransfer.make(transfer.from.resolve("deep/huge"), 120 * TreeTransfer.MIB);
            transfer.what = "deep/huge";
            Replacer replacer = new Replacer(transfer.host, Moment.UNDECIDED_BEFORE, calls, calls);

            CopySummary summary = transfer.run(replacer);

            assertThat(TreeTransfer.describe(transfer.to.resolve("huge")))
                    .isEqualTo(TreeTransfer.describe(transfer.from.resolve("deep/huge")));
            assertThat(TreeTransfer.look(transfer.to)).containsOnlyKeys("empty", "huge", "link");
            assertThat(replacer.changes).doesNotHaveDuplicates();
            assertThat(summary.replacements()).isGreaterThan(10);
        }
    }

    @Test
    void shouldEndWhereEveryCallFindsTheMountReplaced() throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "never", Direction.PUT)) {
            assertThatThrownBy(() -> transfer.run(new Replacer(transfer.host, Moment.BEFORE, 3, 1)))
                    .hasMessageContaining("mount 'b' is replaced over and over");
        }
    }

    /**
     * Copies one file, replaces the mount that the file is read from or written to at one block, and counts the blocks
     * that are moved again.
     */
    private long blocksMovedAgain(Direction direction, int megabytes, int block) throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "blocks", direction)) {
            TreeTransfer.make(transfer.from.resolve("deep/huge"), megabytes * TreeTransfer.MIB);
            transfer.jobs = 1;
            Map<String, String> expected = TreeTransfer.look(transfer.from);
            AtomicInteger again = new AtomicInteger();
            String operation = direction == Direction.GET ? "read" : "write";
            String mount = direction == Direction.GET ? "a" : "b";

            transfer.run((each, path, position) -> {
                if (each.equals(operation) && position == (long) block * TreeTransfer.MIB) {
                    transfer.host.hook((other, otherPath, otherPosition) -> {
                        if (other.equals(operation) && otherPosition >= 3L * TreeTransfer.MIB) {
                            again.incrementAndGet();
                        }
                    });
                    transfer.host.replace(mount);
                    throw new MountReplacedException(mount, true);
                }
            });

            assertThat(TreeTransfer.look(transfer.to)).isEqualTo(expected);
            return again.get();
        }
    }

    @Test
    void shouldGetOnFromTheFirstOctetThatWasNotRead() throws Exception {
        assertThat(blocksMovedAgain(Direction.GET, 80, 70)).isEqualTo(80 - 70);
    }

    @Test
    void shouldPutOnFromTheLastOctetThatIsOnStableStorage() throws Exception {
        // The first 64 blocks were on stable storage when the next blocks were written.
        assertThat(blocksMovedAgain(Direction.PUT, 80, 70)).isEqualTo(80 - 64);
    }
}
