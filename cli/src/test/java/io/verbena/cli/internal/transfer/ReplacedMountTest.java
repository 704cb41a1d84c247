package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.DirectoryMount;
import io.verbena.cli.internal.TestHost;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
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
    private static final Instant MODIFIED = Instant.parse("2021-03-04T05:06:07Z");
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    enum Direction {
        PUT,
        GET,
        COPY
    }

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

    /** A transfer of a tree of every kind of file, into one where some are there already. */
    private final class Transfer implements AutoCloseable {
        final Path from;
        final Path to;
        final Path served;
        final TestHost host;
        int swapTimeout = 60;
        String what = ".";
        int jobs = 4;
        private final Direction direction;

        Transfer(String name, Direction direction) throws Exception {
            this.direction = direction;
            Path top = Files.createDirectory(folder.resolve(name));
            Path local = Files.createDirectory(top.resolve("local"));
            served = Files.createDirectory(top.resolve("served"));
            from = (direction == Direction.PUT ? local : served).resolve("from");
            to = (direction == Direction.GET ? local : served).resolve("to");
            host = new TestHost(served);
            make(from.resolve("deep/big"), 2 * MIB + 5);
            make(from.resolve("deep/small"), 7);
            make(from.resolve("empty"), 0);
            Files.createSymbolicLink(from.resolve("link"), Path.of("deep/small"));
            Files.createSymbolicLink(from.resolve("deep/other"), Path.of("small"));
            Files.setLastModifiedTime(from.resolve("deep"), FileTime.from(MODIFIED));
            make(to.resolve("empty"), 1);
            Files.createSymbolicLink(to.resolve("link"), Path.of("elsewhere"));
        }

        private void make(Path file, int size) throws IOException {
            byte[] content = new byte[size];
            new Random(size).nextBytes(content);
            Files.createDirectories(file.getParent());
            Files.write(file, content);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-x--x"));
            Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
        }

        Summary run(DirectoryMount.Hook hook) throws Exception {
            for (String name : List.of("a", "b")) {
                host.mount(name, "swapTimeout=" + swapTimeout).hook(hook);
            }
            host.hook(hook);
            Location source = direction == Direction.PUT
                    ? Location.local(from + "/" + what)
                    : Location.remote("a:/from/" + what, host.mounts());
            Location target = direction == Direction.GET
                    ? Location.local(to.toString())
                    : Location.remote("b:/to", host.mounts());
            return Copy.run(
                    List.of(source),
                    target,
                    CopyOptions.of(CopyOptions.Flag.RECURSIVE).withJobs(jobs));
        }

        @Override
        public void close() {
            host.close();
        }
    }

    /** Every file below, with all that a copy keeps of it. */
    private static Map<String, String> look(Path top) throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(top)) {
            for (Path file : files.filter(each -> !each.equals(top)).toList()) {
                found.put(top.relativize(file).toString(), describe(file));
            }
        }
        return found;
    }

    private static String describe(Path file) throws IOException {
        if (Files.isSymbolicLink(file)) {
            return "to " + Files.readSymbolicLink(file);
        }
        String attributes = Files.getLastModifiedTime(file) + " "
                + PosixFilePermissions.toString(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
        return Files.isDirectory(file) ? "directory " + attributes : attributes + " " + digest(file);
    }

    private static String digest(Path file) throws IOException {
        return Files.size(file) + "/" + Arrays.hashCode(Files.readAllBytes(file));
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
            try (Transfer transfer = new Transfer(direction + "-" + call, direction)) {
                Map<String, String> expected = look(transfer.from);
                Replacer replacer = new Replacer(transfer.host, moment, call, Integer.MAX_VALUE);

                Summary summary = transfer.run(replacer);

                more = replacer.replacements.get() > 0;
                String at = "replaced at call " + call;
                assertThat(look(transfer.to)).as(at).isEqualTo(expected);
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
        try (Transfer transfer = new Transfer(direction + "-often", direction)) {
            transfer.make(transfer.from.resolve("deep/huge"), 120 * MIB);
            transfer.what = "deep/huge";
            Replacer replacer = new Replacer(transfer.host, Moment.UNDECIDED_BEFORE, calls, calls);

            Summary summary = transfer.run(replacer);

            assertThat(describe(transfer.to.resolve("huge"))).isEqualTo(describe(transfer.from.resolve("deep/huge")));
            assertThat(look(transfer.to)).containsOnlyKeys("empty", "huge", "link");
            assertThat(replacer.changes).doesNotHaveDuplicates();
            assertThat(summary.replacements()).isGreaterThan(10);
            assertThat(summary.toString())
                    .endsWith("; taken up again " + summary.replacements() + " times, as the mount was replaced");
        }
    }

    @Test
    void shouldEndWhereEveryCallFindsTheMountReplaced() throws Exception {
        try (Transfer transfer = new Transfer("never", Direction.PUT)) {
            assertThatThrownBy(() -> transfer.run(new Replacer(transfer.host, Moment.BEFORE, 3, 1)))
                    .hasMessageContaining("mount 'b' is replaced over and over");
        }
    }

    /** A file on one mount that is read from or written to, with a mount that is replaced at one block. */
    private long blocksMovedAgain(Direction direction, int megabytes, int block) throws Exception {
        try (Transfer transfer = new Transfer("blocks", direction)) {
            transfer.make(transfer.from.resolve("deep/huge"), megabytes * MIB);
            transfer.jobs = 1;
            Map<String, String> expected = look(transfer.from);
            AtomicInteger again = new AtomicInteger();
            String operation = direction == Direction.GET ? "read" : "write";
            String mount = direction == Direction.GET ? "a" : "b";

            transfer.run((each, path, position) -> {
                if (each.equals(operation) && position == (long) block * MIB) {
                    transfer.host.hook((other, otherPath, otherPosition) -> {
                        if (other.equals(operation) && otherPosition >= 3L * MIB) {
                            again.incrementAndGet();
                        }
                    });
                    transfer.host.replace(mount);
                    throw new MountReplacedException(mount, true);
                }
            });

            assertThat(look(transfer.to)).isEqualTo(expected);
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
        try (Transfer transfer = new Transfer("gone", Direction.PUT)) {
            transfer.swapTimeout = 1;
            assertThatThrownBy(() -> transfer.run(goneAtTheFirstWrite(transfer, () -> {})))
                    .hasMessageMatching("b:/to/\\S+: mount 'b' has not come within 1 s: is the bundle"
                            + " io.verbena.nfs41.client started\\?");
        }
    }

    @Test
    void shouldNotWaitForAMountThatWasUnmountedSince() throws Exception {
        try (Transfer transfer = new Transfer("unmounted", Direction.PUT)) {
            assertThatThrownBy(() -> transfer.run(goneAtTheFirstWrite(transfer, () -> transfer.host.forget("b"))))
                    .hasMessageEndingWith("mount 'b' has been unmounted");
        }
    }

    private static DirectoryMount.Hook goneAtTheFirstWrite(Transfer transfer, Runnable then) {
        AtomicInteger writes = new AtomicInteger();
        return (operation, path, position) -> {
            if (operation.equals("write") && writes.getAndIncrement() == 0) {
                transfer.host.takeAway("b");
                then.run();
                throw new MountReplacedException("b", false);
            }
        };
    }

    /** What happens to a transfer's files while the mount is replaced at one of its calls. */
    @FunctionalInterface
    private interface Gap {
        void happen(Transfer transfer) throws Exception;
    }

    /** Replaces a mount at the first call that is the operation at that position, and has something happen meanwhile. */
    private static DirectoryMount.Hook replacedAt(
            Transfer transfer, String operation, long position, boolean isUndecided, Gap gap) {
        AtomicInteger times = new AtomicInteger();
        return (each, path, at) -> {
            if (each.equals(operation) && at == position && times.getAndIncrement() == 0) {
                String mount = path.startsWith("/to") ? "b" : "a";
                transfer.host.takeAway(mount);
                try {
                    gap.happen(transfer);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                transfer.host.comeBack(mount);
                throw new MountReplacedException(mount, isUndecided);
            }
        };
    }

    private static final String CHANGED = "was changed or replaced while it was copied; copy it again";

    private static Path part(Transfer transfer) throws IOException {
        try (Stream<Path> files = Files.list(transfer.to)) {
            return files.filter(file -> file.toString().endsWith(".part"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void assertNothingIsHalfDone(Transfer transfer) throws IOException {
        assertThat(look(transfer.to)).containsOnlyKeys("empty", "link");
    }

    @ParameterizedTest
    @CsvSource({"RENAMED", "REWRITTEN", "GROWN", "OTHER_SERVER"})
    void shouldNotMixTwoFilesThatHaveHadTheName(String what) throws Exception {
        try (Transfer transfer = new Transfer("mixed", Direction.GET)) {
            transfer.what = "deep/big";
            Path big = transfer.from.resolve("deep/big");

            assertThatThrownBy(() -> transfer.run(replacedAt(transfer, "read", MIB, false, each -> {
                        switch (what) {
                            case "RENAMED" -> {
                                Path other = transfer.from.resolve("deep/new");
                                transfer.make(other, 2 * MIB + 5);
                                Files.move(other, big, StandardCopyOption.REPLACE_EXISTING);
                            }
                            case "REWRITTEN" -> {
                                Object before = Files.getAttribute(big, "unix:ctime");
                                do {
                                    transfer.make(big, 2 * MIB + 5); // its size and time are as before
                                } while (Files.getAttribute(big, "unix:ctime").equals(before));
                            }
                            case "GROWN" -> Files.write(big, new byte[1], StandardOpenOption.APPEND);
                            default -> {
                                Path other = transfer.served.resolveSibling("other");
                                transfer.host.serve(other);
                                Files.createDirectories(other.resolve("from/deep"));
                                Files.copy(big, other.resolve("from/deep/big"), StandardCopyOption.COPY_ATTRIBUTES);
                            }
                        }
                    })))
                    .hasMessage("a:/from/deep/big: " + CHANGED);

            assertNothingIsHalfDone(transfer);
        }
    }

    @Test
    void shouldCopyTheOthersWhereOneWasReplaced() throws Exception {
        try (Transfer transfer = new Transfer("partial", Direction.GET)) {
            transfer.jobs = 1;
            DirectoryMount.Hook hook = replacedAt(
                    transfer,
                    "read",
                    MIB,
                    false,
                    each -> Files.write(transfer.from.resolve("deep/big"), new byte[1], StandardOpenOption.APPEND));
            transfer.host.mount("a", "").hook(hook);

            Summary summary = new Copy(
                            List.of(Location.remote("a:/from/.", transfer.host.mounts())),
                            Location.local(transfer.to.toString()),
                            CopyOptions.of(CopyOptions.Flag.RECURSIVE))
                    .run();

            assertThat(summary.status()).isEqualTo(ExitStatus.PARTIAL);
            assertThat(summary.failed()).extracting(Failure::reason).containsExactly(CHANGED);
            assertThat(look(transfer.to)).containsOnlyKeys("empty", "link", "deep", "deep/small", "deep/other");
        }
    }

    @Test
    void shouldGoOnWhereTheFileWasOnlyRead() throws Exception {
        try (Transfer transfer = new Transfer("accessed", Direction.GET)) {
            transfer.what = "deep/big";
            transfer.run(replacedAt(transfer, "read", MIB, false, each -> {}));
            assertThat(describe(transfer.to.resolve("big"))).isEqualTo(describe(transfer.from.resolve("deep/big")));
        }
    }

    @ParameterizedTest
    @CsvSource({"server, other", "export, /other", "options, port=2050"})
    void shouldNotGoOnInAnotherPlace(String key, String value) throws Exception {
        try (Transfer transfer = new Transfer("elsewhere", Direction.GET)) {
            assertThatThrownBy(() -> transfer.run(
                            replacedAt(transfer, "open", 0, false, each -> each.host.configure("a", key, value))))
                    .hasMessageContaining("mount 'a' was server:/export (port 20049) and is ")
                    .hasMessageContaining(" now, where its files may be others");
        }
    }

    @Test
    void shouldGoOnWhereAnotherOptionOfTheMountWasChanged() throws Exception {
        try (Transfer transfer = new Transfer("options", Direction.GET)) {
            transfer.run(
                    replacedAt(transfer, "open", 0, false, each -> each.host.configure("a", "options", "rsize=65536")));
            assertThat(look(transfer.to)).isEqualTo(look(transfer.from));
        }
    }

    @ParameterizedTest
    @CsvSource({"write, 1048576", "setAttributes, 0"})
    void shouldNotWriteOnInAFileThatIsNotItsOwn(String operation, long position) throws Exception {
        try (Transfer transfer = new Transfer("foreign", Direction.PUT)) {
            transfer.what = "deep/big";
            assertThatThrownBy(() -> transfer.run(replacedAt(transfer, operation, position, true, each -> {
                        Path other = transfer.to.resolve("other");
                        transfer.make(other, 5);
                        Files.move(other, part(transfer), StandardCopyOption.REPLACE_EXISTING);
                    })))
                    .hasMessage("b:/to/big: its temporary file was replaced while it was copied; copy it again");

            assertThat(part(transfer)).as("somebody else's").hasSize(5);
            Files.delete(part(transfer));
            assertNothingIsHalfDone(transfer);
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldTakeARenameForDoneOnlyWhereItsFileHasTheName(boolean isOther) throws Exception {
        try (Transfer transfer = new Transfer("renamed", Direction.PUT)) {
            transfer.what = "deep/big";
            DirectoryMount.Hook hook = replacedAt(transfer, "rename", 0, true, each -> {
                Files.move(part(transfer), transfer.to.resolve(isOther ? "elsewhere" : "big"));
                if (isOther) {
                    transfer.make(transfer.to.resolve("big"), 5);
                }
            });
            if (isOther) {
                assertThatThrownBy(() -> transfer.run(hook)).hasMessage("b:/to/big: " + CHANGED);
                assertThat(transfer.to.resolve("big")).hasSize(5);
            } else {
                transfer.run(hook);
                assertThat(describe(transfer.to.resolve("big"))).isEqualTo(describe(transfer.from.resolve("deep/big")));
            }
        }
    }
}
