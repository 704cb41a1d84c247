package io.verbena.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The check that the build runs after all tests. Arguments: the project's root; {@code whole} if the build is complete,
 * {@code partial} if parts were left out; {@code write} to update the generated documents, {@code check} if they have
 * to be up to date already. Ends with status 1 and prints the problems where there are any.
 */
public final class Check {
    private Check() {}

    /**
     * @param arguments as described above
     * @throws IOException if a document cannot be read or written
     */
    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toAbsolutePath().normalize();
        boolean whole = arguments[1].equals("whole");
        Conformance conformance = new Conformance(root);
        List<String> problems = new ArrayList<>(conformance.problems(whole));
        List<String> notes = new ArrayList<>();
        if (whole && problems.isEmpty()) {
            Path documents = Conformance.documents(root);
            boolean write = arguments[2].equals("write");
            List<String> stale = write ? notes : problems;
            bring(documents.resolve("report.md"), Report.write(conformance), write, stale);
            for (String table : Conformance.TABLES) {
                bring(documents.resolve(table), conformance.withTests(table), write, stale);
            }
        }
        problems.forEach(problem -> System.out.println("conformance: " + problem));
        notes.forEach(note -> System.out.println("conformance: " + note));
        int ids = conformance.requirements().size();
        System.out.println("conformance: " + ids + " requirements, "
                + conformance.proofs().size() + " tests that prove them, " + problems.size() + " problems"
                + (whole ? "" : "; a part of the build, so the report is left alone"));
        if (!problems.isEmpty()) {
            System.exit(1);
        }
    }

    private static void bring(Path document, String text, boolean write, List<String> stale) throws IOException {
        if (Files.exists(document) && Files.readString(document).equals(text)) {
            return;
        }
        if (write) {
            Files.writeString(document, text);
            stale.add(document + " was out of date and has been written anew: commit it");
        } else {
            stale.add(document + " is out of date: run mvn verify and commit it");
        }
    }
}
