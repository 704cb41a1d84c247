package io.verbena.management.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.management.MemoryMXBean;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bean, asked by way of JMX, beside the budget that it shows. */
class MemoryBeansTest {
    private static final int LIMIT = 16 << 20;
    private static final int MIB = 1 << 20;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final DirectMemory budget = new DirectMemory(LIMIT);
    private final MemoryBeans beans = new MemoryBeans(budget);
    private ObjectName name;
    private MemoryMXBean bean;

    @BeforeEach
    void find() throws Exception {
        name = new ObjectName("io.verbena:type=Memory");
        bean = JMX.newMXBeanProxy(server, name, MemoryMXBean.class);
    }

    @AfterEach
    void deactivate() {
        beans.deactivate();
        assertThat(server.isRegistered(name)).isFalse();
        budget.close();
    }

    private void requireWhatTheBudgetHolds() {
        assertThat(bean.getLimit()).isEqualTo(budget.limitBytes());
        assertThat(bean.getLeased()).isEqualTo(budget.leasedBytes());
        assertThat(bean.getAllocated()).isEqualTo(budget.allocatedBytes());
    }

    @Test
    void shouldShowWhatTheBudgetHoldsAndForWhom() throws Exception {
        assertThat(bean.getLeased()).isZero();
        assertThat(bean.getHoldings()).isEmpty();

        MemoryShare mount = budget.share("mount docs");
        MemoryShare window = mount.part("write-behind");
        MemoryShare peer = budget.share("peer 10.0.0.1");
        BufferLease first = mount.lease(MIB);
        BufferLease second = window.lease(2 * MIB);
        BufferLease third = peer.lease(MIB);

        requireWhatTheBudgetHolds();
        assertThat(bean.getLimit()).isEqualTo(LIMIT);
        assertThat(bean.getLeased()).isEqualTo(4L * MIB);
        assertThat(bean.getAllocated()).isBetween(4L * MIB, (long) LIMIT);
        assertThat(bean.getHoldings())
                .isEqualTo(Map.of(
                        mount.owner(), 3L * MIB,
                        window.owner(), 2L * MIB,
                        peer.owner(), (long) MIB));
        assertThat(bean.getWaiting()).isZero();

        Stream.of(first, second, third).forEach(BufferLease::close);
        assertThat(bean.getLeased()).isZero();
        requireWhatTheBudgetHolds();
        Stream.of(window, mount, peer).forEach(MemoryShare::close);
        assertThat(bean.getHoldings()).isEmpty();
    }

    @Test
    void shouldShowRequestsThatWait() throws Exception {
        MemoryShare greedy = budget.share("mount greedy");
        List<BufferLease> all = Stream.generate(() -> greedy.tryLease(MIB))
                .takeWhile(lease -> lease != null)
                .toList();
        CompletableFuture<BufferLease> waiting = greedy.request(4 * MIB, LONG);

        assertThat(waiting).isNotDone();
        assertThat(bean.getWaiting()).isEqualTo(1);
        assertThat(bean.getLeased()).isEqualTo((long) all.size() * MIB);
        requireWhatTheBudgetHolds();

        all.forEach(BufferLease::close);
        BufferLease late = waiting.get(LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(bean.getWaiting()).isZero();
        assertThat(bean.getLeased()).isEqualTo(4L * MIB);
        late.close();
        greedy.close();
    }
}
