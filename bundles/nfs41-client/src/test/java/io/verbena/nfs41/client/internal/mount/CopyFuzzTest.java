package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuzzing.CanaryTree;
import io.verbena.fuzzing.Damage;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.engine.TransferEngine;
import io.verbena.nfs41.client.internal.testing.DamagedReplies;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies of a tree from a server some of whose replies are damaged. Whatever it answers, nothing outside of the target
 * changes, the copy ends, and what it throws is an {@link IOException} or a summary that names what failed.
 */
class CopyFuzzTest {
    private static final long ROUNDS = 8;
    private static final long ROUND_IN_INPUTS = 6_000;
    private static final int ONE_IN = 25;
    private static final long BOUND_SECONDS = 120;

    @TempDir
    Path folder;

    private final Damage damage = new Damage(Damage.seed(), ONE_IN);

    /** A tree with links that lead out of wherever it is copied to. */
    private Path exported() throws IOException {
        Path exported = Files.createDirectory(folder.resolve("export"));
        Path tree = Files.createDirectory(exported.resolve("tree"));
        for (String each : List.of("a", "b", "a/deep")) {
            Path directory = Files.createDirectory(tree.resolve(each));
            Files.writeString(directory.resolve("file"), "content of " + each);
            Files.write(directory.resolve("large"), new byte[100_000]);
            Files.createSymbolicLink(directory.resolve("out"), folder.resolve("outside/directory"));
        }
        Files.createSymbolicLink(tree.resolve("up"), Path.of("../outside"));
        Files.createSymbolicLink(tree.resolve("outfile"), folder.resolve("outside/file"));
        return exported;
    }

    @Test
    void shouldChangeNothingOutsideTheTargetWhateverReplyComes() throws Exception {
        CanaryTree outside = CanaryTree.make(Files.createDirectory(folder.resolve("outside")));
        ExportSettings settings = ExportSettings.of("fuzz", exported())
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Map<String, Integer> outcomes = new TreeMap<>();
        try (Stack stack = new Stack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
                TransferEngine engine = new TransferEngine()) {
            DamagedReplies replies = new DamagedReplies(server, damage);
            try (RpcListener listener = stack.transport().listen(ListenOptions.on(any), replies)) {
                for (long round = 0; round < Damage.rounds(ROUNDS, ROUND_IN_INPUTS); round++) {
                    replies.setActive(false);
                    try (NfsMount mount = mount(stack, listener)) {
                        replies.setActive(true);
                        outcomes.merge(copy(engine, mount, round), 1, Integer::sum);
                        replies.setActive(false);
                    }
                    outside.check();
                    assertOnlyTargetsAreBeside();
                }
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError("fuzzing copies: " + damage, e);
        }
        System.out.println("fuzzing copies: " + outcomes + ", " + damage);
    }

    private static NfsMount mount(Stack stack, RpcListener listener) throws IOException {
        NfsMount mount = NfsMount.create(
                "peer",
                "127.0.0.1",
                "/",
                "soft,timeo=100,retrans=1,swapTimeout=2,port="
                        + listener.localAddress().getPort(),
                stack.transport(),
                stack.memory(),
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
        return mount;
    }

    /** Every second copy goes over the target of the one before. */
    private String copy(TransferEngine engine, NfsMount mount, long round) throws Exception {
        Path target = Files.createDirectories(folder.resolve("targets/" + round / 2));
        CopyOptions options = round % 2 == 0
                ? CopyOptions.of(CopyOptions.Flag.RECURSIVE, CopyOptions.Flag.FORCE, CopyOptions.Flag.PRESERVE)
                : CopyOptions.of(CopyOptions.Flag.RECURSIVE, CopyOptions.Flag.SYNC, CopyOptions.Flag.DELETE);
        try {
            CopySummary summary = engine.copy(
                            List.of(Location.of(mount, "/tree").contents()), Location.of(target), options)
                    .start()
                    .get(BOUND_SECONDS, TimeUnit.SECONDS);
            return summary.failed().isEmpty() ? "copied" : "copied in part";
        } catch (TimeoutException e) {
            throw new AssertionError("the copy does not end", e);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(IOException.class);
            return "failed";
        }
    }

    private void assertOnlyTargetsAreBeside() throws IOException {
        try (Stream<Path> beside = Files.list(folder)) {
            assertThat(beside.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("export", "outside", "state", "targets");
        }
    }
}
