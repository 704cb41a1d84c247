package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The requirements and their tests, read from files, with a check for problems. */
final class Conformance {
    /** The tables of requirements: the transport's specifications, and those of what is above and below it. */
    static final List<String> TABLES = List.of("requirements.tsv", "requirements-rpc-nfs.tsv");

    private final Path root;
    private final Map<String, Requirement> requirements = new LinkedHashMap<>();
    private final Map<String, String> notTakenUp = new LinkedHashMap<>();
    private final Map<String, NotDone> notDone = new LinkedHashMap<>();
    private final Map<String, List<Mutation>> mutations;
    private final Map<TestName, Proof> proofs;
    private final Map<TestName, Outcome> outcomes = new TreeMap<>();

    /** @param root folder of the project, whose test classes are compiled */
    Conformance(Path root) throws IOException {
        this.root = root;
        Path documents = documents(root);
        for (String table : TABLES) {
            if (Files.exists(documents.resolve(table))) {
                Requirement.read(documents.resolve(table), requirements);
            }
        }
        for (Row row : Row.read(documents.resolve("not-taken-up.tsv"), 2, 2)) {
            notTakenUp.put(row.get(0), row.get(1));
        }
        Path undone = documents.resolve("not-done.tsv");
        if (Files.exists(undone)) {
            for (Row row : Row.read(undone, 3, 3)) {
                notDone.put(row.get(0), new NotDone(row.get(1), row.get(2)));
            }
        }
        mutations = Mutation.read(documents.resolve("mutations.txt"));
        List<Path> modules = Proofs.modules(root);
        proofs = Proofs.scan(modules);
        for (Path module : modules) {
            outcomes.putAll(Results.read(module.resolve("target/conformance")));
        }
        outcomes.keySet().retainAll(proofs.keySet());
    }

    static Path documents(Path root) {
        return root.resolve("docs/conformance");
    }

    Map<String, Requirement> requirements() {
        return requirements;
    }

    /** @return the reasons, by id */
    Map<String, String> notTakenUp() {
        return notTakenUp;
    }

    /** @return what no test proves though it is no option, by id */
    Map<String, NotDone> notDone() {
        return notDone;
    }

    List<Mutation> mutations(String id) {
        return mutations.getOrDefault(id, List.of());
    }

    Map<String, List<Mutation>> mutations() {
        return mutations;
    }

    Map<TestName, Proof> proofs() {
        return proofs;
    }

    /** @return the tests that prove a requirement, by name */
    List<Proof> proofs(String id) {
        return proofs.values().stream()
                .filter(proof -> proof.ids().contains(id))
                .toList();
    }

    /** @return the worst outcome of the tests of every build, NOT_RUN where there are none */
    Outcome outcome(String id) {
        return proofs(id).stream()
                .filter(Proof::isInEveryBuild)
                .map(proof -> outcomes.getOrDefault(proof.test(), Outcome.NOT_RUN))
                .reduce(Outcome::worst)
                .orElse(Outcome.NOT_RUN);
    }

    /**
     * @param whole whether every test of every build should have run
     * @return the problems, one in each line
     */
    List<String> problems(boolean whole) {
        List<String> problems = new ArrayList<>();
        checkCoverage(problems);
        checkNames(problems);
        checkMutations(problems);
        checkOutcomes(whole, problems);
        return problems;
    }

    private void checkCoverage(List<String> problems) {
        for (Requirement requirement : requirements.values()) {
            String id = requirement.id();
            boolean proved = proofs(id).stream().anyMatch(Proof::isInEveryBuild);
            boolean left = requirement.isOptional() && notTakenUp.containsKey(id);
            boolean undone = notDone.containsKey(id);
            if (!proved && !left && !undone) {
                problems.add(id + " (" + requirement.level() + ") has no test that every build runs");
            } else if (left && !proofs(id).isEmpty()) {
                problems.add(id + " is said not to be taken up, and has tests");
            } else if (undone && !proofs(id).isEmpty()) {
                problems.add(id + " is said to be " + notDone.get(id).state() + ", and has tests");
            }
        }
        for (String id : notTakenUp.keySet()) {
            if (!requirements.containsKey(id) || !requirements.get(id).isOptional()) {
                problems.add("not-taken-up.tsv: " + id + " is no requirement of level MAY");
            }
        }
        notDone.forEach((id, why) -> {
            if (!requirements.containsKey(id)) {
                problems.add("not-done.tsv: " + id + " is no requirement");
            } else if (!NotDone.STATES.contains(why.state())) {
                problems.add("not-done.tsv: " + id + ": '" + why.state() + "' is no state");
            } else if (notTakenUp.containsKey(id)) {
                problems.add("not-done.tsv: " + id + " stands in not-taken-up.tsv too");
            }
        });
    }

    private void checkNames(List<String> problems) {
        SortedMap<String, TestName> names = new TreeMap<>();
        proofs.forEach((test, proof) -> {
            for (String id : proof.ids()) {
                if (!requirements.containsKey(id)) {
                    problems.add(test.shortName() + " proves " + id + ", which is no requirement");
                }
            }
            TestName other = names.put(test.shortName(), test);
            if (other != null) {
                problems.add("two tests are called " + test.shortName() + ": in " + other.className() + " and "
                        + test.className());
            }
        });
    }

    private void checkMutations(List<String> problems) {
        for (Requirement requirement : requirements.values()) {
            if (requirement.isAbsolute()
                    && !notDone.containsKey(requirement.id())
                    && mutations(requirement.id()).isEmpty()) {
                problems.add(requirement.id() + " (" + requirement.level() + ") is broken by nothing in mutations.txt");
            }
        }
        mutations.forEach((id, edits) -> {
            if (!requirements.containsKey(id)) {
                problems.add("mutations.txt: " + id + " is no requirement");
            }
            edits.stream().filter(Mutation::isEdit).forEach(edit -> {
                if (proofs(id).stream()
                        .noneMatch(proof -> proof.test().shortName().equals(edit.test()))) {
                    problems.add("mutations.txt: " + id + ": " + edit.test() + " is no test that proves it");
                }
                try {
                    edit.apply(root);
                } catch (IOException e) {
                    problems.add("mutations.txt: " + e.getMessage());
                }
            });
        });
    }

    private void checkOutcomes(boolean whole, List<String> problems) {
        proofs.forEach((test, proof) -> {
            Outcome outcome = outcomes.get(test);
            if (outcome == Outcome.FAILED) {
                problems.add(test.shortName() + " failed");
            } else if (whole && proof.isInEveryBuild() && outcome != Outcome.PASSED) {
                problems.add(test.shortName() + (outcome == null ? " was not run" : " was skipped"));
            }
        });
    }

    /** @return a table of requirements with an up-to-date column of tests */
    String withTests(String table) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line : Files.readAllLines(documents(root).resolve(table))) {
            String id = line.substring(0, Math.max(0, line.indexOf('\t')));
            Requirement known = requirements.get(id);
            if (known == null) {
                text.append(line);
            } else {
                List<String> tests = proofs(id).stream().map(Proof::label).toList();
                text.append(String.join(
                        "\t", id, known.level(), known.role(), known.statement(), String.join("; ", tests)));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
