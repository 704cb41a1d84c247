package io.verbena.cli.rdma.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.Shell;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.internal.SelfTestService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.support.CommandException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests {@code rdma:selftest}, as a user types it. */
@Timeout(60)
class SelfTestCommandTest {
    private static final String BRIEFLY = "rdma:selftest --count 10 ";

    private final IwarpProvider provider = new IwarpProvider(new SystemRuntime(), new DirectMemory());
    private final RdmaServices services = new RdmaServices();
    private final SelfTestService selfTest = new SelfTestService();
    private String loopback;
    private Shell shell;

    @BeforeEach
    void start() throws Exception {
        services.addProvider(provider);
        services.setSelfTest(selfTest);
        shell = new Shell(RdmaServices.class, services);
        loopback = provider.devices().stream()
                .filter(device -> device.attributes().get("addresses").contains("127.0.0.1"))
                .map(RdmaDevice::name)
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void stop() {
        shell.close();
        provider.deactivate();
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertFails(String command) {
        return assertThatThrownBy(() -> shell.run(command))
                .isInstanceOf(CommandException.class)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("\n", "Exception"));
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldTestADevice() throws Exception {
        List<String> lines = shell.run(BRIEFLY + loopback).lines().toList();

        assertThat(lines).hasSize(11).allMatch(line -> line.matches(".{32}  ok.*"));
        assertThat(lines.get(0)).matches("Send +ok");
        assertThat(lines.get(6)).matches("Send latency, 64 octets +ok +[0-9.]+ us median, .* of 10 round trips");
        assertThat(lines.get(8)).matches("RDMA Write bandwidth, 1024 KiB +ok +[0-9.]+ MiB/s, 10 transfers, .*");
    }

    @Test
    void shouldTestAgainstAnotherEnd() throws Exception {
        try (SelfTestListener listener = selfTest.listen(
                provider, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), rejection -> {})) {
            int port = listener.localAddress().getPort();

            assertThat(shell.run(BRIEFLY + "--size 1 127.0.0.1:" + port))
                    .startsWith("connecting to 127.0.0.1:" + port + " by iwarp\n")
                    .contains("Send latency, 1 octets", "ok");
            assertThat(listener.await().outcome()).isEqualTo(SelfTestStep.Outcome.OK);
        }
    }

    @Test
    void shouldListenForAnotherEnd() throws Exception {
        int port = freePort();
        CompletableFuture<String> listening = CompletableFuture.supplyAsync(() -> {
            try {
                return shell.run("rdma:selftest --listen 127.0.0.1:" + port);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        SelfTestReport report = connectOnceItListens(port);

        assertThat(report.failures()).isZero();
        assertThat(listening.get(20, TimeUnit.SECONDS))
                .startsWith("listening at 127.0.0.1:" + port + " by iwarp\n")
                .containsPattern("test by the other end +ok");
    }

    @Test
    void shouldListenInSoftwareUnlessToldOtherwise() throws Exception {
        services.addProvider(new FakeProvider("native"));
        int port = freePort();
        CompletableFuture<String> listening = CompletableFuture.supplyAsync(() -> {
            try {
                return shell.run("rdma:selftest --listen " + port);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        assertThat(connectOnceItListens(port).failures()).isZero();

        assertThat(listening.get(20, TimeUnit.SECONDS)).contains(" by iwarp\n");
        assertFails("rdma:selftest --provider native --listen " + port).hasMessageContaining("only to look at");
        services.removeProvider(provider);
        assertFails("rdma:selftest --listen " + port)
                .hasMessage("the RDMA provider 'iwarp', with which a test listens by itself, is not started: start it,"
                        + " or name another with --provider: native");
    }

    @Test
    void shouldSayThatADeviceHasNoAddress() {
        services.addProvider(new FakeProvider("native"));

        assertFails("rdma:selftest rxe0") // its GIDs contain no addresses
                .hasMessage("device 'rxe0' has no IP address to connect to: give its network interface one");
    }

    @Test
    void shouldConnectByADeviceThatHasARouteRatherThanInSoftware() {
        services.addProvider(new FakeProvider("native", true));

        assertFails("rdma:selftest 127.0.0.1:1").hasMessageContaining("only to look at");
    }

    private SelfTestReport connectOnceItListens(int port) throws Exception {
        SelfTestOptions defaults = SelfTestOptions.DEFAULT;
        SelfTestOptions few = new SelfTestOptions(64, defaults.time(), 10, defaults.timeout(), Map.of());
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try {
                return selfTest.connect(provider, remote, few, step -> {});
            } catch (RdmaException e) {
                assertThat(e.kind()).isEqualTo(RdmaException.Kind.REFUSED);
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
        }
    }

    @Test
    void shouldNameTheDevicesThatThereAre() {
        assertFails("rdma:selftest mlx5_0")
                .hasMessageContaining("no device 'mlx5_0': there is ")
                .hasMessageContaining(loopback)
                .hasMessageContaining("HOST:PORT");
        assertFails("rdma:selftest --provider native " + loopback).hasMessage("no provider 'native': there is iwarp");
    }

    @Test
    void shouldRefuseWhatCannotBeTested() {
        assertFails("rdma:selftest").hasMessageContaining("name a device");
        assertFails("rdma:selftest --listen 1 " + loopback).hasMessageContaining("name a device");
        assertFails("rdma:selftest --size 0 " + loopback).hasMessageContaining("1 to 4096");
        assertFails("rdma:selftest --seconds 61 " + loopback).hasMessageContaining("60 s");
        assertFails("rdma:selftest --count x " + loopback).hasMessage("--count takes a number, not 'x'");
        assertFails("rdma:selftest --listen there").hasMessageContaining("'there' is no [ADDRESS:]PORT");
        assertFails("rdma:selftest --listen 65536").hasMessage("there is no port 65536");
        assertFails("rdma:selftest 127.0.0.1:65536").hasMessage("there is no port 65536");
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        int port = freePort();

        assertFails("rdma:selftest 127.0.0.1:" + port).hasMessageContaining("127.0.0.1:" + port);
    }

    @Test
    void shouldFailWithoutAnyProvider() {
        services.removeProvider(provider);

        assertFails("rdma:selftest x").hasMessage("no RDMA provider is started");
    }

    @Test
    void shouldSayThatTheBundleOfTheTestIsMissing() {
        services.unsetSelfTest(selfTest);

        assertFails("rdma:selftest " + loopback).hasMessage("the bundle of the self-test is not started");
    }
}
