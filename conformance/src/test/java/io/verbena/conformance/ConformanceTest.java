package io.verbena.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check and the report, on a project of one module with one test class and one source file. */
final class ConformanceTest {
    private static final TestName PLAIN = new TestName(Sample.class.getName(), "shouldBeInEveryBuild");
    private static final String PLAIN_NAME = "ConformanceTest.Sample.shouldBeInEveryBuild";
    private static final String TAGGED_NAME = "ConformanceTest.Sample.shouldNeedMore";

    private static final String ANNOTATED_NAME = "ConformanceTest.OfAnAnnotation.shouldNeedWhatItsAnnotationNeeds";

    @TempDir
    private Path root;

    static final class Sample {
        @Test
        @Proves({"V1-1-1", "V1-1-2"})
        void shouldBeInEveryBuild() {}

        @Test
        @Tag("linux-peer")
        @Proves({"V1-1-1", "V1-1-2"})
        void shouldNeedMore() {}
    }

    @Tag("linux-peer")
    @Retention(RetentionPolicy.RUNTIME)
    @interface NeedsAPeer {}

    @NeedsAPeer
    static final class OfAnAnnotation {
        @Test
        @Proves("V1-1-1")
        void shouldNeedWhatItsAnnotationNeeds() {}
    }

    /** Would prove an unknown requirement, if it counted. */
    @Tag("in-guest")
    static class InGuest {
        static final class Inside {
            @Test
            @Proves("V1-0-0")
            void shouldNotCount() {}
        }
    }

    @BeforeEach
    void layOut() throws IOException {
        Path classes = root.resolve("module/target/test-classes");
        for (Class<?> type : new Class<?>[] {
            Sample.class,
            NeedsAPeer.class,
            OfAnAnnotation.class,
            InGuest.class,
            InGuest.Inside.class,
            ConformanceTest.class
        }) {
            String name = type.getName().replace('.', '/') + ".class";
            Files.createDirectories(classes.resolve(name).getParent());
            try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
                Files.copy(in, classes.resolve(name));
            }
        }
        Files.createDirectories(root.resolve("docs/conformance"));
        requirements("V1-1-1\tMUST\tboth\tA rule.", "V1-1-2\tSHOULD\treq\tAnother | one.");
        document("not-taken-up.tsv", "# id\treason\n");
        Files.writeString(root.resolve("Code.java"), "if (a\n        < b) {}\n");
        mutation("if (a < b)", PLAIN_NAME);
        ran(Outcome.PASSED);
    }

    private void requirements(String... rows) throws IOException {
        document("requirements.tsv", "# head\n" + String.join("\n", rows) + "\n");
    }

    private void mutation(String code, String test) throws IOException {
        document(
                "mutations.txt",
                "# head\n\nid: V1-1-1\nbreaks: a is not b\nfile: Code.java\ncode: " + code
                        + "\nwith: if (a > b)\ntest: " + test + "\n");
    }

    private void document(String name, String text) throws IOException {
        Files.writeString(root.resolve("docs/conformance").resolve(name), text);
    }

    private void ran(Outcome outcome) throws IOException {
        Results.add(root.resolve("module/target/conformance"), PLAIN.className(), Map.of(PLAIN, outcome));
    }

    @Test
    void shouldFindNothingWrong() throws IOException {
        assertThat(new Conformance(root).problems(true)).isEmpty();
    }

    @Test
    void shouldMissTestsThatEveryBuildRuns() throws IOException {
        requirements("V1-1-1\tMUST\tboth\tA rule.", "V1-1-2\tMAY\treq\tAnother.", "V1-1-3\tMUST NOT\tboth\tA third.");
        assertThat(new Conformance(root).problems(true))
                .containsExactly(
                        "V1-1-3 (MUST NOT) has no test that every build runs",
                        "V1-1-3 (MUST NOT) is broken by nothing in mutations.txt");
    }

    @Test
    void shouldNameIdsThatThereAreNot() throws IOException {
        requirements("V1-1-1\tMUST\tboth\tA rule.");
        assertThat(new Conformance(root).problems(true))
                .containsExactly(
                        PLAIN_NAME + " proves V1-1-2, which is no requirement",
                        TAGGED_NAME + " proves V1-1-2, which is no requirement");
    }

    @Test
    void shouldLeaveOutOnlyWhatIsOptional() throws IOException {
        requirements("V1-1-1\tMUST\tboth\tA rule.", "V1-1-2\tMAY\treq\tAnother.", "V1-1-3\tMAY\treq\tA third.");
        document("not-taken-up.tsv", "V1-1-3\tno use\nV1-1-2\tno use\nV1-1-1\tno use\n");
        assertThat(new Conformance(root).problems(true))
                .containsExactly(
                        "V1-1-2 is said not to be taken up, and has tests",
                        "not-taken-up.tsv: V1-1-1 is no requirement of level MAY");
    }

    @Test
    void shouldWantTestsToPassWhereAllWereRun() throws IOException {
        ran(Outcome.NOT_RUN);
        assertThat(new Conformance(root).problems(true)).containsExactly(PLAIN_NAME + " was skipped");
        assertThat(new Conformance(root).problems(false)).isEmpty();
        ran(Outcome.FAILED);
        assertThat(new Conformance(root).problems(false)).containsExactly(PLAIN_NAME + " failed");
    }

    @Test
    void shouldWantEditsThatApplyAndTestsThatProve() throws IOException {
        mutation("if (a == b)", "SomeTest.shouldNot");
        assertThat(new Conformance(root).problems(true))
                .containsExactly(
                        "mutations.txt: V1-1-1: SomeTest.shouldNot is no test that proves it",
                        "mutations.txt: V1-1-1: the code to replace stands 0 times in Code.java: if (a == b)");
    }

    @Test
    void shouldMutateWhateverTheWhiteSpace() throws IOException {
        Mutation mutation = new Conformance(root).mutations("V1-1-1").get(0);
        assertThat(mutation.apply(root)).isEqualTo("if (a > b) {}\n");
    }

    @Test
    void shouldReport() throws IOException {
        assertThat(Report.write(new Conformance(root)))
                .contains("| MUST | 1 | 1 | 0 | 0 | 0 | 0 |\n")
                .contains("| V1-1-1 | MUST | A rule. | `" + ANNOTATED_NAME + "` (linux-peer)<br>`" + PLAIN_NAME
                        + "`<br>`" + TAGGED_NAME + "` (linux-peer) | passed | a is not b: `" + PLAIN_NAME + "` |\n")
                .contains("| Another \\| one. |");
        ran(Outcome.NOT_RUN);
        assertThat(Report.write(new Conformance(root))).contains("| not run | a is not b");
    }

    @Test
    void shouldKeepTheColumnOfTests() throws IOException {
        Conformance conformance = new Conformance(root);
        String tests = PLAIN_NAME + "; " + TAGGED_NAME + " (linux-peer)\n";
        String expected = "# head\nV1-1-1\tMUST\tboth\tA rule.\t" + ANNOTATED_NAME + " (linux-peer); " + tests
                + "V1-1-2\tSHOULD\treq\tAnother | one.\t" + tests;
        assertThat(conformance.withTests("requirements.tsv")).isEqualTo(expected);
        document("requirements.tsv", expected);
        assertThat(new Conformance(root).withTests("requirements.tsv")).isEqualTo(expected);
    }

    @Test
    void shouldReadAllTables() throws IOException {
        document("requirements-rpc-nfs.tsv", "# head\nGSS-1-1\tMUST\tboth\tA rule of another table.\n");
        assertThat(new Conformance(root).problems(true))
                .containsExactly(
                        "GSS-1-1 (MUST) has no test that every build runs",
                        "GSS-1-1 (MUST) is broken by nothing in mutations.txt");
        assertThat(Report.write(new Conformance(root)))
                .contains("| MUST | 2 | 1 | 0 | 0 | 0 | 1 |\n")
                .contains("| GSS-1-1 | MUST | A rule of another table. |");
    }

    @Test
    void shouldTellWhatIsNotDone() throws IOException {
        requirements(
                "V1-1-1\tMUST\tboth\tA rule.",
                "V1-1-2\tSHOULD\treq\tAnother.",
                "V1-1-3\tMUST\treq\tA third.",
                "V1-1-4\tSHOULD\treq\tA fourth.");
        document(
                "not-done.tsv",
                "# id\tstate\treason\nV1-1-3\tnot applicable\tThere is none.\nV1-1-4\tnot done\tNobody asks.\n");
        assertThat(new Conformance(root).problems(true)).isEmpty();
        assertThat(Report.write(new Conformance(root)))
                .contains("| MUST | 2 | 1 | 0 | 1 | 0 | 0 |\n")
                .contains("| SHOULD | 2 | 1 | 0 | 0 | 1 | 0 |\n")
                .contains("| V1-1-3 | MUST | A third. |  | not applicable: There is none. |  |\n");
    }

    @Test
    void shouldWantAReasonThatHolds() throws IOException {
        document("not-done.tsv", "V1-1-1\tnot done\tno\nV1-1-2\tforgotten\tno\nV1-0-0\tnot done\tno\n");
        assertThat(new Conformance(root).problems(true))
                .containsExactly(
                        "V1-1-1 is said to be not done, and has tests",
                        "V1-1-2 is said to be forgotten, and has tests",
                        "not-done.tsv: V1-1-2: 'forgotten' is no state",
                        "not-done.tsv: V1-0-0 is no requirement");
    }
}
