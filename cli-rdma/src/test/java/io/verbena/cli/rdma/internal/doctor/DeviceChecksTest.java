package io.verbena.cli.rdma.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.cli.rdma.internal.FakeProvider;
import io.verbena.verbs.MissingProvider;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTest;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is found of RDMA on a host made of files and fakes. */
final class DeviceChecksTest extends FindingsTest {
    private final List<RdmaProvider> providers = new ArrayList<>();
    private final List<MissingProvider> missing = new ArrayList<>();

    /** Something that is missing. */
    private record Missing(String name, String reason) implements MissingProvider {}

    /** A test with one step, or one that cannot begin. */
    private record OneStep(SelfTestStep step) implements SelfTest {
        @Override
        public SelfTestReport loopback(
                RdmaProvider provider, InetAddress local, SelfTestOptions options, Consumer<SelfTestStep> told)
                throws RdmaException {
            if (step == null) {
                throw new RdmaException(RdmaException.Kind.REFUSED, "connection refused");
            }
            return new SelfTestReport(Map.of(), List.of(step), List.of(), List.of());
        }

        @Override
        public SelfTestReport connect(
                RdmaProvider provider, InetSocketAddress remote, SelfTestOptions options, Consumer<SelfTestStep> told) {
            throw new AssertionError();
        }

        @Override
        public SelfTestListener listen(RdmaProvider provider, InetSocketAddress local, Consumer<String> told) {
            throw new AssertionError();
        }
    }

    private DeviceChecks checks() {
        return new DeviceChecks(new Host(root, name -> null, command -> Optional.empty()), providers, missing);
    }

    @Test
    void shouldSayWhichLibrariesAreLoadedOrWhyNot() throws Exception {
        checks().libraries(found::add);
        assertThat(only()).startsWith("warning  libraries").contains("bundle:start io.verbena.verbs.native");

        missing.add(new Missing("native", "libibverbs.so.1 has no function ibv_x: it is too old to be used"));
        checks().libraries(found::add);
        assertThat(only()).startsWith("warning  libraries").contains("no function ibv_x", "librdmacm1");

        file(
                "proc/self/maps",
                """
                7f00-7f01 r-xp 0 08:01 1    /usr/lib/libibverbs.so.1.14.44
                7f02-7f03 r-xp 0 08:01 2    /usr/lib/librdmacm.so.1.3.44
                7f04-7f05 rw-p 0 00:00 0
                """);
        checks().libraries(found::add);
        assertThat(only()).startsWith("warning  devices").contains("modprobe rdma_ucm");

        providers.add(new FakeProvider("native", false, List.of()));
        checks().libraries(found::add);
        assertThat(only())
                .isEqualTo("ok       libraries  loaded: /usr/lib/libibverbs.so.1.14.44, /usr/lib/librdmacm.so.1.3.44");
    }

    @Test
    void shouldTellTheStatesOfDevices() throws Exception {
        checks().devices(found::add);
        assertThat(only()).startsWith("problem  devices").contains("no RDMA provider is started");

        providers.add(new FakeProvider(
                "iwarp",
                false,
                List.of(
                        new RdmaDevice("up\n0", "iwarp", true, Map.of()),
                        new RdmaDevice("down0", "iwarp", false, Map.of()))));
        file("sys/class/infiniband/mlx5_0", "");
        file("dev/infiniband/uverbs0", "");
        checks().devices(found::add);
        assertThat(found.get(0).line()).startsWith("ok").contains("up\\x0A0 (iwarp, iwarp) is active");
        assertThat(found.get(1).line()).startsWith("warning").contains("down0").contains("ip link set");
        assertThat(found.get(2).line()).startsWith("warning").contains("the kernel has mlx5_0");
        assertThat(found).hasSize(3);
    }

    @Test
    void shouldTellWhetherThePortIsFree() throws Exception {
        checks().ports(found::add);
        assertThat(only()).startsWith("warning  port");

        String head = "  sl  local_address rem_address   st\n";
        file("proc/net/tcp", head + "   0: 0100007F:4E51 0100007F:1234 01 0:0\n");
        checks().ports(found::add);
        assertThat(only()).isEqualTo("ok       port       20049 is free for an export");

        file("proc/net/tcp6", head + "   0: 00000000000000000000000000000000:4E51 0:0 0A 0:0\n");
        checks().ports(found::add);
        assertThat(only()).startsWith("ok       port       20049 is in use");
    }

    @Test
    void shouldTellWhetherTheHostConnectsToItself() throws Exception {
        checks().loopback(Optional.empty(), found::add);
        assertThat(only()).startsWith("warning  loopback").contains("io.verbena.verbs.selftest is not started");

        checks().loopback(Optional.of(new OneStep(null)), found::add);
        assertThat(only()).startsWith("warning  loopback").contains("software iWARP is not started");

        providers.add(new FakeProvider("iwarp", false, List.of()));
        checks().loopback(Optional.of(new OneStep(null)), found::add);
        assertThat(only()).startsWith("problem  loopback").contains("connection refused", "ip link set dev lo up");

        checks().loopback(
                        Optional.of(new OneStep(new SelfTestStep("Send", SelfTestStep.Outcome.FAILED, "it was cut"))),
                        found::add);
        assertThat(only()).startsWith("problem  loopback").contains("Send: it was cut");

        checks().loopback(Optional.of(new OneStep(new SelfTestStep("Send", SelfTestStep.Outcome.OK, ""))), found::add);
        assertThat(only()).startsWith("ok       loopback");
    }
}
