package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examination of a host through the launcher, whether the container can start or not. */
final class DoctorIT {
    @TempDir
    private Path folder;

    private Launcher verbena;

    @BeforeEach
    void setUp() throws IOException {
        verbena = new Launcher(folder);
    }

    private static List<String> lines(Launcher.Result run, String what) {
        return run.out()
                .lines()
                .filter(line -> line.matches("(ok|warning|problem) +" + what + "  .*"))
                .toList();
    }

    @Test
    void shouldTellOfTheHostAndEndWithStatusZero() throws Exception {
        Launcher.Result run = verbena.run("doctor");

        assertThat(run.err()).isEmpty();
        assertThat(run.status()).as(run.out()).isZero();
        assertThat(run.out().lines()).allMatch(line -> line.matches("(ok|warning) +[a-z]+ +\\S.*"));
        assertThat(run.out().lines().findFirst().orElse("")).matches("(ok|warning) +(locale|start) .*");
        for (String what : List.of(
                "start", "java", "names", "devices", "port", "loopback", "limits", "memory", "clock", "directory")) {
            assertThat(lines(run, what + " *")).as(what).isNotEmpty();
        }
        assertThat(lines(run, "bundles *")).singleElement().asString().contains("are active");
        assertThat(lines(run, "component *")).containsExactly("ok       component  all are satisfied");
        assertThat(verbena.temporary()).isEmptyDirectory();
    }

    @Test
    void shouldPrintOneJsonDocument() throws Exception {
        Launcher.Result run = verbena.run("doctor", "--json");

        assertThat(run.out()).hasLineCount(1).startsWith("{\"problems\":0,\"warnings\":");
        assertThat(run.out()).contains("{\"level\":\"ok\",\"what\":\"bundles\",\"found\":");
        assertThat(run.status()).isZero();
    }

    @Test
    void shouldSayWhereTheWayToAServerEnds() throws Exception {
        int served = Launcher.freePort();
        Path exported = Files.createDirectory(folder.resolve("exported"));
        Launcher.Run server = verbena.start("serve", "--port", String.valueOf(served), exported.toString());
        try {
            Launcher.awaitTrue(() -> Files.readString(server.err()).contains("exported"));
            Launcher.Result whole = verbena.run("doctor", "127.0.0.1:" + served);
            assertThat(whole.status()).as(whole.out()).isZero();
            assertThat(lines(whole, "name *")).containsExactly("ok       name       127.0.0.1 is 127.0.0.1");
            assertThat(lines(whole, "port *")).contains("ok       port       " + served + " answers");
            assertThat(lines(whole, "handshake *")).singleElement().asString().contains("RPC over RDMA version");
            assertThat(lines(whole, "call *")).singleElement().asString().startsWith("ok ");
            assertThat(lines(whole, "nfs *")).singleElement().asString().contains("NFSv4.1 is served");
        } finally {
            server.process().destroy();
            server.await();
        }
        Launcher.Result closed = verbena.run("doctor", "127.0.0.1:" + Launcher.freePort());
        assertThat(lines(closed, "port *"))
                .last()
                .asString()
                .startsWith("problem")
                .contains("refused", "to do: ");
        assertThat(closed.failures()).containsExactly("verbena: 1 problem found: see above");
        assertThat(closed.status()).isEqualTo(1);
    }

    @Test
    void shouldTellAPortFromAHandshake() throws Exception {
        byte[] greeting = "220 welcome to another service\r\n".getBytes(StandardCharsets.US_ASCII);
        Thread greeter;
        Launcher.Result run;
        try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            greeter = new Thread(() -> {
                try {
                    while (true) {
                        plain.accept().getOutputStream().write(greeting);
                    }
                } catch (IOException e) {
                    return; // the test has closed the socket
                }
            });
            greeter.start();
            run = verbena.run("doctor", "--json", "127.0.0.1:" + plain.getLocalPort());
        }
        greeter.join();

        assertThat(run.out())
                .contains("\"what\":\"handshake\"", "does not speak MPA")
                .contains("{\"problems\":1,");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void shouldTellWhatIsWrongWhereTheContainerCannotStart() throws Exception {
        Launcher.Result noJava = verbena.startWith(Map.of("JAVA_HOME", "/no/such/\"jdk"), "doctor")
                .await();
        assertThat(lines(noJava, "java *"))
                .containsExactly("problem  java       JAVA_HOME is '/no/such/\"jdk', but there is no bin/java in it");
        assertThat(lines(noJava, "locale *")).hasSize(1);
        assertThat(noJava.err()).isEmpty();
        assertThat(noJava.status()).isEqualTo(1);

        Launcher.Result json = verbena.startWith(Map.of("JAVA_HOME", "/no/such/\"jdk"), "doctor", "--json")
                .await();
        assertThat(json.out()).hasLineCount(1).startsWith("{\"problems\":1,").contains("'/no/such/\\\"jdk'");

        Launcher.Result noRoom = verbena.startWith(Map.of("TMPDIR", folder + "/missing"), "doctor")
                .await();
        assertThat(lines(noRoom, "directory *"))
                .singleElement()
                .asString()
                .startsWith("problem")
                .contains("missing", "as in TMPDIR=");
        assertThat(noRoom.status()).isEqualTo(1);
    }

    @Test
    void shouldTellWhatTheLauncherFoundWhereTheJvmEnds() throws Exception {
        Launcher.Result run = verbena.startWith(Map.of("VERBENA_OPTS", "-XX:NoSuchOption"), "doctor")
                .await();

        assertThat(run.err()).contains("NoSuchOption");
        assertThat(lines(run, "container *")).singleElement().asString().startsWith("problem");
        assertThat(lines(run, "start *")).hasSize(1);
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void shouldRefuseWrongUse() throws Exception {
        Launcher.Result run = verbena.run("doctor", "--nonsense");

        assertThat(run.out()).isEmpty();
        assertThat(run.failures()).hasSize(1);
        assertThat(run.status()).isEqualTo(2);
    }
}
