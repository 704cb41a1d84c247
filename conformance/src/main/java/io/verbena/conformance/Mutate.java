package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Breaks rules as {@code mutations.txt} says, and checks that the tests of these rules fail. Works on compiled modules
 * without changing their files. Arguments: the project's root, the class path of the tests' libraries, and the ids of
 * the requirements to break, or none for all. Ends with status 1 where a mutation survives.
 */
public final class Mutate {
    private final Path root;
    private final Conformance conformance;
    private final MutantRunner runner;
    private final Map<String, Verdict> unbroken = new HashMap<>();

    private Mutate(Path root, String libraries) throws IOException {
        this.root = root;
        conformance = new Conformance(root);
        runner = new MutantRunner(root, Proofs.modules(root), libraries);
    }

    /**
     * @param arguments as described above
     * @throws IOException if sources cannot be read or tests cannot be started
     */
    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path root = Path.of(arguments[0]).toAbsolutePath().normalize();
        Mutate mutate = new Mutate(root, arguments[1]);
        List<String> ids = List.of(arguments).subList(2, arguments.length);
        List<String> bad = new ArrayList<>();
        int count = 0;
        for (Map.Entry<String, List<Mutation>> entry :
                mutate.conformance.mutations().entrySet()) {
            if (!ids.isEmpty() && !ids.contains(entry.getKey())) {
                continue;
            }
            for (Mutation mutation : entry.getValue()) {
                if (mutation.isEdit()) {
                    count++;
                    Verdict verdict = mutate.judge(mutation);
                    System.out.println(mutation.id() + ": " + verdict + " (" + mutation.test() + ")");
                    if (verdict.kind() != Verdict.Kind.KILLED) {
                        bad.add(mutation.id() + ": " + verdict + ": " + mutation.breaks());
                    }
                }
            }
        }
        System.out.println(count + " mutants, " + (count - bad.size()) + " killed");
        bad.forEach(System.out::println);
        System.exit(bad.isEmpty() ? 0 : 1);
    }

    private Verdict judge(Mutation mutation) throws IOException, InterruptedException {
        Proof proof = conformance.proofs(mutation.id()).stream()
                .filter(candidate -> candidate.test().shortName().equals(mutation.test()))
                .findFirst()
                .orElse(null);
        if (proof == null) {
            return new Verdict(Verdict.Kind.INVALID, "no such test proves it");
        }
        Verdict plain = unbroken.get(mutation.test());
        if (plain == null) {
            plain = runner.run(proof, null);
            unbroken.put(mutation.test(), plain);
        }
        if (plain.kind() != Verdict.Kind.SURVIVED) {
            return new Verdict(Verdict.Kind.INVALID, "fails without any edit: " + plain.detail());
        }
        try {
            String mutant = mutation.apply(root);
            return runner.compileAndRun(root.resolve(mutation.file()), mutant, proof);
        } catch (IOException e) {
            return new Verdict(Verdict.Kind.INVALID, e.getMessage());
        }
    }
}
