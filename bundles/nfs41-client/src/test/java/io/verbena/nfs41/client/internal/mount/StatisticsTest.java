package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountExplanation;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.OperationStatistics;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a mount tells of itself is what it does. */
@Timeout(60)
class StatisticsTest {
    private static final int SIZE = 3_000_000;

    @TempDir
    private Path folder;

    private final Stack stack = new Stack();
    private NfsServer server;
    private RpcListener listener;
    private NfsMount mount;

    @BeforeEach
    void mount() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = stack.transport().listen(ListenOptions.on(any), server);
        String options = "port=" + listener.localAddress().getPort();
        mount = NfsMount.create(
                "docs", "127.0.0.1", "/", options, stack.transport(), stack.memory(), new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
    }

    @AfterEach
    void end() throws Exception {
        mount.close();
        listener.close();
        server.close();
        stack.close();
    }

    private void write(String path) throws Exception {
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
        try (RemoteFile file = mount.open(path, options, 0600)) {
            file.write(ByteBuffer.allocate(SIZE), 0);
            file.sync();
            assertThat(file.read(ByteBuffer.allocateDirect(SIZE), 0)).isEqualTo(SIZE);
        }
    }

    @Test
    void shouldCountEachRequestForWhatItIsMadeFor() throws Exception {
        write("/file");
        mount.createDirectory("/directory", 0700);
        mount.list("/");
        mount.remove("/directory");
        assertThatThrownBy(() -> mount.attributes("/nothing", true)).isInstanceOf(NoSuchFileException.class);

        MountStatistics statistics = mount.statistics();
        Map<String, OperationStatistics> all = statistics.operations().stream()
                .collect(Collectors.toMap(OperationStatistics::operation, each -> each));
        assertThat(all).containsKeys("READ", "WRITE", "COMMIT", "OPEN", "CREATE", "READDIR", "REMOVE", "LOOKUP");
        assertThat(all).doesNotContainKeys("SEQUENCE", "PUTFH", "GETFH");
        assertThat(all.get("WRITE").count()).isEqualTo(3); // of 1 MiB at most
        assertThat(all.get("WRITE").sentOctets()).isBetween((long) SIZE, SIZE + 4096L);
        assertThat(all.get("READ").receivedOctets()).isBetween((long) SIZE, SIZE + 4096L);
        assertThat(all.get("READ").sentOctets()).isLessThan(4096);
        assertThat(all.get("READ").roundTrip().count())
                .isEqualTo(all.get("READ").count());
        assertThat(all.get("READ").roundTrip().percentileNanos(99)).isPositive();
        assertThat(all.get("LOOKUP").errors()).isEqualTo(1);
        assertThat(all.get("CREATE").errors()).isZero();
        assertThat(statistics.slotsGranted()).isPositive();
        assertThat(statistics.slotsInUse()).isZero();
        assertThat(statistics.reconnects()).isZero();
        assertThat(statistics.session()).matches("[0-9a-f]{32}");
    }

    @Test
    void shouldTellWhatHasComeSinceAnEarlierLook() throws Exception {
        write("/first");
        MountStatistics before = mount.statistics();
        mount.list("/");
        mount.reconnect(Duration.ofSeconds(30));

        MountStatistics since = mount.statistics().since(before);
        assertThat(since.of("READDIR").count()).isEqualTo(1);
        assertThat(since.of("WRITE").count()).isZero();
        assertThat(since.reconnects()).isEqualTo(1);
        assertThat(since.since()).isEqualTo(before.taken());
    }

    @Test
    void shouldExplainHowAFileTravels() throws Exception {
        write("/big");
        try (RemoteFile small =
                mount.open("/small", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0600)) {
            small.write(ByteBuffer.allocate(100), 0);
        }

        Map<String, MountExplanation> big = explain("/big");
        assertThat(big.get("provider").answer()).isEqualTo("iwarp");
        assertThat(big.get("version").answer()).isEqualTo("1");
        assertThat(big.get("version").reason()).contains("the highest");
        assertThat(big.get("read").answer()).startsWith("Write chunk");
        assertThat(big.get("read").reason()).contains("READ of 1,048,576 octets", "5,120");
        assertThat(big.get("write").answer()).startsWith("Read chunk");
        assertThat(big.get("limit").answer()).isEqualTo("the file's size: 3 READs at once");
        assertThat(big.get("attributes").answer()).isEqualTo("inline");
        assertThat(explain("/small").get("read").answer()).isEqualTo("inline");
        assertThat(explain("/").get("list").answer()).startsWith("Reply chunk");
        assertThatThrownBy(() -> mount.explain("/nothing")).isInstanceOf(NoSuchFileException.class);
    }

    private Map<String, MountExplanation> explain(String path) throws Exception {
        return mount.explain(path).stream().collect(Collectors.toMap(MountExplanation::subject, each -> each));
    }

    @Test
    void shouldTellFlightRecorderOfRequests() throws Exception {
        Path file = folder.resolve("requests.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.verbena.nfs.Request");
            recording.enable("io.verbena.rpc.Sent");
            recording.start();
            write("/file");
            recording.stop();
            recording.dump(file);
        }
        var events = RecordingFile.readAllEvents(file);
        RecordedEvent read = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.verbena.nfs.Request"))
                .filter(event -> event.getString("operation").equals("READ"))
                .findFirst()
                .orElseThrow();
        assertThat(read.getString("mount")).isEqualTo("docs");
        assertThat(read.getInt("slot")).isNotNegative();
        assertThat(read.getLong("roundTrip")).isPositive();
        assertThat(events).anySatisfy(event -> {
            assertThat(event.getEventType().getName()).isEqualTo("io.verbena.rpc.Sent");
            assertThat(event.getString("xid")).isEqualTo(read.getString("xid"));
            assertThat(event.getString("mount")).isEqualTo("docs");
        });
    }
}
