package io.verbena.cli.internal.nfs.transfer;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopySummary;
import java.util.List;
import javax.json.Json;
import javax.json.JsonArrayBuilder;
import javax.json.JsonObjectBuilder;

/** Formats a summary as one JSON object. Only this class loads the JSON library for summaries. */
final class SummaryJson {
    private static final double ROUNDING = 1000;

    private SummaryJson() {}

    /** Returns a summary in one line. */
    static String of(CopySummary summary) {
        return object(summary).build().toString();
    }

    /**
     * Returns the summary of a rehearsal in one line.
     *
     * @param would the steps that would be taken
     */
    static String of(CopySummary summary, List<String> would) {
        return object(summary)
                .add("would", Json.createArrayBuilder(would))
                .build()
                .toString();
    }

    private static JsonObjectBuilder object(CopySummary summary) {
        JsonArrayBuilder failed = Json.createArrayBuilder();
        for (CopyFailure failure : summary.failed()) {
            failed.add(Json.createObjectBuilder()
                    .add("path", failure.path())
                    .add("reason", TransferWords.reason(failure)));
        }
        return Json.createObjectBuilder()
                .add("files", summary.files())
                .add("octets", summary.octets())
                .add("seconds", Math.round(summary.seconds() * ROUNDING) / ROUNDING)
                .add("unchanged", summary.unchanged())
                .add("kept", summary.kept())
                .add("removed", summary.removed())
                .add("skipped", Json.createArrayBuilder(summary.skipped()))
                .add("failed", failed)
                .add("hardLinks", summary.besides().linked())
                .add("separatedHardLinks", summary.besides().separated())
                .add("withExtendedAttributes", summary.besides().withExtendedAttributes())
                .add("withoutLinkTimes", summary.besides().withoutLinkTimes())
                .add("replacements", summary.replacements());
    }
}
