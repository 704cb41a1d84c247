package io.verbena.conformance;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes {@code report.md}. The same facts yield the same text on any machine and at any time. */
final class Report {
    private static final Map<String, String> SOURCES = new LinkedHashMap<>();

    static {
        SOURCES.put("V1", "RPC-over-RDMA Version One (draft-ietf-nfsv4-rfc5666bis-01, which became RFC 8166)");
        SOURCES.put("V2", "RPC-over-RDMA Version Two (the draft of 3 June 2016)");
        SOURCES.put("CM", "Private data of the connection manager (RFC 8797)");
        SOURCES.put("BI", "Calls in both directions (RFC 8167)");
        SOURCES.put("GSS", "RPCSEC_GSS version 1 (RFC 2203)");
        SOURCES.put("ULB", "The binding of NFS to RPC-over-RDMA Version One (RFC 8267)");
    }

    private final Conformance conformance;
    private final StringBuilder text = new StringBuilder();

    private Report(Conformance conformance) {
        this.conformance = conformance;
    }

    static String write(Conformance conformance) {
        Report report = new Report(conformance);
        report.text.append(
                """
                # Conformance

                Written by `mvn verify`; [README.md](README.md) says how, and what the columns mean.

                """);
        report.summary();
        SOURCES.forEach(report::section);
        return report.text.toString();
    }

    private void summary() {
        text.append(
                """
                | level | requirements | passed | not taken up | not applicable | not done | open |
                |---|---|---|---|---|---|---|
                """);
        for (String level : List.of("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")) {
            List<Requirement> rows = conformance.requirements().values().stream()
                    .filter(requirement -> requirement.level().equals(level))
                    .toList();
            Map<String, Long> counts =
                    rows.stream().collect(Collectors.groupingBy(this::result, Collectors.counting()));
            long passed = counts.getOrDefault("passed", 0L);
            long left = counts.getOrDefault("not taken up", 0L);
            long foreign = counts.getOrDefault("not applicable", 0L);
            long undone = counts.getOrDefault("not done", 0L);
            long open = rows.size() - passed - left - foreign - undone;
            row(level, rows.size() + "", passed + "", left + "", foreign + "", undone + "", open + "");
        }
    }

    private void section(String source, String title) {
        text.append("\n## ").append(title).append("\n\n");
        text.append("| id | level | statement | tests | result | how the rule was broken to see a test fail |\n");
        text.append("|---|---|---|---|---|---|\n");
        conformance.requirements().values().stream()
                .filter(requirement -> requirement.source().equals(source))
                .forEach(this::requirement);
    }

    private void requirement(Requirement requirement) {
        String id = requirement.id();
        String tests = conformance.proofs(id).stream()
                .map(proof -> "`" + proof.test().shortName() + "`"
                        + (proof.isInEveryBuild() ? "" : " (" + String.join(", ", proof.needs()) + ")"))
                .collect(Collectors.joining("<br>"));
        String broken = conformance.mutations(id).stream()
                .map(edit -> edit.isEdit() ? edit.breaks() + ": `" + edit.test() + "`" : edit.breaks())
                .collect(Collectors.joining("<br>"));
        NotDone undone = conformance.notDone().get(id);
        String reason = undone == null ? conformance.notTakenUp().get(id) : undone.reason();
        row(
                id,
                requirement.level(),
                requirement.statement(),
                tests,
                result(requirement) + (reason == null ? "" : ": " + reason),
                broken);
    }

    private String result(Requirement requirement) {
        NotDone undone = conformance.notDone().get(requirement.id());
        if (undone != null) {
            return undone.state();
        }
        return conformance.notTakenUp().containsKey(requirement.id())
                ? "not taken up"
                : conformance
                        .outcome(requirement.id())
                        .name()
                        .toLowerCase(Locale.ROOT)
                        .replace('_', ' ');
    }

    private void row(String... cells) {
        text.append("| ");
        for (int i = 0; i < cells.length; i++) {
            text.append(i == 0 ? "" : " | ").append(cells[i].replace("|", "\\|"));
        }
        text.append(" |\n");
    }
}
