package io.verbena.nfs41.client.internal.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.UndecidedException;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KnownDirectoriesTest {
    private static final String DEEP = "/a".repeat(40);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private long lookupsOf(Action action) throws IOException {
        long before = server.executed(Opcode.LOOKUP);
        action.run();
        return server.executed(Opcode.LOOKUP) - before;
    }

    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    @Test
    void shouldBeginAtTheDirectoryWhereItIsKnown() throws IOException {
        try (NfsMount mount = server.mount("actimeo=3600")) {
            assertThat(lookupsOf(() -> mount.attributes(DEEP + "/x", true))).isEqualTo(41);
            assertThat(lookupsOf(() -> mount.attributes(DEEP + "/y", true))).isEqualTo(1);
            assertThat(lookupsOf(() -> mount.attributes(DEEP + "/y/z", true))).isEqualTo(2);
            assertThat(lookupsOf(() -> mount.remove(DEEP + "/y"))).isZero();
            assertThat(lookupsOf(() -> mount.attributes(DEEP, true))).isEqualTo(8);
        }
    }

    @Test
    void shouldWalkToADirectoryThatIsNotDeepEachTime() throws IOException {
        String path = "/a".repeat(KnownDirectories.DEEP - 1) + "/x";
        try (NfsMount mount = server.mount("actimeo=3600")) {
            for (int i = 0; i < 2; i++) {
                assertThat(lookupsOf(() -> mount.attributes(path, true))).isEqualTo(KnownDirectories.DEEP);
            }
        }
    }

    @Test
    void shouldWalkEachTimeWhereNothingIsToBeRemembered() throws IOException {
        try (NfsMount mount = server.mount("noac")) {
            for (int i = 0; i < 2; i++) {
                assertThat(lookupsOf(() -> mount.attributes(DEEP, true))).isEqualTo(40);
            }
        }
    }

    @Test
    void shouldAskOfEachDirectoryOfADeepTreeOnce() throws IOException {
        try (NfsMount mount = server.mount("actimeo=3600")) {
            StringBuilder path = new StringBuilder();
            long lookups = lookupsOf(() -> {
                for (int depth = 1; depth <= 200; depth++) {
                    mount.attributes(path.append("/d").toString(), true);
                }
            });
            int shallow = KnownDirectories.DEEP * (KnownDirectories.DEEP + 1) / 2;
            assertThat(lookups).isLessThanOrEqualTo(shallow + KnownDirectories.DEEP + 2 * 200);
        }
    }

    @Test
    void shouldNotWalkFromTheRootForEachDirectoryThatGoesBelowTheNext() throws IOException {
        try (NfsMount mount = server.mount("actimeo=3600")) {
            String path = "/d".repeat(300);
            long lookups = lookupsOf(() -> {
                for (int depth = 300; depth > 0; depth--) {
                    mount.remove(path.substring(0, 2 * depth));
                }
            });
            assertThat(lookups).isLessThan(300 * 300 / 2 / 8);
        }
    }

    @Test
    void shouldWalkFromTheRootAfterARenameOfItsOwn() throws IOException {
        try (NfsMount mount = server.mount("actimeo=3600")) {
            mount.attributes(DEEP, true);
            mount.rename("/a", "/b");
            assertThat(lookupsOf(() -> mount.attributes(DEEP, true))).isEqualTo(40);
        }
    }

    @Test
    void shouldWalkFromTheRootWhereTheKnownDirectoryIsGone() throws IOException {
        server.handles.put("known", FileHandle.of((byte) 7));
        try (NfsMount mount = server.mount("actimeo=3600")) {
            String path = "/a".repeat(39) + "/known/x";
            mount.attributes(path, true);
            long roots = server.executed(Opcode.PUTROOTFH);
            server.failNext(Opcode.PUTFH, Status.NFS4ERR_STALE);
            assertThat(lookupsOf(() -> mount.attributes(path, true))).isEqualTo(41);
            assertThat(server.executed(Opcode.PUTROOTFH)).isEqualTo(roots);
        }
    }

    @Test
    void shouldBelieveThatNothingIsThereOnlyOnTheWayFromTheRoot() throws IOException {
        try (NfsMount mount = server.mount("actimeo=3600")) {
            mount.attributes(DEEP, true);
            server.failNext(Opcode.LOOKUP, Status.NFS4ERR_NOENT);
            assertThat(lookupsOf(() -> mount.attributes(DEEP, true))).isEqualTo(41);
            server.failNext(Opcode.LOOKUP, Status.NFS4ERR_NOENT, Status.NFS4ERR_NOENT);
            assertThatThrownBy(() -> mount.attributes(DEEP, true)).isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void shouldNotTakeItsOwnRemovalForAnothersWhereTheSecondWayIsAnother() throws IOException {
        try (NfsMount mount = server.mount("actimeo=3600")) {
            mount.attributes(DEEP, true);
            AtomicInteger requests = new AtomicInteger();
            server.failNext(Opcode.PUTFH, Status.NFS4_OK, Status.NFS4_OK, Status.NFS4ERR_STALE);
            server.failNext(Opcode.REMOVE, Status.NFS4_OK, Status.NFS4ERR_NOENT);
            server.loseNextReply(new TransportLostException("gone", null));
            server.onRequest = () -> {
                if (requests.incrementAndGet() == 2) {
                    server.restart();
                }
            };
            assertThatThrownBy(() -> mount.remove(DEEP)).isInstanceOf(UndecidedException.class);
            assertThat(server.named).containsExactly("remove a");
        }
    }

    @Test
    void shouldForgetAHandleWithItsTime() {
        AtomicLong clock = new AtomicLong(5);
        KnownDirectories known = new KnownDirectories(clock::get, 10);
        List<String> steps = List.of("a", "b");
        known.found(steps, FakeServer.HANDLE, known.now());
        clock.addAndGet(9);
        assertThat(known.above(List.of("a", "b", "c")).depth()).isEqualTo(2);
        assertThat(known.above(List.of("a", "bc"))).isNull();
        assertThat(known.above(List.of("a", "c", "b"))).isNull();
        clock.addAndGet(1);
        assertThat(known.above(steps)).isNull();
    }

    @Test
    void shouldNotKeepWhatItAskedForBeforeARename() {
        KnownDirectories known = new KnownDirectories(() -> 0, 10);
        KnownDirectories.Moment asked = known.now();
        known.renamed();
        known.found(List.of("a"), FakeServer.HANDLE, asked);
        assertThat(known.above(List.of("a", "b"))).isNull();
    }

    @Test
    void shouldKeepFewDirectoriesAndNoEndlessPath() {
        KnownDirectories known = new KnownDirectories(() -> 0, 10);
        for (int i = 0; i < 1000; i++) {
            known.found(List.of("d" + i), FakeServer.HANDLE, known.now());
        }
        assertThat(known.above(List.of("d999", "x"))).isNotNull();
        assertThat(known.above(List.of("d500", "x"))).isNull();
        String huge = "x".repeat(1 << 20);
        known.found(List.of(huge), FakeServer.HANDLE, known.now());
        assertThat(known.above(List.of(huge, "x"))).isNull();
        assertThat(known.above(List.of("d999"))).isNotNull();
        String half = "x".repeat((1 << 18) - 2);
        known.found(List.of(half), FakeServer.HANDLE, known.now());
        known.found(List.of(half, "y"), FakeServer.HANDLE, known.now());
        assertThat(known.above(List.of("d999"))).isNull();
        assertThat(known.above(List.of(half)).depth()).isEqualTo(1);
        known.found(List.of(half, "z"), FakeServer.HANDLE, known.now());
        assertThat(known.above(List.of(half))).isNull();
    }

    /** A directory is never taken for another by the hash of its path. */
    @Test
    void shouldTellPathsOfOneHashApart() {
        KnownDirectories known = new KnownDirectories(() -> 0, 10);
        known.found(List.of("Aa"), FakeServer.HANDLE, known.now());
        assertThat(known.above(List.of("BB", "x"))).isNull();
        known.found(List.of("BB"), FakeServer.HANDLE, known.now());
        assertThat(known.above(List.of("BB", "x")).path()).isEqualTo("BB");
        assertThat(known.above(List.of("Aa", "x"))).isNull();
    }

    @Test
    void shouldForgetWhatIsBelowADirectoryThatIsGone() {
        KnownDirectories known = new KnownDirectories(() -> 0, 10);
        for (List<String> steps : List.of(List.of("a"), List.of("a", "b"), List.of("ab"))) {
            known.found(steps, FakeServer.HANDLE, known.now());
        }
        known.forget(known.above(List.of("a")));
        assertThat(known.above(List.of("a", "b", "c"))).isNull();
        assertThat(known.above(List.of("ab"))).isNotNull();
    }
}
