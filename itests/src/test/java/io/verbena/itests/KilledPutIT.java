package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.engine.TransferEngine;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that copies to an export is killed in mid-copy. Its part file stays, and a later copy into the directory
 * removes it, once it is old.
 */
final class KilledPutIT {
    private static final int LARGE = 64 << 20;
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final Duration DAY = Duration.ofHours(25);
    private static final String KEPT = "kept";

    @TempDir
    private Path folder;

    /** A host whose clock is ahead. */
    private static final class LaterRuntime extends SystemRuntime {
        private final Duration later;

        LaterRuntime(Duration later) {
            this.later = later;
        }

        @Override
        public Instant now() {
            return super.now().plus(later);
        }
    }

    private static long partsOctets(Path directory) throws IOException {
        long octets = 0;
        for (Path part : parts(directory)) {
            octets += Files.size(part);
        }
        return octets;
    }

    private static List<Path> parts(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.getFileName().toString().matches("\\.verbena-.*\\.part"))
                    .toList();
        }
    }

    private void killInMidPut(int port, Path directory) throws Exception {
        byte[] content = new byte[LARGE];
        new Random(1).nextBytes(content); // zeros would become a hole
        Path large = Files.write(folder.resolve("large"), content);
        String commands =
                "nfs:mount -o port=" + port + " 127.0.0.1:/ m; echo mounted; nfs:put --limit 1M " + large + " m:/dir/";
        Launcher.Run run = new Launcher(folder).start("-c", commands);
        try {
            Launcher.awaitTrue(() -> Files.readString(run.err()).contains("mounted"));
            Launcher.awaitTrue(() -> partsOctets(directory) > 0);
            assertThat(run.process().isAlive()).isTrue();
        } finally {
            List<ProcessHandle> all = run.process().descendants().toList();
            all.forEach(ProcessHandle::destroyForcibly); // SIGKILL: the JVM tidies nothing up
            run.process().destroyForcibly().waitFor();
        }
    }

    /** The mount as it is two hours later by the server's clock: its files have not changed for that long. */
    private static Mount aged(Mount mount) {
        return (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(), new Class<?>[] {Mount.class}, (proxy, method, args) -> {
                    if (method.getName().equals("entries")) {
                        List<DirectoryEntry> entries = new ArrayList<>();
                        mount.entries((String) args[0])
                                .forEach(entry ->
                                        entries.add(new DirectoryEntry(entry.name(), aged(entry.attributes()))));
                        return entries;
                    }
                    try {
                        return method.invoke(mount, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static FileAttributes aged(FileAttributes of) {
        return new FileAttributes(
                of.type(),
                of.size(),
                of.spaceUsed(),
                of.mode(),
                of.linkCount(),
                of.owner(),
                of.group(),
                of.modified(),
                of.accessed(),
                of.changed().minus(Duration.ofHours(2)),
                of.fileSystemMajor(),
                of.fileSystemMinor(),
                of.fileId(),
                of.change());
    }

    private void put(Mount mount, String name, Duration later) throws Exception {
        Path source = Files.writeString(folder.resolve(name), "content");
        try (TransferEngine engine = new TransferEngine(new LaterRuntime(later))) {
            engine.copy(List.of(Location.of(source)), Location.of(mount, "/dir").asDirectory(), CopyOptions.of())
                    .run()
                    .orThrow();
        }
    }

    @Test
    void shouldRemoveThePartOfACopyThatWasKilledOnceItIsOld() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Path directory = Files.createDirectory(served.resolve("dir"));
        ExportSettings settings = new ExportSettings(
                "killed",
                served,
                false,
                new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY),
                16,
                true,
                LEASE,
                LEASE);
        try (VerbenaStack stack = new VerbenaStack();
                NfsServer server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
                RpcListener listener = stack.serve(server, 0)) {
            killInMidPut(listener.localAddress().getPort(), directory);
            assertThat(parts(directory)).as("what was left").hasSize(1);
            Launcher.awaitTrue(() -> server.counters().get("clients") == 0); // the lease of the killed client

            try (NfsMount mount = stack.mount(listener.localAddress(), "/", "")) {
                put(mount, KEPT, Duration.ZERO);
                assertThat(parts(directory)).as("what may be under way").hasSize(1);

                put(mount, "ahead", DAY);
                assertThat(parts(directory)).as("by a wrong clock of this host").hasSize(1);

                put(aged(mount), "late", Duration.ZERO);
                assertThat(parts(directory)).as("what is old").isEmpty();
            }
            assertThat(directory.resolve(KEPT)).hasContent("content");
            assertThat(directory.resolve("late")).hasContent("content");
        }
    }
}
