package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.internal.DirectoryMount;
import io.verbena.cli.internal.TestHost;
import io.verbena.cli.internal.transfer.TreeTransfer.Direction;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
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

/** Transfers while the client's bundle goes and comes. */
@Timeout(120)
class ReplacedMountTest {
    @TempDir
    Path folder;

    /** When a mount is replaced, seen from one of its operations. */
    enum Moment {
        /** It was not sent. */
        BEFORE,
        /** It was sent, and did not get there. */
        UNDECIDED_BEFORE,
        /** It was done, but its answer did not come back. */
        UNDECIDED_AFTER
    }

    /** Replaces a mount at some of the calls, and keeps what was changed. */
    private static final class Replacer implements DirectoryMount.Hook {
        final Queue<String> changes = new ConcurrentLinkedQueue<>();
        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger replacements = new AtomicInteger();
        private final TestHost host;
        private final Moment moment;
        private final int first;
        private final int interval;

        Replacer(TestHost host, Moment moment, int first, int interval) {
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

    /** A get changes nothing on a mount, so that it does not matter there whether a call was done. */
    @ParameterizedTest
    @MethodSource("directionsAndMoments")
    void shouldEndAlikeWhereverTheMountIsReplaced(Direction direction, Moment moment) throws Exception {
        boolean more = true;
        int call = 1;
        for (; more; call++) {
            try (TreeTransfer transfer = new TreeTransfer(folder, direction + "-" + call, direction)) {
                Map<String, String> expected = TreeTransfer.look(transfer.from);
                Replacer replacer = new Replacer(transfer.host, moment, call, Integer.MAX_VALUE);

                Summary summary = transfer.run(replacer);

                more = replacer.replacements.get() > 0;
                String at = "replaced at call " + call;
                assertThat(TreeTransfer.look(transfer.to)).as(at).isEqualTo(expected);
                assertThat(replacer.changes).as(at).doesNotHaveDuplicates();
                assertThat(summary.files()).isEqualTo(5);
                assertThat(summary.replacements()).as(at).isEqualTo(more ? 1 : 0);
            }
        }
        assertThat(call).as("calls of a transfer").isGreaterThan(20);
    }

    /** So many calls that several in flight leave room for at least one block to be brought to safety. */
    @ParameterizedTest
    @CsvSource({"PUT, 12", "GET, 11", "COPY, 22"})
    void shouldGoOnHoweverOftenTheMountIsReplacedAsLongAsItGetsFurther(Direction direction, int calls)
            throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, direction + "-often", direction)) {
            TreeTransfer.make(transfer.from.resolve("deep/huge"), 120 * TreeTransfer.MIB);
            transfer.what = "deep/huge";
            Replacer replacer = new Replacer(transfer.host, Moment.UNDECIDED_BEFORE, calls, calls);

            Summary summary = transfer.run(replacer);

            assertThat(TreeTransfer.describe(transfer.to.resolve("huge")))
                    .isEqualTo(TreeTransfer.describe(transfer.from.resolve("deep/huge")));
            assertThat(TreeTransfer.look(transfer.to)).containsOnlyKeys("empty", "huge", "link");
            assertThat(replacer.changes).doesNotHaveDuplicates();
            assertThat(summary.replacements()).isGreaterThan(10);
            assertThat(summary.toString())
                    .endsWith("; taken up again " + summary.replacements() + " times, as the mount was replaced");
        }
    }

    @Test
    void shouldEndWhereEveryCallFindsTheMountReplaced() throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "never", Direction.PUT)) {
            assertThatThrownBy(() -> transfer.run(new Replacer(transfer.host, Moment.BEFORE, 3, 1)))
                    .hasMessageContaining("mount 'b' is replaced over and over");
        }
    }

    /** A file on one mount that is read from or written to, with a mount that is replaced at one block. */
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
        // the first 64 blocks were, when the next were written
        assertThat(blocksMovedAgain(Direction.PUT, 80, 70)).isEqualTo(80 - 64);
    }

    @Test
    void shouldSayWhatToDoWhenTheMountDoesNotComeBack() throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "gone", Direction.PUT)) {
            transfer.swapTimeout = 1;
            assertThatThrownBy(() -> transfer.run(goneAtTheFirstWrite(transfer, () -> {})))
                    .hasMessageMatching("b:/to/\\S+: mount 'b' has not come within 1 s: is the bundle"
                            + " io.verbena.nfs41.client started\\?");
        }
    }

    @Test
    void shouldNotWaitForAMountThatWasUnmountedSince() throws Exception {
        try (TreeTransfer transfer = new TreeTransfer(folder, "unmounted", Direction.PUT)) {
            assertThatThrownBy(() -> transfer.run(goneAtTheFirstWrite(transfer, () -> transfer.host.forget("b"))))
                    .hasMessageEndingWith("mount 'b' has been unmounted");
        }
    }

    private static DirectoryMount.Hook goneAtTheFirstWrite(TreeTransfer transfer, Runnable then) {
        AtomicInteger writes = new AtomicInteger();
        return (operation, path, position) -> {
            if (operation.equals("write") && writes.getAndIncrement() == 0) {
                transfer.host.takeAway("b");
                then.run();
                throw new MountReplacedException("b", false);
            }
        };
    }
}
