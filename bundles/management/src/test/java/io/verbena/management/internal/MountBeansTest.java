package io.verbena.management.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.metrics.Distribution;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountState;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.OperationStatistics;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MountBeansTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final MountBeans beans = new MountBeans();

    @AfterEach
    void deactivate() throws Exception {
        beans.deactivate();
        assertThat(names()).isEmpty();
    }

    private Set<ObjectName> names() throws Exception {
        return server.queryNames(new ObjectName("io.verbena:type=Mount,*"), null);
    }

    private static Mount mount(String name) {
        OperationStatistics reads =
                new OperationStatistics("READ", 3, 1, 0, 300, 4096, Distribution.EMPTY, Distribution.EMPTY);
        MountStatistics statistics = new MountStatistics(
                Instant.EPOCH, Instant.now(), List.of(reads), "ab", Optional.empty(), 16, 2, 1, 0, 4, 0, 0, 5, 6);
        return (Mount) Proxy.newProxyInstance(
                MountBeansTest.class.getClassLoader(),
                new Class<?>[] {Mount.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "name" -> name;
                    case "state" -> MountState.MOUNTED;
                    case "failure" -> Optional.empty();
                    case "settings" -> Map.of("version", "1");
                    case "statistics" -> statistics;
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> "server:/export";
                });
    }

    @Test
    void shouldShowAMount() throws Exception {
        beans.addMount(mount("docs"));
        ObjectName name = new ObjectName("io.verbena:type=Mount,name=docs");

        assertThat(server.getAttribute(name, "State")).isEqualTo("MOUNTED");
        assertThat(server.getAttribute(name, "Source")).isEqualTo("server:/export");
        assertThat(server.getAttribute(name, "SlotsGranted")).isEqualTo(16);
        assertThat(server.getAttribute(name, "Reconnects")).isEqualTo(4L);
        CompositeData[] operations = (CompositeData[]) server.getAttribute(name, "Operations");
        assertThat(operations[0].get("operation")).isEqualTo("READ");
        assertThat(operations[0].get("receivedOctets")).isEqualTo(4096L);
        assertThat(operations[1].get("operation")).isEqualTo("total");
    }

    @Test
    void shouldKeepTheBeanOfAMountThatHasTakenAnothersPlace() throws Exception {
        Mount former = mount("docs");
        Mount present = mount("docs");
        beans.addMount(former);
        beans.addMount(present);
        beans.removeMount(former);
        assertThat(names()).hasSize(1);

        beans.removeMount(present);
        assertThat(names()).isEmpty();
    }

    @Test
    void shouldQuoteNamesThatJmxWouldNotTake() throws Exception {
        beans.addMount(mount("a,b"));

        assertThat(names()).containsExactly(new ObjectName("io.verbena:type=Mount,name=\"a,b\""));
    }
}
