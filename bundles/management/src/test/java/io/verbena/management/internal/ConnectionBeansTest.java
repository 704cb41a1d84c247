package io.verbena.management.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.management.ConnectionMXBean;
import io.verbena.metrics.DurationRecorder;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.ConnectionStatus;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionBeansTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final List<ConnectionStatus> connections = new ArrayList<>();
    private final ConnectionMonitor monitor = () -> List.copyOf(connections);
    private final ConnectionBeans beans = new ConnectionBeans();

    @AfterEach
    void deactivate() throws Exception {
        beans.deactivate();
        assertThat(names()).isEmpty();
    }

    private Set<ObjectName> names() throws Exception {
        return server.queryNames(new ObjectName("io.verbena:type=Connection,*"), null);
    }

    private static ConnectionStatus status(long id, long calls) {
        DurationRecorder recorder = new DurationRecorder();
        recorder.record(1_000);
        return new ConnectionStatus(
                id,
                "client",
                "connected",
                "local",
                "remote",
                Map.of("version", "2"),
                Map.of("calls", calls),
                Map.of("creditsGranted", 32L),
                Map.of("roundTrip", recorder.snapshot()));
    }

    @Test
    void shouldHaveABeanForEachConnectionAsLongAsItIsThere() throws Exception {
        connections.add(status(7, 1));
        beans.setMonitor(monitor);
        connections.add(status(8, 1));
        beans.connectionsChanged();
        assertThat(names())
                .containsExactlyInAnyOrder(
                        new ObjectName("io.verbena:type=Connection,id=7"),
                        new ObjectName("io.verbena:type=Connection,id=8"));

        connections.remove(0);
        beans.connectionsChanged();
        assertThat(names()).containsExactly(new ObjectName("io.verbena:type=Connection,id=8"));

        beans.unsetMonitor(monitor);
        assertThat(names()).isEmpty();
    }

    @Test
    void shouldShowWhatIsNow() throws Exception {
        connections.add(status(7, 1));
        beans.setMonitor(monitor);
        ConnectionMXBean bean =
                JMX.newMXBeanProxy(server, new ObjectName("io.verbena:type=Connection,id=7"), ConnectionMXBean.class);
        connections.set(0, status(7, 5));

        assertThat(bean.getState()).isEqualTo("connected");
        assertThat(bean.getSettings()).containsEntry("version", "2");
        assertThat(bean.getCounters()).containsEntry("calls", 5L);
        assertThat(bean.getGauges()).containsEntry("creditsGranted", 32L);
        Object roundTrip = server.getAttribute(new ObjectName("io.verbena:type=Connection,id=7"), "Durations");
        assertThat(roundTrip.toString()).contains("p99Nanos=100", "count=1");

        connections.clear(); // without a notification yet
        assertThat(bean.getState()).isEqualTo("closed");
    }

    @Test
    void shouldRegisterNothingOnceItHasEnded() throws Exception {
        connections.add(status(7, 1));
        beans.setMonitor(monitor);
        beans.deactivate();
        beans.connectionsChanged();

        assertThat(names()).isEmpty();
    }
}
