package io.verbena.nfs41.client.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two clients and the server of this project: one client returns its delegation when the other needs the file. */
@Timeout(120)
class EmbeddedDelegationsTest {
    private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    private static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    @TempDir
    Path folder;

    private final Stack stack = new Stack();
    private NfsServer server;
    private RpcListener listener;
    private NfsMount one;
    private NfsMount two;

    @BeforeEach
    void mount() throws IOException {
        Path exported = Files.createDirectory(folder.resolve("export"));
        Files.write(exported.resolve("file"), new byte[] {1, 2, 3});
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = stack.transport().listen(ListenOptions.on(any), server);
        one = client("one");
        two = client("two");
    }

    private NfsMount client(String name) throws IOException {
        String options = "port=" + listener.localAddress().getPort();
        NfsMount mount = NfsMount.create(
                name, "127.0.0.1", "/", options, stack.transport(), stack.memory(), new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
        return mount;
    }

    @AfterEach
    void unmount() {
        one.close();
        two.close();
        long left = server.counters().get("openStates");
        listener.close();
        server.close();
        stack.close();
        assertThat(left).isZero();
    }

    private static byte[] read(RemoteFile file) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(16);
        int count = file.read(read, 0);
        byte[] all = new byte[Math.max(0, count)];
        read.flip().get(all);
        return all;
    }

    private static String delegated(NfsMount mount) {
        return mount.settings().get("delegated");
    }

    @Test
    void shouldShowTheOtherWhatWasWrittenAndLockedWithoutTheServersKnowledge() throws IOException {
        one.open("/file", WRITE, 0600).close();
        assertThat(delegated(one)).isEqualTo("1");
        long before = server.counters().get("operations");
        RemoteFile mine = one.open("/file", WRITE, 0600);
        Optional<RemoteLock> lock = mine.tryLock(0, 2, false);
        assertThat(lock).isPresent();
        assertThat(server.counters().get("operations") - before).isLessThan(8); // one look-up, and no LOCK
        SeekableByteChannel channel = mine.channel();
        channel.write(ByteBuffer.wrap(new byte[] {7, 8, 9, 10}));

        try (RemoteFile theirs = two.open("/file", WRITE, 0600)) {
            assertThat(delegated(one)).isEqualTo("0");
            assertThat(read(theirs)).containsExactly(7, 8, 9, 10);
            assertThat(theirs.tryLock(1, 1, false)).isEmpty();
            lock.orElseThrow().close();
            assertThat(theirs.tryLock(1, 1, false)).isPresent();
            theirs.write(ByteBuffer.wrap(new byte[] {11}), 4);
            theirs.sync();
            assertThat(mine.attributes().size()).isEqualTo(5);
        }
        mine.close();
        assertThat(server.counters()).containsEntry("recalls", 1L).containsEntry("revocations", 0L);
    }

    @Test
    void shouldReadWhatTheOtherHasWrittenSince() throws IOException {
        one.open("/file", READ, 0600).close();
        two.open("/file", READ, 0600).close();
        RemoteFile mine = one.open("/file", READ, 0600);
        assertThat(delegated(one)).isEqualTo("1");
        assertThat(delegated(two)).isEqualTo("1");
        assertThat(mine.attributes().size()).isEqualTo(3);
        try (RemoteFile theirs = two.open("/file", WRITE, 0600)) {
            theirs.write(ByteBuffer.wrap(new byte[] {4, 5, 6, 7}), 0);
        }
        assertThat(mine.attributes().size()).isEqualTo(4);
        assertThat(read(mine)).containsExactly(4, 5, 6, 7);
        mine.close();
        assertThat(server.counters()).containsEntry("revocations", 0L);
    }

    @Test
    void shouldGiveWayToTheOthersChangesOfNameAndMode() throws IOException {
        one.open("/file", WRITE, 0600).close();
        two.setAttributes("/file", AttributeChanges.NONE.withMode(0640));
        assertThat(delegated(one)).isEqualTo("0");
        RemoteFile mine = one.open("/file", WRITE, 0600);
        two.rename("/file", "/renamed");
        assertThat(read(mine)).containsExactly(1, 2, 3);
        mine.close();
        one.open("/renamed", READ, 0600).close();
        two.remove("/renamed");
        assertThat(delegated(one)).isEqualTo("0");
        assertThat(server.counters()).containsEntry("revocations", 0L);
    }

    @Test
    void shouldChangeNamesAndModesOfWhatIsDelegatedToItself() throws IOException {
        try (RemoteFile mine = one.open("/file", WRITE, 0600);
                RemoteFile again = one.open("/file", WRITE, 0600)) {
            one.setAttributes("/file", AttributeChanges.NONE.withMode(0640));
            assertThat(mine.attributes().mode()).isEqualTo(0640);
            one.createLink("/link", "/file");
            one.rename("/file", "/renamed");
            one.remove("/renamed");
            // a server that does not preserve removed files has it by another name until it is closed
            long others = one.list("/").stream()
                    .filter(entry -> entry.name().startsWith(".nfs"))
                    .count();
            assertThat(again.attributes().linkCount()).isEqualTo(1 + (int) others);
            assertThat(read(mine)).containsExactly(1, 2, 3);
        }
        one.remove("/link");
        assertThat(server.counters()).containsEntry("revocations", 0L);
    }
}
