package io.verbena.cli.internal.transfer;

import java.util.List;
import javax.json.Json;
import javax.json.JsonArrayBuilder;
import javax.json.JsonObjectBuilder;

/** A summary as one JSON object. A class of its own, so that nobody else loads the library. */
public final class SummaryJson {
    private static final double ROUNDING = 1000;

    private SummaryJson() {}

    /** In one line. */
    public static String of(Summary summary) {
        return object(summary).build().toString();
    }

    /**
     * Of a rehearsal, in one line.
     *
     * @param would what would be done, step by step
     */
    public static String of(Summary summary, List<String> would) {
        return object(summary)
                .add("would", Json.createArrayBuilder(would))
                .build()
                .toString();
    }

    private static JsonObjectBuilder object(Summary summary) {
        JsonArrayBuilder failed = Json.createArrayBuilder();
        for (Failure failure : summary.failed()) {
            failed.add(Json.createObjectBuilder().add("path", failure.path()).add("reason", failure.reason()));
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
