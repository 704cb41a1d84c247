package io.verbena.simulation;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/** Breaks the code as {@code simulation/mutations.txt} says, and shows that the seed of each break fails by it. */
public final class Mutations {
    private static final String SOURCES = "src/main/java/";
    private static final Pattern FAILED = Pattern.compile("seed ([0-9]+) FAILED: (.*)");

    private final Path root;
    private final String classPath;
    private final String compilePath;

    private record Edit(String code, String with) {}

    private record Mutation(String id, String breaks, Path file, List<Edit> edits, String seed, String found) {}

    private Mutations(Path root, String classPath, String compilePath) {
        this.root = root;
        this.classPath = classPath;
        this.compilePath = compilePath;
    }

    /**
     * @param arguments the root of the checkout, the class path of the simulation, what the compiler needs besides, and
     *     the ids of mutations, or none for all; an id may have other seeds behind a colon
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path root = Path.of(arguments[0]);
        Mutations mutations = new Mutations(root, arguments[1], arguments[2]);
        List<String> wanted = List.of(arguments).subList(3, arguments.length);
        int unnoticed = 0;
        List<Mutation> all = read(root.resolve("simulation/mutations.txt"));
        List<String> unknown = wanted.stream()
                .filter(each -> all.stream().noneMatch(mutation -> mutation.id.equals(each.split(":", 2)[0])))
                .toList();
        if (!unknown.isEmpty()) {
            System.err.println("no break in mutations.txt has the name " + String.join(", ", unknown));
            System.exit(2);
        }
        for (Mutation each : all) {
            for (String seeds : seeds(each, wanted)) {
                String failure = mutations.failure(each, seeds);
                String flaw = failure == null ? "NOT FOUND by " + seeds : mutations.flaw(each, seeds, failure);
                System.out.println(each.id + ": " + (failure == null ? "" : failure) + (flaw == null ? "" : flaw));
                unnoticed += flaw == null ? 0 : 1;
            }
        }
        System.exit(unnoticed == 0 ? 0 : 1);
    }

    private static List<String> seeds(Mutation mutation, List<String> wanted) {
        if (wanted.isEmpty()) {
            return List.of(mutation.seed);
        }
        return wanted.stream()
                .map(each -> each.split(":", 2))
                .filter(each -> each[0].equals(mutation.id))
                .map(each -> each.length == 1 ? mutation.seed : each[1])
                .toList();
    }

    private static List<Mutation> read(Path file) throws IOException {
        List<Mutation> all = new ArrayList<>();
        String text = Files.readString(file)
                .lines()
                .filter(line -> !line.startsWith("#"))
                .collect(Collectors.joining("\n"));
        for (String entry : text.strip().split("\n\n+", -1)) {
            all.add(parse(entry));
        }
        return all;
    }

    private static Mutation parse(String entry) {
        List<String> codes = values(entry, "code");
        List<String> replacements = values(entry, "with");
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i < codes.size(); i++) {
            edits.add(new Edit(codes.get(i), replacements.get(i)));
        }
        return new Mutation(
                values(entry, "id").get(0),
                values(entry, "breaks").get(0),
                Path.of(values(entry, "file").get(0)),
                edits,
                values(entry, "seed").get(0),
                values(entry, "found").get(0));
    }

    private static List<String> values(String entry, String key) {
        return entry.lines()
                .filter(line -> line.startsWith(key + ": "))
                .map(line -> line.substring(key.length() + 2))
                .toList();
    }

    /** Why a failure of a seed does not show that the break was found; null where it does. */
    private String flaw(Mutation mutation, String seeds, String failure) throws IOException, InterruptedException {
        Matcher parts = FAILED.matcher(failure);
        if (!parts.matches()) {
            throw new IllegalStateException(failure);
        }
        String unbroken = run(null, parts.group(1));
        if (unbroken != null) {
            return "\n    FAILS WITHOUT THE BREAK: " + unbroken;
        }
        boolean isNoted = seeds.equals(mutation.seed);
        return isNoted && !Failures.tells(parts.group(2), mutation.found)
                ? "\n    NOT WHAT WAS FOUND BEFORE: " + mutation.found
                : null;
    }

    /** What the worlds of these seeds report first over the broken code; null for nothing. */
    private String failure(Mutation mutation, String seeds) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("verbena-mutation");
        try {
            compile(mutation, folder);
            return run(folder, seeds);
        } finally {
            try (var all = Files.walk(folder)) {
                for (Path each :
                        all.sorted((one, other) -> other.compareTo(one)).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private void compile(Mutation mutation, Path folder) throws IOException {
        String source = Files.readString(root.resolve(mutation.file));
        for (Edit edit : mutation.edits) {
            source = replace(mutation, source, edit);
        }
        String name = mutation.file.toString().replace(File.separatorChar, '/');
        Path copy = folder.resolve("source").resolve(name.substring(name.indexOf(SOURCES) + SOURCES.length()));
        Files.createDirectories(copy.getParent());
        Files.writeString(copy, source);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        System.err,
                        "-proc:none",
                        "-nowarn",
                        "--release",
                        "17",
                        "-d",
                        classes.toString(),
                        "-cp",
                        classPath + File.pathSeparator + compilePath,
                        copy.toString());
        if (status != 0) {
            throw new IllegalStateException(mutation.id + " cannot be compiled");
        }
    }

    /** Replaces the only occurrence of some code, white space aside. */
    private static String replace(Mutation mutation, String source, Edit edit) {
        String pattern =
                Arrays.stream(edit.code.split("\\s+", -1)).map(Pattern::quote).collect(Collectors.joining("\\s+"));
        Matcher found = Pattern.compile(pattern).matcher(source);
        if (found.results().count() != 1) {
            throw new IllegalStateException(mutation.id + ": not once in " + mutation.file + ": " + edit.code);
        }
        return found.reset().replaceFirst(Matcher.quoteReplacement(edit.with));
    }

    /** @param folder of the broken classes; null for the code as it is */
    private String run(Path folder, String seeds) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-Xmx1g",
                "-cp",
                (folder == null ? "" : folder.resolve("classes") + File.pathSeparator) + classPath,
                Main.class.getName(),
                "--seeds",
                seeds,
                "--jobs",
                "2");
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(" FAILED: ")) {
                    return line;
                }
            }
            return null;
        } finally {
            child.destroyForcibly().waitFor();
        }
    }
}
