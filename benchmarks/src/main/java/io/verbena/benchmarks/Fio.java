package io.verbena.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.json.Json;
import javax.json.JsonObject;
import javax.json.JsonReader;

/** Runs of {@code fio}. */
final class Fio {
    private Fio() {}

    /**
     * Runs one job, all of whose threads are counted together.
     *
     * @param reads whether the job reads or writes
     * @param options of the job
     * @return the octets a second
     */
    static double run(boolean reads, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("fio", "--name=case", "--output-format=json"));
        command.addAll(options);
        Process fio = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output;
        try (InputStream printed = fio.getInputStream()) {
            output = new String(printed.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (fio.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        try (JsonReader reader = Json.createReader(new StringReader(output.substring(output.indexOf('{'))))) {
            JsonObject job = reader.readObject().getJsonArray("jobs").getJsonObject(0);
            return job.getJsonObject(reads ? "read" : "write")
                    .getJsonNumber("bw_bytes")
                    .doubleValue();
        }
    }
}
