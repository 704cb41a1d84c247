package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** A row of a table of requirements. */
record Requirement(String id, String level, String role, String statement, String tests) {

    /**
     * Adds the requirements of a file, in its order.
     *
     * @param requirements those of other files, by id
     */
    static void read(Path file, Map<String, Requirement> requirements) throws IOException {
        for (Row row : Row.read(file, 4, 5)) {
            String tests = row.values().size() == 5 ? row.get(4) : "";
            Requirement requirement = new Requirement(row.get(0), row.get(1), row.get(2), row.get(3), tests);
            if (requirements.put(requirement.id, requirement) != null) {
                throw new IOException(file + ": " + requirement.id + " stands twice in the tables");
            }
        }
    }

    /** @return the specification that the id names: V1, V2, CM, BI, GSS or ULB */
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
