package io.verbena.itests;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonObjectBuilder;
import javax.json.JsonReader;
import javax.json.JsonString;
import javax.json.JsonValue;

/** Chromium without a window, driven by the WebDriver protocol. */
final class Browser implements AutoCloseable {
    private static final List<String> OPTIONS = List.of(
            "--headless",
            "--no-sandbox", // for root, as in a container
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process driver;
    private final URI server;
    private String session = "";

    /** Whether Chromium and its driver are installed. */
    static boolean isAvailable() {
        return Stream.of("chromium", "chromedriver").allMatch(Browser::runs);
    }

    private static boolean runs(String program) {
        try {
            return new ProcessBuilder(program, "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Starts the browser.
     *
     * @param folder for its profile and the driver's log
     */
    Browser(Path folder) throws IOException, InterruptedException {
        int port = Launcher.freePort();
        server = URI.create("http://127.0.0.1:" + port + "/");
        ProcessBuilder builder = new ProcessBuilder("chromedriver", "--port=" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("chromedriver.log").toFile());
        builder.environment().put("TMPDIR", folder.toString());
        driver = builder.start();
        boolean started = false;
        try {
            Launcher.awaitTrue(this::isReady);
            JsonObjectBuilder options = Json.createObjectBuilder()
                    .add("args", Json.createArrayBuilder(OPTIONS).add("--user-data-dir=" + folder.resolve("profile")));
            JsonObjectBuilder match = Json.createObjectBuilder().add("goog:chromeOptions", options);
            JsonObjectBuilder capabilities = Json.createObjectBuilder().add("alwaysMatch", match);
            JsonObject wanted =
                    Json.createObjectBuilder().add("capabilities", capabilities).build();
            String id = post("session", wanted).getJsonObject("value").getString("sessionId");
            session = "session/" + id;
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    private boolean isReady() {
        try {
            return send(HttpRequest.newBuilder(server.resolve("status")))
                    .getJsonObject("value")
                    .getBoolean("ready");
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private JsonObject post(String path, JsonObject body) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(server.resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
    }

    private JsonObject send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("the browser: " + response.body());
        }
        try (JsonReader reader = Json.createReader(new StringReader(response.body()))) {
            return reader.readObject();
        }
    }

    /** Opens a page, and returns when it is loaded. */
    void open(String address) throws IOException, InterruptedException {
        post(session + "/url", Json.createObjectBuilder().add("url", address).build());
    }

    /** Returns the value of an expression in the page, which is a text. */
    String value(String expression) throws IOException {
        JsonObject script = Json.createObjectBuilder()
                .add("script", "return String(" + expression + ")")
                .add("args", JsonValue.EMPTY_JSON_ARRAY)
                .build();
        try {
            return ((JsonString) post(session + "/execute/sync", script).get("value")).getString();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        List<ProcessHandle> all = driver.descendants().toList();
        try {
            if (!session.isEmpty()) {
                send(HttpRequest.newBuilder(server.resolve(session)).DELETE());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            all.forEach(ProcessHandle::destroyForcibly);
            driver.destroyForcibly().onExit().join();
        }
    }
}
