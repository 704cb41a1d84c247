package io.verbena.cli.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.internal.DirectoryMount;
import io.verbena.cli.internal.TestHost;
import io.verbena.nfs.MountState;
import io.verbena.nfs.NfsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CopyTest {
    private static final Instant MODIFIED = Instant.parse("2021-03-04T05:06:07Z");

    @TempDir
    Path served;

    @TempDir
    Path local;

    private TestHost host;
    private DirectoryMount mount;

    @BeforeEach
    void start() throws Exception {
        host = new TestHost(served);
        mount = host.mount("a");
    }

    @AfterEach
    void stop() {
        host.close();
    }

    private Summary put(String from, String to) throws Exception {
        return Copy.run(
                List.of(Location.local(local + "/" + from)), Location.remote("a:" + to, host.mounts()), true, false);
    }

    private Summary get(String from, String to) throws Exception {
        return Copy.run(
                List.of(Location.remote("a:" + from, host.mounts())), Location.local(local + "/" + to), true, false);
    }

    private static byte[] write(Path file, int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
        return content;
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1048575, 1048576, 1048577, 20_000_000})
    void shouldKeepContentModeAndTimeBothWays(int size) throws Exception {
        byte[] content = write(local.resolve("file"), size);

        Summary put = put("file", "/copy");
        Summary got = get("/copy", "back");

        for (Path copy : List.of(served.resolve("copy"), local.resolve("back"))) {
            assertThat(copy).hasBinaryContent(content);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                    .isEqualTo("rwxr-x--x");
            assertThat(Files.getLastModifiedTime(copy).toInstant()).isEqualTo(MODIFIED);
        }
        assertThat(put.files()).isEqualTo(1);
        assertThat(got.octets()).isEqualTo(size);
    }

    @Test
    void shouldKeepTheSecondOfATimeBefore1970() throws Exception {
        Path file = local.resolve("old");
        LocalTree.INSTANCE.setAttributes(
                Files.createFile(file).toString(), 0600, Instant.parse("1960-01-02T03:04:05.6Z"));
        assertThat(Files.getLastModifiedTime(file).toInstant()).isEqualTo(Instant.parse("1960-01-02T03:04:05Z"));
    }

    @Test
    void shouldKeepSeveralReadsInFlight() throws Exception {
        write(served.resolve("file"), 10 << 20);
        CountDownLatch severalAsked = new CountDownLatch(1);
        AtomicInteger inFlight = new AtomicInteger();
        Location source = Location.remote("a:/file", host.mounts());

        try (BlockSource file = source.read()) {
            BlockSource counting = new CountingSource(file, inFlight, severalAsked);
            mount.hook((operation, path, position) -> {
                if (operation.equals("read")) {
                    awaitOrFail(severalAsked);
                }
            });
            try (BlockSink sink = LocalTree.INSTANCE.write(local.resolve("back").toString(), true)) {
                new BlockPump(new BufferPool(), counting, sink, new BlockPump.Names("from", "to"), 0, false).run();
            }
        }

        assertThat(Files.mismatch(served.resolve("file"), local.resolve("back")))
                .isEqualTo(-1);
    }

    private static void awaitOrFail(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IOException("waited in vain");
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Test
    void shouldLeaveHolesAsHoles() throws Exception {
        long size = (64L << 20) + 1;
        try (RandomAccessFile file =
                new RandomAccessFile(local.resolve("sparse").toFile(), "rw")) {
            file.setLength(size);
            file.seek(30 << 20);
            file.write(1);
        }
        AtomicInteger writes = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write")) {
                writes.incrementAndGet();
            }
        });

        put("sparse", "/sparse");
        get("/sparse", "back");

        assertThat(writes).hasValue(1);
        assertThat(served.resolve("sparse")).hasSize(size);
        assertThat(Files.mismatch(local.resolve("sparse"), local.resolve("back")))
                .isEqualTo(-1);
    }

    @Test
    void shouldCopyTreesAsCpDoes() throws Exception {
        write(local.resolve("tree/deep/er/é ✓ file"), 10);
        write(local.resolve("tree/one"), 1);
        Files.createDirectories(local.resolve("tree/empty"));
        Files.createSymbolicLink(local.resolve("tree/link"), Path.of("deep/er/é ✓ file"));
        Files.createSymbolicLink(local.resolve("tree/dangling"), Path.of("nowhere"));
        Files.setPosixFilePermissions(local.resolve("tree/deep"), PosixFilePermissions.fromString("r-xr-x---"));
        Files.setLastModifiedTime(local.resolve("tree/deep"), FileTime.from(MODIFIED));

        assertThat(put("tree", "/new").files()).isEqualTo(4);
        put("tree", "/new");
        put("tree/.", "/new");
        get("/new", "back");

        assertThat(names(served.resolve("new"))).containsExactly("dangling", "deep", "empty", "link", "one", "tree");
        assertThat(names(served.resolve("new/tree"))).containsExactly("dangling", "deep", "empty", "link", "one");
        for (Path copy : List.of(served.resolve("new"), local.resolve("back"))) {
            assertThat(copy.resolve("deep/er/é ✓ file")).hasSize(10);
            assertThat(Files.readSymbolicLink(copy.resolve("link"))).hasToString("deep/er/é ✓ file");
            assertThat(Files.readSymbolicLink(copy.resolve("dangling"))).hasToString("nowhere");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy.resolve("deep"))))
                    .isEqualTo("r-xr-x---");
            assertThat(Files.getLastModifiedTime(copy.resolve("deep")).toInstant())
                    .isEqualTo(MODIFIED);
        }
    }

    @Test
    void shouldSayWhatItLeavesOut() throws Exception {
        write(local.resolve("dir/file"), 10);
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(local.resolve("dir/socket")));

            Summary put = put("dir", "/dir");

            assertThat(put.skipped()).containsExactly(local + "/dir/socket");
            assertThat(put.toString()).contains("left out 1 that is neither file, directory nor link: " + local);
            assertThat(names(served.resolve("dir"))).containsExactly("file");
        }
    }

    @Test
    void shouldRefuseTwoSourcesOfOneName() throws Exception {
        write(local.resolve("a/file"), 10);
        write(local.resolve("b/file"), 20);
        Files.createDirectories(served.resolve("into"));

        assertThatThrownBy(() -> Copy.run(
                        List.of(Location.local(local + "/a/file"), Location.local(local + "/b/file")),
                        Location.remote("a:/into", host.mounts()),
                        false,
                        false))
                .hasMessageContaining("b/file: another source has that name too");
        assertThat(names(served.resolve("into"))).isEmpty();
    }

    @Test
    void shouldCopyAWholeMount() throws Exception {
        write(served.resolve("x"), 5);

        get("/", "all");

        assertThat(local.resolve("all/x")).hasSize(5);
    }

    @Test
    void shouldReplaceAFileOnlyWhenTheNewOneIsWhole() throws Exception {
        write(served.resolve("file"), 5 << 20);
        Files.writeString(local.resolve("file"), "old");
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position >= 3 << 20) {
                throw new IOException("connection lost");
            }
        });

        assertThatThrownBy(() -> get("/file", "file"))
                .isInstanceOf(IOException.class)
                .hasMessage("a:/file: connection lost");

        assertThat(local.resolve("file")).hasContent("old");
        assertThat(names(local)).containsExactly("file");
    }

    @Test
    void shouldRemoveAHalfWrittenRemoteFile() throws Exception {
        write(local.resolve("file"), 5 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 3 << 20) {
                throw new NfsException(path, "NFS4ERR_NOSPC", "no space left on the server");
            }
        });

        assertThatThrownBy(() -> put("file", "/file")).hasMessage("a:/file: no space left on the server");

        assertThat(served).isEmptyDirectory();
    }

    @Test
    void shouldNoticeAFileThatGetsShorter() throws Exception {
        write(served.resolve("file"), 5 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position == 0) {
                Files.write(served.resolve("file"), new byte[10]);
            }
        });

        assertThatThrownBy(() -> get("/file", "file")).hasMessageContaining("a:/file: became shorter");
        assertThat(local).isEmptyDirectory();
    }

    @Test
    void shouldStopATreeAtTheFirstFailureAndNameItsFile() throws Exception {
        for (int i = 0; i < 100; i++) {
            write(served.resolve("tree/f" + i), 100);
        }
        mount.hook((operation, path, position) -> {
            if (operation.equals("open") && path.equals("/tree/f50")) {
                throw new IOException("no");
            }
        });

        assertThatThrownBy(() -> get("/tree", "tree")).hasMessage("a:/tree/f50: no");

        assertThat(names(local.resolve("tree"))).noneMatch(name -> name.contains(".part"));
        assertNoThreadIsLeft();
    }

    private static void assertNoThreadIsLeft() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("verbena-copy")) {
                // its work has ended, it is only a moment away from its own end
                thread.join(10_000);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    @Test
    void shouldStopAtAnInterruptAndLeaveNothing() throws Exception {
        write(served.resolve("file"), 20 << 20);
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        mount.hook((operation, path, position) -> {
            if (operation.equals("read") && position >= 5 << 20) {
                reading.countDown();
                awaitOrFail(never);
            }
        });
        FutureTask<Summary> copy = new FutureTask<>(() -> get("/file", "file"));
        Thread thread = new Thread(copy);
        thread.start();
        assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();

        thread.interrupt();
        never.countDown();

        assertThatThrownBy(() -> copy.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(local).isEmptyDirectory();
        assertNoThreadIsLeft();
    }

    /** Whether the operation would wait for the server. */
    private static boolean isWait(String operation) {
        boolean isInterrupted = Thread.currentThread().isInterrupted();
        return (operation.equals("close") && !isInterrupted) || operation.equals("remove");
    }

    @Test
    void shouldStopAtAnInterruptWithoutWaitingForAServerThatHasGone() throws Exception {
        write(local.resolve("file"), 20 << 20);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position >= 5 << 20) {
                mount.state(MountState.RECOVERING);
                writing.countDown();
                awaitOrFail(never);
            } else if (isWait(operation)) {
                asked.incrementAndGet();
            }
        });
        FutureTask<Summary> copy = new FutureTask<>(() -> put("file", "/file"));
        Thread thread = new Thread(copy);
        thread.start();
        assertThat(writing.await(20, TimeUnit.SECONDS)).isTrue();

        thread.interrupt();

        assertThatThrownBy(() -> copy.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        never.countDown();
        assertThat(asked).hasValue(0);
        assertNoThreadIsLeft();
    }

    @Test
    void shouldNotGoOnWhereTheMountWasUnmounted() throws Exception {
        write(local.resolve("file"), 10 << 20);
        mount.hook((operation, path, position) -> {
            if (operation.equals("write") && position == 7 << 20) {
                mount.state(MountState.UNMOUNTED);
                unmount();
                throw new IOException("the mount was unmounted");
            }
        });

        assertThatThrownBy(() -> put("file", "/file")).hasMessage("a:/file: the mount was unmounted");
    }

    private void unmount() throws IOException {
        try {
            host.mounts().unmount("a");
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Test
    void shouldRefuseNamesThatLeadElsewhere() throws Exception {
        Files.createDirectory(served.resolve("evil"));
        mount.lie("evil", "../escaped");

        assertThatThrownBy(() -> get("/evil", "evil"))
                .hasMessage("a:/evil: the server lists a name that no file can have");
        assertThat(local.resolve("escaped")).doesNotExist();
    }

    @Test
    void shouldWriteThroughALinkButNotThroughOnesWithinATree() throws Exception {
        write(served.resolve("tree/x"), 3);
        write(served.resolve("y"), 4);
        Files.createDirectories(local.resolve("into/tree"));
        Files.writeString(local.resolve("precious"), "precious");
        Files.createSymbolicLink(local.resolve("into/tree/x"), Path.of("../../precious"));
        Files.createSymbolicLink(local.resolve("to-y"), Path.of("real-y"));
        Files.writeString(local.resolve("real-y"), "old");

        get("/tree", "into");
        get("/y", "to-y");

        assertThat(local.resolve("precious")).hasContent("precious");
        assertThat(local.resolve("into/tree/x")).hasSize(3);
        assertThat(local.resolve("to-y")).isSymbolicLink();
        assertThat(local.resolve("real-y")).hasSize(4);
    }

    @Test
    void shouldRefuseWhatCpRefuses() throws Exception {
        write(served.resolve("file"), 3);
        write(served.resolve("tree/x"), 3);
        write(local.resolve("plain"), 3);
        Files.createDirectories(local.resolve("dir/file"));
        List<Location> two = new ArrayList<>();
        two.add(Location.remote("a:/file", host.mounts()));
        two.add(Location.remote("a:/tree", host.mounts()));

        assertThatThrownBy(() -> get("/none", "x")).hasMessage("a:/none: no such file or directory");
        assertThatThrownBy(() -> get("/file", "dir"))
                .hasMessageContaining("is a directory, which a:/file cannot replace");
        assertThatThrownBy(() -> get("/tree", "plain")).hasMessageContaining("is no directory");
        assertThatThrownBy(() -> get("/file", "nodir/")).hasMessageContaining("no such directory");
        assertThatThrownBy(() -> get("/file", "nodir/x")).hasMessageContaining("no such file or directory");
        assertThatThrownBy(() -> Copy.run(two, Location.local(local + "/plain"), true, false))
                .hasMessageContaining("several sources need");
        assertThatThrownBy(() -> Copy.run(two, Location.local(local + "/dir"), false, false))
                .hasMessageContaining("a:/tree: is a directory; -r copies it");
    }

    @Test
    void shouldReplaceAReadOnlyFileOnlyByForce() throws Exception {
        write(local.resolve("file"), 3);
        Files.writeString(served.resolve("file"), "old");
        Files.setPosixFilePermissions(served.resolve("file"), PosixFilePermissions.fromString("r--r--r--"));
        List<Location> sources = List.of(Location.local(local + "/file"));
        Location target = Location.remote("a:/", host.mounts());

        assertThatThrownBy(() -> Copy.run(sources, target, false, false))
                .hasMessageContaining("a:/file: permission denied");
        Copy.run(sources, target, false, true);

        assertThat(served.resolve("file")).hasSize(3);
    }

    @Test
    void shouldCopyIntoItsOwnSourceAndEnd() throws Exception {
        write(served.resolve("sub/x"), 3);
        Location source = Location.local(served.toString());

        Copy.run(List.of(source), Location.remote("a:/sub", host.mounts()), true, false);

        assertThat(served.resolve("sub").resolve(served.getFileName()).resolve("sub/x"))
                .hasSize(3);
    }
}
