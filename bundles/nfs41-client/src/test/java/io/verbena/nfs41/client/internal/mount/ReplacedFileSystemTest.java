package io.verbena.nfs41.client.internal.mount;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.NfsFileSystems;
import io.verbena.nfs.nio.internal.NfsFileSystemProvider;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs of java.nio do not notice that their mount is replaced under them, unless they hold a lock. */
@Timeout(60)
class ReplacedFileSystemTest {
    private static final Runtime RUNTIME = new SystemRuntime();

    @TempDir
    private Path exported;

    @TempDir
    private Path state;

    private final Stack stack = new Stack();
    private final NfsFileSystemProvider provider = new NfsFileSystemProvider();
    private NfsServer server;
    private RpcListener listener;
    private NfsMount mount;
    private FileSystem files;

    @BeforeEach
    void mount() throws IOException {
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(ExportSettings.of("test", exported).withSquash(nobody), state, new SystemRuntime());
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
        mount = next();
        files = provider.getFileSystem(URI.create("nfs+rdma:work"));
    }

    @AfterEach
    void end() throws IOException {
        files.close();
        mount.close();
        listener.close();
        server.close();
        stack.close();
    }

    private NfsMount next() throws IOException {
        NfsMount next = NfsMount.create(
                "work",
                "127.0.0.1",
                "/",
                "port=" + listener.localAddress().getPort(),
                stack.transport(),
                new DirectMemory(),
                RUNTIME);
        next.connect(Duration.ofSeconds(30));
        provider.addMount(next);
        return next;
    }

    private void replace() throws IOException {
        NfsMount gone = mount;
        mount = next();
        provider.removeMount(gone);
        gone.end(MountLifetime.End.REPLACED);
    }

    @Test
    void shouldLoseNothingOfWhatIsWrittenAcrossReplacements() throws IOException {
        byte[] content = new byte[3_000_000];
        new Random(1).nextBytes(content);
        try (SeekableByteChannel out = Files.newByteChannel(
                files.getPath("f"), Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW))) {
            for (int at = 0; at < content.length; at += 10_000) {
                if (at % 1_000_000 == 500_000) {
                    replace();
                }
                int unused = out.write(ByteBuffer.wrap(content, at, 10_000));
            }
            assertThat(out.size()).isEqualTo(content.length);
        }
        assertThat(exported.resolve("f")).hasBinaryContent(content);
    }

    @Test
    void shouldReadOnAndWriteAtPositions() throws IOException {
        Files.writeString(exported.resolve("f"), "0123456789");
        try (FileChannel channel =
                FileChannel.open(files.getPath("f"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.allocate(4);
            assertThat(channel.read(buffer)).isEqualTo(4);
            replace();
            assertThat(channel.read(buffer.clear())).isEqualTo(4);
            assertThat(new String(buffer.array(), US_ASCII)).isEqualTo("4567");
            replace();
            int unused = channel.write(ByteBuffer.wrap(new byte[] {'x'}), 9);
            replace();
            channel.force(false);
            channel.truncate(10);
        }
        assertThat(exported.resolve("f")).hasContent("012345678x");
    }

    @Test
    void shouldKeepEveryRecordOfWhoAppendsAcrossReplacements() throws Exception {
        Path log = files.getPath("log");
        AtomicInteger records = new AtomicInteger();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            SeekableByteChannel channel = FileChannel.open(log, APPEND, CREATE);
            writers.add(appendRecords(channel, writer, records));
        }
        for (int at = 200; at <= 600; at += 200) {
            await(records, at, writers);
            replace();
        }
        for (CompletableFuture<Void> writer : writers) {
            writer.get(50, TimeUnit.SECONDS);
        }
        assertRecords();
    }

    @Test
    void shouldKeepEveryRecordOfWhoAppendsByWhateverDoor() throws Exception {
        AtomicInteger records = new AtomicInteger();
        try (FileSystem other = NfsFileSystems.of(mount);
                RemoteFile file = mount.open("/log", Set.of(APPEND, CREATE), 0644)) {
            List<SeekableByteChannel> doors = List.of(
                    FileChannel.open(files.getPath("log"), APPEND),
                    Files.newByteChannel(other.getPath("log"), APPEND),
                    FileChannel.open(other.getPath("log"), APPEND),
                    file.channel());
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (SeekableByteChannel door : doors) {
                writers.add(appendRecords(door, writers.size(), records));
            }
            for (CompletableFuture<Void> writer : writers) {
                writer.get(50, TimeUnit.SECONDS);
            }
        }
        assertRecords();
    }

    /** 200 records of different lengths, and closes the channel. */
    private static CompletableFuture<Void> appendRecords(
            SeekableByteChannel channel, int writer, AtomicInteger records) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try (channel) {
                for (int i = 0; i < 200; i++) {
                    int unused = channel.write(ByteBuffer.wrap(record(writer, i).getBytes(US_ASCII)));
                    records.incrementAndGet();
                }
            } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
                return;
            }
            done.complete(null);
        });
        thread.start();
        return done;
    }

    private static String record(int writer, int i) {
        return writer + "-" + i + "-" + "x".repeat(i % 50) + "\n";
    }

    private static void await(AtomicInteger records, int count, List<CompletableFuture<Void>> writers) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (records.get() < count
                && writers.stream().noneMatch(CompletableFuture::isCompletedExceptionally)
                && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    private void assertRecords() throws IOException {
        List<String> expected = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            for (int i = 0; i < 200; i++) {
                expected.add(record(writer, i).stripTrailing());
            }
        }
        assertThat(Files.readAllLines(exported.resolve("log"))).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void shouldWriteInTheOrderOfTheCallsByWhateverDoor() throws Exception {
        try (FileSystem other = NfsFileSystems.of(mount);
                RemoteFile file = mount.open("/f", Set.of(READ, WRITE, CREATE), 0644);
                SeekableByteChannel behind = Files.newByteChannel(files.getPath("f"), WRITE);
                FileChannel through = FileChannel.open(other.getPath("f"), READ, WRITE);
                AsynchronousFileChannel asynchronous = AsynchronousFileChannel.open(files.getPath("f"), WRITE)) {
            ByteBuffer seen = ByteBuffer.allocate(5);
            for (int round = 0; round < 100; round++) {
                int unused = behind.position(0).write(bytes("aaaaa"));
                file.write(bytes("b"), 1);
                Future<Integer> later = asynchronous.write(bytes("cc"), 1);
                unused = through.write(bytes("d"), 2);
                unused = behind.position(4).write(bytes("e"));
                assertThat(file.attributes().size()).isEqualTo(5);
                assertThat(through.read(seen.clear(), 0)).isEqualTo(5);
                assertThat(new String(seen.array(), US_ASCII)).isEqualTo("acdae");
                assertThat(later.get(30, TimeUnit.SECONDS)).isEqualTo(2);
            }
        }
        assertThat(exported.resolve("f")).hasContent("acdae");
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }

    @Test
    void shouldGoOnWithAsynchronousRequests() throws Exception {
        try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(
                files.getPath("f"), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            assertThat(channel.write(ByteBuffer.wrap(new byte[10]), 0).get()).isEqualTo(10);
            replace();
            assertThat(channel.write(ByteBuffer.wrap(new byte[10]), 10).get()).isEqualTo(10);
            replace();
            assertThat(channel.read(ByteBuffer.allocate(30), 0).get()).isEqualTo(20);
        }
    }

    @Test
    void shouldFailWhereALockWasHeld() throws IOException {
        FileChannel channel = FileChannel.open(files.getPath("f"), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        FileLock lock = channel.lock();
        replace();
        assertThatThrownBy(() -> channel.write(ByteBuffer.wrap(new byte[1])))
                .isInstanceOf(MountReplacedException.class);
        assertThat(lock.isValid()).isFalse();
        assertThatThrownBy(channel::size).isInstanceOf(MountReplacedException.class);
        channel.close();
        try (FileChannel again = FileChannel.open(files.getPath("f"), StandardOpenOption.WRITE)) {
            assertThat(again.tryLock().isValid()).isTrue();
        }
    }

    @Test
    void shouldNotGoOnInAnotherFileOfTheSameName() throws IOException {
        Files.writeString(exported.resolve("f"), "one");
        Files.writeString(exported.resolve("g"), "two");
        try (FileChannel channel = FileChannel.open(files.getPath("f"), StandardOpenOption.READ)) {
            replace();
            Files.move(exported.resolve("g"), exported.resolve("f"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(3), 0)).isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void shouldListADirectoryOnce() throws IOException {
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            Files.createFile(exported.resolve("f" + i));
            names.add("f" + i);
        }
        Set<String> seen = new TreeSet<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(files.getPath("/"))) {
            Iterator<Path> entries = stream.iterator();
            seen.add(entries.next().getFileName().toString());
            replace();
            while (entries.hasNext()) {
                assertThat(seen.add(entries.next().getFileName().toString())).isTrue();
            }
        }
        assertThat(seen).isEqualTo(names);
    }

    @Test
    void shouldHaveAnotherMountMadeWhereTheFactoryGoes() throws IOException {
        MountFactoryComponent first = new MountFactoryComponent(new DirectMemory(), RUNTIME);
        first.setTransport(stack.transport());
        provider.addFactory(first);
        URI uri = URI.create("nfs+rdma://127.0.0.1:" + listener.localAddress().getPort() + "/");
        try (FileSystem own = provider.newFileSystem(uri, Map.of());
                SeekableByteChannel out = Files.newByteChannel(
                        own.getPath("f"), Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE))) {
            int one = out.write(ByteBuffer.wrap(new byte[10]));
            MountFactoryComponent second = new MountFactoryComponent(new DirectMemory(), RUNTIME);
            second.setTransport(stack.transport());
            provider.addFactory(second);
            provider.removeFactory(first);
            first.deactivate();
            int two = out.write(ByteBuffer.wrap(new byte[10]));
            assertThat(out.size()).isEqualTo(one + two);
            assertThatThrownBy(() -> ((MountFactory) first).mount("m", "h", "/", io.verbena.nfs.MountOptions.DEFAULTS))
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
