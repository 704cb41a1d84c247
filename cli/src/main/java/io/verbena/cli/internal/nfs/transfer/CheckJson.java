package io.verbena.cli.internal.nfs.transfer;

import io.verbena.nfs.transfer.Check;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyStep;
import java.util.List;
import javax.json.Json;
import javax.json.JsonArrayBuilder;
import javax.json.JsonObjectBuilder;

/** Formats the result of a comparison as one JSON object. Only this class loads the JSON library for comparisons. */
final class CheckJson {
    private CheckJson() {}

    static String of(Check check, List<CopyStep> differences) {
        JsonObjectBuilder object = Json.createObjectBuilder();
        for (String word : List.of("missing", "differs", "surplus")) {
            JsonArrayBuilder paths = Json.createArrayBuilder();
            differences.stream()
                    .filter(step -> CheckCommand.word(step.kind()).equals(word))
                    .forEach(step -> paths.add(CheckCommand.path(step)));
            object.add(word, paths);
        }
        JsonArrayBuilder failed = Json.createArrayBuilder();
        for (CopyFailure failure : check.failed()) {
            failed.add(Json.createObjectBuilder()
                    .add("path", failure.path())
                    .add("reason", TransferWords.reason(failure)));
        }
        return object.add("same", check.unchanged())
                .add("skipped", Json.createArrayBuilder(check.skipped()))
                .add("failed", failed)
                .build()
                .toString();
    }
}
