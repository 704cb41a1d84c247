package io.verbena.nfs41.client.internal.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.identity.ClientOwner;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.MountAssembly;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A mount of a server that delegates its file, and how to look at what is asked of that. */
@Timeout(60)
public abstract class DelegationFixture {
    private static final Runtime RUNTIME = new SystemRuntime();
    public static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    public static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    public final FakeServer server = new FakeServer();
    public MountAssembly assembly;

    @AfterEach
    void close() {
        if (assembly != null) {
            assembly.close(Duration.ofSeconds(20));
        }
        server.close();
    }

    public void mount(String options, int type) throws IOException {
        server.delegations.type = type;
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(options));
        assembly = new MountAssembly(
                settings,
                new TransportSource(server, RUNTIME),
                new SecuritySource(null, RUNTIME),
                null,
                new DirectMemory(),
                new MountLifetime("m", RUNTIME),
                ClientOwner.random("m", RUNTIME),
                RUNTIME);
        assembly.delegations().attach(() -> true);
        assembly.start();
        assembly.connect(Duration.ofSeconds(20));
    }

    public NfsFile open(String path, Set<StandardOpenOption> options) throws IOException {
        return Blocking.await(RUNTIME, assembly.opener().open(path, options, 0600));
    }

    /** A file that is open without the server's knowledge. */
    public NfsFile openLocally(Set<StandardOpenOption> options) throws IOException {
        open("/file", options).close();
        NfsFile file = open("/file", options);
        assertThat(file.state().openStateId()).isNull();
        return file;
    }

    public StateId delegation() {
        return server.delegations.held.get(FakeServer.HANDLE);
    }

    public StateId returned() throws InterruptedException {
        return server.delegations.returned.poll(20, TimeUnit.SECONDS);
    }

    public Status recall() {
        return assembly.delegations().recall(FakeServer.HANDLE, delegation(), false);
    }

    /** Waits until the file's delegation is gone. */
    public void awaitReturn() throws Exception {
        assembly.delegations().giveBack(FakeServer.HANDLE).get(20, TimeUnit.SECONDS);
    }

    public int seen() {
        return server.seen.size();
    }

    /** The operations since then, without those that stand before every other. */
    public List<Integer> since(int before) {
        return server.opcodesSince(before).stream()
                .filter(opcode -> opcode != Opcode.SEQUENCE && opcode != Opcode.PUTFH)
                .toList();
    }

    public static ByteBuffer bytes(int... octets) {
        ByteBuffer bytes = ByteBuffer.allocate(octets.length);
        for (int octet : octets) {
            bytes.put((byte) octet);
        }
        return bytes.flip();
    }

    public Open.Args lastOpen() {
        return server.delegations.opens.get(server.delegations.opens.size() - 1);
    }
}
