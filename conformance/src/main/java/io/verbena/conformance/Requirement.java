package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A row of {@code requirements.tsv}. */
record Requirement(String id, String level, String role, String statement, String tests) {

    /** @return the requirements by id, in the order of the file */
    static Map<String, Requirement> read(Path file) throws IOException {
        Map<String, Requirement> requirements = new LinkedHashMap<>();
        for (Row row : Row.read(file, 4, 5)) {
            String tests = row.values().size() == 5 ? row.get(4) : "";
            Requirement requirement = new Requirement(row.get(0), row.get(1), row.get(2), row.get(3), tests);
            if (requirements.put(requirement.id, requirement) != null) {
                throw new IOException(file + ": " + requirement.id + " stands there twice");
            }
        }
        return requirements;
    }

    /** @return the specification that the id names: V1, V2, CM or BI */
    String source() {
        return id.substring(0, id.indexOf('-'));
    }

    /** @return whether implementations are free to ignore it */
    boolean isOptional() {
        return level.equals("MAY");
    }

    /** @return whether a mutation has to show that a test of the rule can fail */
    boolean isAbsolute() {
        return level.startsWith("MUST");
    }
}
