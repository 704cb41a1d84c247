package io.verbena.conformance;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles a module with one changed file to a folder of its own, and runs one test with this folder first on the class
 * path.
 */
final class MutantRunner {
    private static final int LIMIT_SECONDS = 120;
    private static final String SOURCES = "/src/main/java/";

    private final String classPath;
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

    MutantRunner(Path root, List<Path> modules, String libraries) {
        Stream<Path> classes = modules.stream()
                .flatMap(module -> Stream.of(module.resolve("target/classes"), module.resolve("target/test-classes")));
        Path own = root.resolve("conformance/target/classes");
        classPath = Stream.concat(Stream.concat(Stream.of(own), classes).map(Path::toString), Stream.of(libraries))
                .collect(Collectors.joining(File.pathSeparator));
    }

    Verdict compileAndRun(Path file, String text, Proof proof) throws IOException, InterruptedException {
        Path mutant = Files.createTempDirectory("mutant");
        try {
            String errors = compile(file, text, mutant);
            return errors.isEmpty()
                    ? run(proof, mutant)
                    : new Verdict(Verdict.Kind.INVALID, "does not compile: " + errors);
        } finally {
            delete(mutant);
        }
    }

    private String compile(Path file, String text, Path target) throws IOException {
        String path = file.toString();
        Path sources = Path.of(path.substring(0, path.indexOf(SOURCES) + SOURCES.length()));
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> all = Files.walk(sources)) {
            List<Path> others = all.filter(source -> source.toString().endsWith(".java"))
                    .filter(source -> !source.equals(file))
                    .toList();
            List<JavaFileObject> units = new ArrayList<>();
            files.getJavaFileObjectsFromPaths(others).forEach(units::add);
            units.add(new Source(file.toUri(), text));
            List<String> options =
                    List.of("-proc:none", "-nowarn", "--release", "17", "-cp", classPath, "-d", target.toString());
            boolean done = compiler.getTask(
                            errors, files, problem -> errors.append(problem + "\n"), options, null, units)
                    .call();
            return done ? "" : errors.toString();
        }
    }

    /** @param mutant the folder of changed classes, or null */
    Verdict run(Proof proof, Path mutant) throws IOException, InterruptedException {
        String front = mutant == null ? "" : mutant + File.pathSeparator;
        Path output = Files.createTempFile("mutant", ".out");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                front + classPath,
                OneTest.class.getName(),
                proof.test().className(),
                proof.test().method());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.directory(proof.module().toFile()).redirectErrorStream(true).redirectOutput(output.toFile());
        Process process = builder.start();
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                return new Verdict(Verdict.Kind.KILLED, "did not end within " + LIMIT_SECONDS + " s");
            }
            String said = Files.readString(output).strip();
            return switch (process.exitValue()) {
                case OneTest.PASSED -> new Verdict(Verdict.Kind.SURVIVED, "");
                case OneTest.FAILED -> new Verdict(Verdict.Kind.KILLED, said.substring(said.lastIndexOf('\n') + 1));
                default -> new Verdict(Verdict.Kind.INVALID, said);
            };
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(URI uri, String text) {
            super(uri, Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
