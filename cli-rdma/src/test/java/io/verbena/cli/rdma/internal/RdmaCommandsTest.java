package io.verbena.cli.rdma.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.CliCommand;
import io.verbena.cli.Shell;
import io.verbena.cli.internal.Providers;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.verbs.RdmaProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the commands of this bundle, as a user types them. */
class RdmaCommandsTest {
    private final RdmaServices services = new RdmaServices();
    private Shell shell;

    @BeforeEach
    void start() throws Exception {
        shell = new Shell(RdmaServices.class, services);
    }

    @AfterEach
    void stop() {
        shell.close();
    }

    @Test
    void shouldHelpWithAnExampleForEveryCommand() throws Exception {
        int commands = 0;
        for (Class<?> type : Shell.commands(RdmaServices.class)) {
            Command command = type.getAnnotation(Command.class);
            if (command != null && CliCommand.class.isAssignableFrom(type)) {
                String name = command.scope() + ":" + command.name();
                assertThat(shell.run(name + " --help")).as(name).contains("Example", name, "DESCRIPTION");
                commands++;
            }
        }
        assertThat(commands).isEqualTo(9);
    }

    @Test
    void shouldShowWhoHoldsMemory() throws Exception {
        assertThat(shell.run("rdma:memory")).contains("there is no budget of direct memory");
        DirectMemory memory = new DirectMemory(64 << 20);
        MemoryShare peer = memory.share("peer 10.0.0.1");
        BufferLease lease = peer.part("connection 7").lease(1 << 20);
        services.setMemory(memory);
        assertThat(shell.run("rdma:memory")).contains("all", "67108864", "peer 10.0.0.1, connection 7", "1048576");
        assertThat(shell.run("rdma:memory --json"))
                .contains("{\"owner\":\"all\",\"octets\":1048576,\"limit\":67108864,\"leases\":1,\"waiting\":0}");
        services.unsetMemory(memory);
        lease.close();
        memory.close();
    }

    @Test
    void shouldListWhatDevicesAre() throws Exception {
        services.addProvider(new FakeProvider("native"));

        assertThat(shell.run("rdma:devices"))
                .contains("Provider", "Device", "Transport", "State", "Addresses", "Registration", "Limits")
                .contains("native", "rxe0", "roce", "active", "fe80::1", "windows of type 2:", "qp_wr=1048576")
                .contains("siw0", "iwarp", "down")
                .doesNotContain("firmware");
        assertThat(shell.run("rdma:devices rxe0"))
                .containsPattern("device +rxe0\n")
                .containsPattern("provider +native\n")
                .containsPattern("registration +windows of type 2\n")
                .containsPattern("firmware +1.0\\\\x0A2\n")
                .doesNotContain("siw0");
        assertThat(shell.run("rdma:devices -l"))
                .containsPattern("device +rxe0\n")
                .containsPattern("device +siw0\n");
        assertThatThrownBy(() -> shell.run("rdma:devices mlx5_0"))
                .isInstanceOf(CommandException.class)
                .hasMessage("no RDMA device 'mlx5_0': there is rxe0, siw0");
    }

    @Test
    void shouldListDevicesAndConnections() throws Exception {
        assertThat(shell.run("rdma:devices")).contains("no RDMA device");
        assertThat(shell.run("rdma:connections")).contains("no connection");
    }

    @Test
    void shouldTellSwapsApartFromOtherSettings() throws Exception {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("version", "2");
        settings.put("swaps", "3");
        settings.put("replayed", "5");
        settings.put("lastSwap", "framing 2, drain 4 ms, pause 12 ms");
        services.addMonitor(
                () -> List.of(new ConnectionStatus(7, "client", "connected", "a", "b", settings, Map.of("calls", 9L))));

        assertThat(shell.run("rdma:connections"))
                .contains("Swaps", "version=2 ", "3, 5 calls replayed;", "calls=9")
                .doesNotContain("swaps=", "replayed=", "lastSwap=");
    }

    @Test
    void shouldTellProgramsOfDevicesAndConnections() throws Exception {
        services.addProvider(new FakeProvider("native"));
        services.addMonitor(() -> List.of(
                new ConnectionStatus(7, "client", "connected", "a", "b", Map.of("version", "2"), Map.of("calls", 9L))));

        assertThat(shell.run("rdma:devices --json"))
                .startsWith("[{\"provider\":\"native\",\"device\":\"rxe0\",")
                .contains("\"state\":\"active\"", "\"firmware\":\"1.0\\n2\"");
        assertThat(shell.run("rdma:devices --json siw0")).startsWith("[{").doesNotContain("rxe0");
        assertThat(shell.run("rdma:connections --json"))
                .isEqualTo("[{\"id\":7,\"role\":\"client\",\"state\":\"connected\",\"local\":\"a\",\"remote\":\"b\","
                        + "\"settings\":{\"version\":\"2\"},\"counters\":{\"calls\":9}}]\n");
        assertThat(shell.run("rdma:connections --no-header"))
                .isEqualTo("7  client  connected  a  b  -  version=2  calls=9\n");
    }

    @Test
    void shouldCompleteNamesOfDevicesAndProviders() {
        services.addProvider(new FakeProvider("other"));

        assertThat(shell.complete("rdma:selftest", "--provider", ""))
                .containsExactly("auto", "native", "iwarp", "other");
        assertThat(shell.complete("rdma:selftest", "r")).contains("rxe0", "siw0");
    }

    /**
     * The bundle of the other commands must not import the package of the provider's type. It therefore repeats the
     * constants that it needs.
     */
    @Test
    void shouldAgreeWithTheContractOnWhereAProvidersNameIs() {
        assertThat(Providers.TYPE).isEqualTo(RdmaProvider.class.getName());
        assertThat(Providers.NAME).isEqualTo(RdmaProvider.NAME);
    }
}
