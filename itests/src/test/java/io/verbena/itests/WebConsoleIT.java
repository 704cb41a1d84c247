package io.verbena.itests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page of the web console in the running distribution, in a browser, while mounts come and go. */
@Timeout(value = 280, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WebConsoleIT {
    private static final String USER = "tester:not-a-secret";
    private static final String MARKUP = "<b id=\"injected\">w</b> &amp;";
    private static final String PAGE = "/system/console/verbena";
    private static final String CONFIGURATION = "org.apache.felix.webconsole.internal.servlet.KarafOsgiManager";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private int http;
    private Path gate;
    private Path state;
    private Launcher verbena;

    /** Makes a state directory, whose configuration has a user, a port, and a mount with markup in its name. */
    @BeforeEach
    void prepare() throws Exception {
        verbena = new Launcher(folder);
        http = Launcher.freePort();
        gate = verbena.makeGate();
        state = folder.resolve("state");
        Launcher.Result made = verbena.run("--state", state.toString(), "-c", "echo made");
        assertThat(made.status()).as(made.err()).isZero();
        Path etc = state.resolve("etc");
        assertThat(Files.readAllLines(etc.resolve("users.properties"))).allMatch(line -> line.startsWith("#"));
        Files.writeString(
                etc.resolve("users.properties"),
                USER.replace(":", " = ") + ",_g_:admingroup\n_g_\\:admingroup = group,admin,manager,viewer\n",
                StandardOpenOption.APPEND);
        Path server = etc.resolve("org.ops4j.pax.web.cfg");
        Files.writeString(server, Files.readString(server).replace("http.port = 8181", "http.port = " + http));
        Files.writeString(
                etc.resolve("io.verbena.nfs.mount-markup.cfg"),
                "verbena.mount.name = " + MARKUP + "\nserver = 127.0.0.1\nexport = /\n" + "options = port="
                        + Launcher.freePort() + "\n");
    }

    private HttpResponse<String> get(String host, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + host + ":" + http + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> getAs(String user, String path) throws IOException, InterruptedException {
        String encoded = Base64.getEncoder().encodeToString(user.getBytes(UTF_8));
        return get("127.0.0.1", path, "Authorization", "Basic " + encoded);
    }

    /** Waits until the console answers with a status; a failure tells what it has answered last, and the run's log. */
    private void awaitConsole(Launcher.Run run, int status) throws Exception {
        AtomicReference<String> last = new AtomicReference<>("nothing was asked");
        try {
            Launcher.awaitTrue(() -> {
                run.expectAlive();
                try {
                    HttpResponse<String> answer = getAs(USER, PAGE);
                    last.set("status " + answer.statusCode() + ": " + answer.body());
                    return answer.statusCode() == status;
                } catch (ConnectException e) {
                    last.set("no connection to port " + http + ": " + e);
                    return false;
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        } catch (AssertionError e) {
            throw new AssertionError(last + "\n" + run.printed() + "\n" + log(), e);
        }
    }

    private String log() throws IOException {
        Path log = state.resolve("data/log/karaf.log");
        return Files.exists(log) ? Files.readString(log) : "there is no " + log;
    }

    @Test
    void shouldAskForAPasswordOnLoopback() throws Exception {
        // a home without Maven's repository: all bundles come out of the distribution
        Launcher.Run run = verbena.startWith(
                Map.of("VERBENA_OPTS", "-Duser.home=" + folder),
                "--state",
                state.toString(),
                "-c",
                "feature:install verbena-webconsole\necho installed\ncat " + gate);
        run.await("installed");
        awaitConsole(run, 200);

        assertThat(get("127.0.0.1", PAGE).statusCode()).isEqualTo(401);
        assertThat(get("127.0.0.1", PAGE + "/figures.json").statusCode()).isEqualTo(401);
        assertThat(getAs("tester:wrong", PAGE).statusCode()).isEqualTo(401);
        assertThat(getAs("karaf:karaf", PAGE).statusCode()).isEqualTo(401);
        assertThat(getAs("admin:admin", PAGE).statusCode()).isEqualTo(401);
        // a server at all addresses would answer at this one
        assertThatThrownBy(() -> get("127.0.0.2", PAGE)).isInstanceOf(ConnectException.class);

        HttpResponse<String> shown = getAs(USER, PAGE);
        assertThat(shown.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "frame-ancestors 'none'");
        assertThat(shown.body()).contains("data-figures=\"" + PAGE + "/figures.json\"");
        assertThat(getAs(USER, PAGE + "/nothing").statusCode()).isEqualTo(404);
        for (String page : List.of("bundles", "configMgr", "services", "gogo", "features", "vmstat", "memoryusage")) {
            assertThat(getAs(USER, "/system/console/" + page).statusCode())
                    .as(page)
                    .isEqualTo(404);
        }

        Launcher.open(gate);
        Launcher.Result result = run.await();
        assertThat(result.status()).as(result.out() + result.err()).isZero();
        // the console and the web server can wait for each other for ever if the configuration comes while they start
        assertThat(log())
                .doesNotContain("Updating configuration {" + CONFIGURATION)
                .doesNotContain("Creating configuration {" + CONFIGURATION);
        assertThat(state.resolve("etc").resolve(CONFIGURATION + ".cfg"))
                .hasSameTextualContentAs(Path.of("../karaf-distro/src/main/resources/etc", CONFIGURATION + ".cfg"));
    }

    @Test
    void shouldShowMountsAndPlotsInABrowser() throws Exception {
        assumeTrue(Browser.isAvailable(), "there is no chromium, or no chromedriver");
        int port = Launcher.freePort();
        Path served = Files.createDirectory(folder.resolve("served"));
        byte[] content = new byte[3 << 20];
        new Random(1).nextBytes(content); // zeros would be a hole, and no WRITE
        Path file = Files.write(folder.resolve("file"), content);
        Launcher.Run run = verbena.start(
                "--state",
                state.toString(),
                "-c",
                String.join(
                        "\n",
                        "feature:install verbena-webconsole",
                        "nfs:export --no-root-squash --port " + port + " --name served " + served,
                        "nfs:mount -o port=" + port + " 127.0.0.1:/ w",
                        "rdma:trace start " + folder.resolve("trace.pcapng"),
                        "echo mounted",
                        "cat " + gate,
                        "nfs:put -q " + file + " w:/",
                        "nfs:get -q w:/file " + folder.resolve("back"),
                        "rdma:trace stop",
                        "echo moved",
                        "cat " + gate,
                        "nfs:unmount w",
                        "echo gone",
                        "cat " + gate,
                        "bundle:stop io.verbena.webconsole",
                        "echo stopped",
                        "cat " + gate));
        run.await("mounted");
        awaitConsole(run, 200);
        try (Browser browser = new Browser(Files.createDirectory(folder.resolve("browser")))) {
            browser.open("http://" + USER + "@127.0.0.1:" + http + PAGE);
            awaitText(browser, "#verbena-mounts td", "w");
            awaitText(browser, "#verbena-mounts td", MARKUP);
            awaitText(browser, "#verbena-mounts h4", MARKUP);
            assertThat(browser.value("document.getElementById('injected')")).isEqualTo("null");
            awaitText(browser, "#verbena-connections td", "client");
            awaitText(browser, "#verbena-connections td", "server");
            awaitText(browser, "#verbena-holders td", "mount w");
            awaitText(browser, "#verbena-traces td", "running");
            // a line at the bottom: nothing has moved since the page was opened
            awaitTrue(browser, line("read") + ".length > 1");

            Launcher.open(gate);
            run.await("moved");
            awaitText(browser, "#verbena-mounts td", "3.0 MiB");
            awaitTrue(browser, line("read") + ".some((point) => !point.endsWith(',119.0'))");
            awaitTrue(browser, line("written") + ".some((point) => !point.endsWith(',119.0'))");
            awaitTrue(browser, line("almostAll") + ".length > 0");
            awaitText(browser, "#verbena-traces td", "ended");

            Launcher.open(gate);
            run.await("gone");
            awaitTrue(browser, "!" + texts("#verbena-mounts td") + ".includes('w')");
            awaitText(browser, "#verbena-mounts td", MARKUP);

            Launcher.open(gate);
            run.await("stopped");
            awaitTrue(browser, "document.getElementById('verbena-trouble').textContent.includes('status 404')");
        }
        Launcher.open(gate);
        Launcher.Result result = run.await();
        assertThat(result.status()).as(result.out() + result.err()).isZero();
    }

    /** The texts of all elements of a kind. */
    private static String texts(String selector) {
        return "Array.from(document.querySelectorAll('" + selector + "'), (each) => each.textContent)";
    }

    /** The points of the lines of a kind in the plots of the mount {@code w}. */
    private static String line(String kind) {
        return "Array.from(document.querySelectorAll('[data-mount=\"w\"] polyline." + kind
                + "')).flatMap((each) => each.getAttribute('points').split(' '))";
    }

    private static void awaitText(Browser browser, String selector, String text) throws Exception {
        awaitTrue(browser, texts(selector) + ".includes('" + text + "')");
    }

    private static void awaitTrue(Browser browser, String expression) throws Exception {
        try {
            Launcher.awaitTrue(() -> {
                try {
                    return browser.value(expression).equals("true");
                } catch (IOException e) {
                    return false; // the element is not there yet
                }
            });
        } catch (AssertionError e) {
            throw new AssertionError(expression + " in " + browser.value("document.body.innerText"), e);
        }
    }
}
