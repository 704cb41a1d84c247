package io.verbena.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.Runtime;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.network.SimulatedProvider;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a host can read while a service of its transport is replaced. */
@Timeout(60)
final class TransportServicesTest {
    private static final long GAP_NANOS = 1_000_000_000;

    private final Scheduler scheduler = new Scheduler(new SplittableRandom(1), 0, 1000);
    private final SimulatedNetwork network = new SimulatedNetwork(scheduler, new SplittableRandom(2), 1000, 0);
    private final SimulatedProcess process = scheduler.process("test");
    private final Runtime runtime = process.runtime();
    private final List<Integer> readable = new ArrayList<>();

    private void look(TransportServices services) {
        for (int version = 1; version <= 2; version++) {
            if (services.canRead(ByteBuffer.allocate(16).putInt(4, version).array())) {
                readable.add(version);
            }
        }
    }

    /** The versions that can be read in the gap, and behind it. */
    private List<Integer> readableWhileReplacing(TransportServices.Kind kind) throws InterruptedException {
        List<String> failures = scheduler.run(process, "main", () -> {
            TransportServices services = new TransportServices(
                    runtime,
                    new DirectMemory(1 << 20, runtime),
                    () -> new SimulatedProvider(network, process, InetAddress.getLoopbackAddress(), false, false));
            scheduler.after(GAP_NANOS / 2, () -> look(services));
            try {
                boolean unused = services.replace(kind, GAP_NANOS);
                look(services);
                services.close();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(failures).isEmpty();
        return readable;
    }

    @Test
    void shouldNotReadTheVersionWhoseFramingIsReplaced() throws InterruptedException {
        assertThat(readableWhileReplacing(TransportServices.Kind.VERSION_ONE)).containsExactly(2, 1, 2);
    }

    @Test
    void shouldReadBothVersionsWhileTheNegotiatorIsReplaced() throws InterruptedException {
        assertThat(readableWhileReplacing(TransportServices.Kind.NEGOTIATOR)).containsExactly(1, 2, 1, 2);
    }
}
