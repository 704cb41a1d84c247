package io.verbena.nfs41.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
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
abstract class DelegationFixture {
    static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    static final Set<StandardOpenOption> WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);

    final FakeServer server = new FakeServer();
    Engine engine;

    @AfterEach
    void close() {
        if (engine != null) {
            engine.close(Duration.ofSeconds(20));
        }
        server.close();
    }

    void mount(String options, int type) throws IOException {
        server.delegations.type = type;
        MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse(options));
        engine = new Engine(settings, new TransportSource(server), new Lifetime("m"), ClientOwner.random("m"));
        engine.delegations().attach(() -> true);
        engine.start();
        engine.connect(Duration.ofSeconds(20));
    }

    NfsFile open(String path, Set<StandardOpenOption> options) throws IOException {
        return Blocking.await(engine.opener().open(path, options, 0600));
    }

    /** A file that is open without the server's knowledge. */
    NfsFile openLocally(Set<StandardOpenOption> options) throws IOException {
        open("/file", options).close();
        NfsFile file = open("/file", options);
        assertThat(file.state().openStateId()).isNull();
        return file;
    }

    StateId delegation() {
        return server.delegations.held.get(FakeServer.HANDLE);
    }

    StateId returned() throws InterruptedException {
        return server.delegations.returned.poll(20, TimeUnit.SECONDS);
    }

    Status recall() {
        return engine.delegations().recall(FakeServer.HANDLE, delegation(), false);
    }

    /** Waits until the file's delegation is gone. */
    void awaitReturn() throws Exception {
        engine.delegations().giveBack(FakeServer.HANDLE).get(20, TimeUnit.SECONDS);
    }

    int seen() {
        return server.seen.size();
    }

    /** The operations since then, without those that stand before every other. */
    List<Integer> since(int before) {
        return server.opcodesSince(before).stream()
                .filter(opcode -> opcode != Opcode.SEQUENCE && opcode != Opcode.PUTFH)
                .toList();
    }

    static ByteBuffer bytes(int... octets) {
        ByteBuffer bytes = ByteBuffer.allocate(octets.length);
        for (int octet : octets) {
            bytes.put((byte) octet);
        }
        return bytes.flip();
    }

    Open.Args lastOpen() {
        return server.delegations.opens.get(server.delegations.opens.size() - 1);
    }
}
