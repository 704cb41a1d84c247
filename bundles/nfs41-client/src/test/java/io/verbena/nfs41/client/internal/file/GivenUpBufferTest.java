package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.Relay;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A caller gives a call up while the replies of the server are on the wire, and uses its buffer again. The replies come
 * later: they change neither the buffer nor its position, and the server gets nothing that the caller writes there
 * later.
 */
@Timeout(120)
class GivenUpBufferTest {
    private static final byte OLD = 1;
    private static final byte OWN = 0x55;
    private static final int SIZE = 4 << 20;

    @TempDir
    Path folder;

    private final Stack stack = new Stack();
    private final DirectMemory memory = new DirectMemory();
    private NfsServer server;
    private RpcListener listener;
    private Relay relay;
    private NfsMount mount;

    @BeforeEach
    void start() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        Files.write(export.resolve("file"), filled(SIZE));
        Files.write(export.resolve("small"), filled(50_000));
        ExportSettings settings = ExportSettings.of("test", export)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
        relay = new Relay(listener.localAddress());
        mount = NfsMount.create(
                "own",
                "127.0.0.1",
                "/",
                "hard,rsize=262144,wsize=262144,port=" + relay.port(),
                stack.transport(),
                memory,
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
    }

    @AfterEach
    void stop() throws Exception {
        relay.resume();
        mount.close();
        relay.close();
        listener.close();
        server.close();
        stack.close();
    }

    private static byte[] filled(int size) {
        byte[] octets = new byte[size];
        Arrays.fill(octets, OLD);
        return octets;
    }

    private RemoteFile open(StandardOpenOption... options) throws IOException {
        return mount.open("/file", Set.of(options), 0600);
    }

    private static ByteBuffer buffer(boolean isDirect, int size) {
        return isDirect ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    }

    /** The caller uses its buffer for something else. */
    private static void reuse(ByteBuffer buffer) {
        for (int i = 0; i < buffer.capacity(); i++) {
            buffer.put(i, OWN);
        }
        buffer.clear().position(7);
    }

    /** The replies come; the buffer stays as it is, and the mount serves. */
    private void requireUntouched(ByteBuffer buffer) throws IOException {
        relay.resume();
        ByteBuffer whole = ByteBuffer.allocate(SIZE);
        try (RemoteFile file = open(StandardOpenOption.READ)) {
            assertThat(file.read(whole, 0)).isEqualTo(SIZE); // behind the replies that were held back
        }
        assertThat(whole.array()).containsOnly(OLD);
        assertThat(buffer.position()).isEqualTo(7);
        for (int i = 0; i < buffer.capacity(); i++) {
            if (buffer.get(i) != OWN) {
                throw new AssertionError("octet " + i + " has changed to " + buffer.get(i));
            }
        }
    }

    private interface Reading {
        int read(ByteBuffer destination) throws IOException;
    }

    private void interrupt(ByteBuffer buffer, Reading reading) throws Exception {
        FutureTask<Integer> task = new FutureTask<>(() -> reading.read(buffer));
        Thread reader = new Thread(task, "interrupted-reader");
        relay.hold();
        reader.start();
        relay.awaitHeld();
        reader.interrupt();
        assertThatThrownBy(task::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedIOException.class);
        reuse(buffer);
        requireUntouched(buffer);
        reader.join();
    }

    @ParameterizedTest
    @CsvSource({"true, 4096", "true, 4194304", "false, 4096", "false, 4194304"})
    void shouldLeaveTheBufferOfAnInterruptedRead(boolean isDirect, int size) throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ)) {
            interrupt(buffer(isDirect, size), destination -> file.read(destination, 0));
        }
    }

    @Test
    void shouldLeaveTheBufferOfAnInterruptedReadOfAChannel() throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ);
                SeekableByteChannel channel = file.channel()) {
            interrupt(buffer(true, SIZE), channel::read);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 4096", "true, 4194304", "false, 4096", "false, 4194304"})
    void shouldLeaveTheBufferOfACancelledRead(boolean isDirect, int size) throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ)) {
            ByteBuffer buffer = buffer(isDirect, size);
            relay.hold();
            CompletableFuture<Integer> read = file.readAsync(buffer, 0);
            relay.awaitHeld();
            assertThat(read.cancel(true)).isTrue();
            assertThatThrownBy(() -> read.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
            reuse(buffer);
            requireUntouched(buffer);
        }
    }

    @Test
    void shouldLeaveTheBufferOfAReadThatTakesTooLong() throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ)) {
            ByteBuffer buffer = buffer(true, 1 << 20);
            relay.hold();
            CompletableFuture<Integer> read = file.readAsync(buffer, 0).orTimeout(1, TimeUnit.MILLISECONDS);
            assertThatThrownBy(() -> read.get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TimeoutException.class);
            reuse(buffer);
            requireUntouched(buffer);
        }
    }

    @ParameterizedTest
    @CsvSource({"/small", "/file"})
    void shouldLeaveTheBufferOfAWholeFile(String path) throws Exception {
        ByteBuffer buffer = buffer(true, path.equals("/small") ? 100_000 : SIZE);
        relay.hold();
        CompletableFuture<?> read = mount.readFileAsync(path, buffer);
        relay.awaitHeld();
        read.cancel(true);
        assertThatThrownBy(() -> read.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        reuse(buffer);
        requireUntouched(buffer);
    }

    @Test
    void shouldNotWriteWhatTheCallerWritesLater() throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer source =
                    ByteBuffer.allocateDirect(SIZE).put(filled(SIZE)).flip();
            relay.hold();
            CompletableFuture<Void> written = file.writeAsync(source, 0);
            relay.awaitHeld();
            written.cancel(true);
            assertThatThrownBy(() -> written.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
            reuse(source);
            requireUntouched(source);
            file.sync(); // the mount had a copy of all of the buffer
        }
    }

    @Test
    void shouldMakeAFileOfWhatTheCallerGaveAtFirst() throws Exception {
        ByteBuffer content =
                ByteBuffer.allocateDirect(50_000).put(filled(50_000)).flip();
        relay.hold();
        CompletableFuture<?> made = mount.createFileAsync("/new", content, AttributeChanges.NONE);
        relay.awaitHeld();
        made.cancel(true);
        assertThatThrownBy(() -> made.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        reuse(content);
        requireUntouched(content);
        Path there = folder.resolve("export").resolve("new");
        while (!Files.exists(there) || Files.size(there) < 50_000) { // the request is sent again
            TimeUnit.MILLISECONDS.sleep(10);
        }
        ByteBuffer whole = ByteBuffer.allocate(60_000);
        mount.readFileAsync("/new", whole).get(30, TimeUnit.SECONDS);
        assertThat(Arrays.copyOf(whole.array(), whole.position()))
                .hasSize(50_000)
                .containsOnly(OLD);
    }

    @Test
    void shouldCompleteWithWhatItsCallerSaysOnceTheBufferIsFree() throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ)) {
            ByteBuffer buffer = buffer(true, 4096);
            relay.hold();
            CompletableFuture<Integer> read = file.readAsync(buffer, 0);
            relay.awaitHeld();
            assertThat(read.complete(-7)).isTrue();
            assertThat(read.completeExceptionally(new CompletionException(null)))
                    .isFalse();
            assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(-7);
            reuse(buffer);
            requireUntouched(buffer);
        }
    }

    /** Gives up more reads than there are slots, while the server is away. */
    private List<WeakReference<ByteBuffer>> giveUpReads(RemoteFile file, boolean isDirect) {
        List<WeakReference<ByteBuffer>> buffers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            ByteBuffer buffer = buffer(isDirect, 65_536);
            buffers.add(new WeakReference<>(buffer));
            CompletableFuture<Integer> read = file.readAsync(buffer, 0);
            read.cancel(true);
            assertThatThrownBy(() -> read.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        }
        return buffers;
    }

    private static void requireCollected(List<? extends WeakReference<?>> references) throws InterruptedException {
        while (references.stream().anyMatch(each -> each.get() != null)) { // the test's time bounds it
            System.gc();
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepNoMemoryOfReadsThatWereGivenUpWhileTheServerIsAway(boolean isDirect) throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ)) {
            relay.leave();
            List<WeakReference<ByteBuffer>> buffers = giveUpReads(file, isDirect);
            requireCollected(buffers);
            while (memory.leasedBytes() > 0) { // of the last ones; the test's time bounds it
                TimeUnit.MILLISECONDS.sleep(10);
            }
            relay.comeBack();
            assertThat(file.read(ByteBuffer.allocate(SIZE), 0)).isEqualTo(SIZE);
        }
    }

    @Test
    void shouldMakeNoFileThatWasGivenUpBeforeItWasSent() throws Exception {
        relay.leave();
        while (mount.state() == MountState.MOUNTED) { // the test's time bounds it
            TimeUnit.MILLISECONDS.sleep(10);
        }
        List<WeakReference<ByteBuffer>> contents = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            ByteBuffer content = ByteBuffer.allocateDirect(50_000);
            contents.add(new WeakReference<>(content));
            CompletableFuture<?> made = mount.createFileAsync("/given-up-" + i, content, AttributeChanges.NONE);
            made.cancel(true);
            assertThatThrownBy(() -> made.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        }
        requireCollected(contents);
        relay.comeBack();
        mount.createFileAsync("/last", ByteBuffer.allocate(10), AttributeChanges.NONE)
                .get(30, TimeUnit.SECONDS);
        try (Stream<Path> made = Files.list(folder.resolve("export"))) {
            assertThat(made.map(path -> path.getFileName().toString())).containsOnly("file", "small", "last");
        }
    }

    @Test
    void shouldKeepNoBufferOfWritesThatWereGivenUpWhileTheServerIsAway() throws Exception {
        try (RemoteFile file = open(StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            relay.leave();
            List<CompletableFuture<Void>> behind = new ArrayList<>();
            List<WeakReference<ByteBuffer>> sources = new ArrayList<>();
            for (int i = 0; i < 100; i++) { // more than is kept of one file
                ByteBuffer source = ByteBuffer.allocateDirect(1 << 20);
                sources.add(new WeakReference<>(source));
                CompletableFuture<Void> written = file.writeAsync(source, SIZE);
                written.cancel(true);
                behind.add(written);
            }
            for (CompletableFuture<Void> each : behind) {
                assertThatThrownBy(() -> each.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
            }
            requireCollected(sources);
            relay.comeBack();
            file.sync();
        }
    }
}
