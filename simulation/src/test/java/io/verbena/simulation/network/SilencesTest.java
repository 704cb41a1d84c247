package io.verbena.simulation.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which messages end a silence. */
@Timeout(60)
final class SilencesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long PAUSE = 9 * SECOND.toNanos();
    private static final long SILENCE = 15 * SECOND.toNanos();
    private static final int LENGTH = 16;
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 0, 0, Map.of());

    private final Scheduler scheduler = new Scheduler(new SplittableRandom(1), 0, 1000);
    private final SimulatedNetwork network = new SimulatedNetwork(scheduler, new SplittableRandom(2), 1000, 0);
    private final SimulatedProcess process = scheduler.process("client");
    private final SimulatedProcess serving = scheduler.process("server");
    private final InetSocketAddress server = new InetSocketAddress(host(1), 20049);
    private final InetAddress client = host(2);
    private boolean isReadable;
    private boolean isRenewing = true;

    private static final class Ignored implements ConnectionHandler {
        @Override
        public void onCompletions(Completion[] completions, int count) {}

        @Override
        public void onDisconnected(RdmaException cause) {}
    }

    private static InetAddress host(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends a message after a pause, and another one by the same connection, and waits for as long after each. */
    private boolean isSilent(boolean readsFirst, boolean readsSecond) throws InterruptedException {
        boolean[] silent = new boolean[1];
        List<String> failures = scheduler.run(process, "main", () -> {
            try {
                Silences silences = network.silences(client, server.getAddress());
                RdmaConnection connection = connect();
                pause();
                isReadable = readsFirst;
                send(connection);
                pause();
                isReadable = readsSecond;
                send(connection);
                pause();
                silent[0] = silences.hasBeen(SILENCE, 0, scheduler.now());
            } catch (RdmaException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(failures).isEmpty();
        return silent[0];
    }

    private RdmaConnection connect() throws RdmaException {
        new SimulatedProvider(
                        network,
                        serving,
                        server.getAddress(),
                        false,
                        false,
                        message -> isReadable,
                        message -> isRenewing)
                .listen(server, Map.of(), SilencesTest::accept);
        RdmaConnection connection = new SimulatedProvider(network, process, client, false, false)
                .open(server, OPTIONS, new Ignored(), SECOND);
        byte[] unused = connection.connect(new byte[0], SECOND);
        return connection;
    }

    private static void accept(ConnectionRequest request) {
        try {
            RdmaConnection connection = request.open(OPTIONS, new Ignored());
            MemoryRegion region = connection.register(List.of(ByteBuffer.allocate(2 * LENGTH)), Access.LOCAL);
            connection.postReceive(0, region, 0, LENGTH);
            connection.postReceive(1, region, LENGTH, LENGTH);
            connection.accept(new byte[0], SECOND);
        } catch (RdmaException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(RdmaConnection connection) throws RdmaException {
        MemoryRegion region = connection.register(List.of(ByteBuffer.allocate(LENGTH)), Access.LOCAL);
        connection.postSend(0, region, 0, LENGTH, 0);
    }

    private void pause() throws InterruptedException {
        process.runtime().sleep(PAUSE);
    }

    @Test
    void shouldEndByEachMessage() throws InterruptedException {
        assertThat(isSilent(true, true)).isFalse();
    }

    @Test
    void shouldNotEndByAMessageThatCannotBeRead() throws InterruptedException {
        assertThat(isSilent(false, true)).isTrue();
    }

    @Test
    void shouldEndByEachMessageBehindOneThatWasRead() throws InterruptedException {
        assertThat(isSilent(true, false)).isFalse();
    }

    @Test
    void shouldNotEndByAMessageThatRenewsNoLease() throws InterruptedException {
        isRenewing = false;
        assertThat(isSilent(true, true)).isTrue();
    }

    @Test
    void shouldNotEndByAMessageToAProcessThatStandsStill() throws InterruptedException {
        scheduler.at(PAUSE / 2, () -> serving.pause(2 * PAUSE));
        assertThat(isSilent(true, true)).isTrue();
    }

    @Test
    void shouldNotEndByAMessageToAProcessThatIsKilledBeforeItReads() throws InterruptedException {
        scheduler.at(PAUSE / 2, () -> serving.pause(2 * PAUSE));
        scheduler.at(2 * PAUSE, serving::kill);
        assertThat(isSilent(true, true)).isTrue();
    }
}
