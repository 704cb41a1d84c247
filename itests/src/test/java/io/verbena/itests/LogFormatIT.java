package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log in JSON: an object in each line, whatever the messages are. */
final class LogFormatIT {
    /** A message that ends its string and its line, and begins a line of its own. The shell reads single quotes. */
    private static final String FORGED = "\\\"} {\"time\":\"1\"} \u001b[31m\u0085 \u2028 x";

    private static final Path ETC = Path.of("../karaf-distro/target/assembly/etc");

    @TempDir
    private Path temporary;

    private Path folder;

    private List<JsonObject> log(Launcher.Run run) throws Exception {
        Launcher.Result result = run.await();
        assertThat(result.out()).as(result.err()).contains("begun");
        return Files.readAllLines(folder.resolve("data/log/karaf.log")).stream()
                .map(LogFormatIT::parse)
                .toList();
    }

    private static JsonObject parse(String line) {
        try (JsonReader reader = Json.createReader(new StringReader(line))) {
            JsonObject parsed = reader.readObject();
            assertThat(parsed.keySet())
                    .as("%s", line)
                    .containsExactlyInAnyOrder("time", "level", "thread", "logger", "bundle", "message", "exception");
            assertThat(Instant.parse(parsed.getString("time"))).isAfter(Instant.EPOCH);
            return parsed;
        }
    }

    private Launcher.Run start(Map<String, String> environment, String... arguments) throws IOException {
        Path top = temporary.toRealPath();
        folder = top.resolve("state");
        logFailuresOfCommands(Files.createDirectories(folder.resolve("etc")));
        Path script = Files.writeString(
                top.resolve("script"), "log:log '" + FORGED + "'\nnfs:ls 'no\\nwhere:/'\necho begun\n");
        String[] all = new String[arguments.length + 4];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--keep-going";
        all[arguments.length + 1] = "--state";
        all[arguments.length + 2] = folder.toString();
        all[arguments.length + 3] = script.toString();
        return new Launcher(top).startWith(environment, all);
    }

    /** Prepares a configuration by which the log has the stack trace of each command that fails. */
    private static void logFailuresOfCommands(Path etc) throws IOException {
        try (Stream<Path> files = Files.list(ETC)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, etc.resolve(file.getFileName()));
            }
        }
        Files.writeString(
                etc.resolve("org.ops4j.pax.logging.cfg"),
                "log4j2.logger.script.name = io.verbena.cli.internal.script\nlog4j2.logger.script.level = DEBUG\n",
                StandardOpenOption.APPEND);
    }

    @Test
    void shouldWriteAnObjectInEachLine() throws Exception {
        List<JsonObject> lines = log(start(Map.of(), "--log-json"));

        assertThat(lines).hasSizeGreaterThan(5);
        assertThat(lines.stream().map(line -> line.getString("message"))).contains(FORGED);
        assertThat(lines.stream().map(line -> line.getString("exception")))
                .anyMatch(trace -> trace.contains("\n\tat "));
        assertThat(lines.stream().map(line -> line.getString("level"))).contains("INFO", "DEBUG");
    }

    @Test
    void shouldTakeTheFormatFromTheEnvironment() throws Exception {
        assertThat(log(start(Map.of("VERBENA_LOG_FORMAT", "json")))).isNotEmpty();
    }

    @Test
    void shouldWriteTextOtherwise() throws Exception {
        start(Map.of()).await();

        assertThat(Files.readString(folder.resolve("data/log/karaf.log"))).contains(" | INFO  | ");
        assertThat(folder.resolve("data/log/bootstrap.log")).doesNotExist();
    }

    @Test
    void shouldRefuseAnotherFormat() throws Exception {
        Launcher.Result run = start(Map.of("VERBENA_LOG_FORMAT", "xml")).await();

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("verbena: VERBENA_LOG_FORMAT is 'xml', but the log's lines are text or json\n");
    }
}
