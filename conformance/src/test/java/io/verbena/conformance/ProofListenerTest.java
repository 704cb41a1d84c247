package io.verbena.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

final class ProofListenerTest {
    @TempDir
    private Path directory;

    @Test
    void shouldRecordAnnotatedTestsOnly() throws IOException {
        run(selectClass(Example.class));

        assertThat(outcomes())
                .containsOnly(
                        Map.entry("shouldPass", Outcome.PASSED),
                        Map.entry("shouldFail", Outcome.FAILED),
                        Map.entry("shouldBeGivenUp", Outcome.NOT_RUN),
                        Map.entry("shouldBeDisabled", Outcome.NOT_RUN),
                        Map.entry("shouldPassTwice", Outcome.PASSED),
                        Map.entry("shouldFailOnce", Outcome.FAILED),
                        Map.entry("shouldPassInside", Outcome.PASSED));
    }

    @Test
    void shouldRecordEveryTestOfAnAnnotatedClass() throws IOException {
        run(selectClass(Inheriting.class));

        assertThat(outcomes())
                .containsOnly(Map.entry("shouldBeInherited", Outcome.PASSED), Map.entry("shouldBeOwn", Outcome.PASSED));
    }

    @Test
    void shouldRecordTestsThatWereNotBegun() throws IOException {
        run(selectClass(GivenUp.class), selectClass(Broken.class), selectClass(DisabledExample.class));

        assertThat(Results.read(directory))
                .containsOnly(
                        Map.entry(new TestName(GivenUp.class.getName(), "shouldPass"), Outcome.NOT_RUN),
                        Map.entry(new TestName(Broken.class.getName(), "shouldPass"), Outcome.FAILED),
                        Map.entry(new TestName(DisabledExample.class.getName(), "shouldPass"), Outcome.NOT_RUN));
    }

    @Test
    void shouldKeepWhatAnEarlierRunOfTheBuildRecorded() throws IOException {
        run(selectMethod(Example.class, "shouldPass"));
        run(selectMethod(Example.class, "shouldFail"));

        assertThat(outcomes())
                .containsOnly(Map.entry("shouldPass", Outcome.PASSED), Map.entry("shouldFail", Outcome.FAILED));
    }

    @Test
    void shouldCountTheInvocationsOfAClassAsOne() throws IOException {
        run(selectClass(Versions.class));

        assertThat(outcomes())
                .containsOnly(
                        Map.entry("shouldPassInBoth", Outcome.PASSED), Map.entry("shouldFailInOne", Outcome.FAILED));
    }

    @Test
    void shouldLeaveWholeFilesOnlyNamedByClass() throws IOException {
        run(selectClass(Inheriting.class));

        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactly(Inheriting.class.getName() + ".tsv");
        }
    }

    private void run(DiscoverySelector... tests) {
        LauncherConfig config = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(new ProofListener(directory))
                .build();
        LauncherFactory.create(config)
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(tests)
                        .build());
    }

    private Map<String, Outcome> outcomes() throws IOException {
        Map<String, Outcome> byMethod = new TreeMap<>();
        Results.read(directory).forEach((test, outcome) -> byMethod.put(test.method(), outcome));
        return byMethod;
    }

    // surefire does not run static nested classes

    static class Example {
        @Test
        @Proves("X-1")
        void shouldPass() {}

        @Test
        @Proves("X-1")
        void shouldFail() {
            assertThat(1).isEqualTo(2);
        }

        @Test
        @Proves("X-1")
        void shouldBeGivenUp() {
            assumeTrue(false);
        }

        @Test
        @Disabled("an example")
        @Proves("X-1")
        void shouldBeDisabled() {}

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        @Proves("X-1")
        void shouldPassTwice(int argument) {
            assertThat(argument).isPositive();
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        @Proves("X-1")
        void shouldFailOnce(int argument) {
            assertThat(argument).isEqualTo(2);
        }

        @Test
        void shouldProveNothing() {}

        @Nested
        class Inner {
            @Test
            @Proves("X-2")
            void shouldPassInside() {}
        }
    }

    @ParameterizedClass
    @ValueSource(ints = {1, 2})
    static final class Versions {
        private final int version;

        Versions(int version) {
            this.version = version;
        }

        @ParameterizedTest
        @ValueSource(ints = {3, 4})
        @Proves("X-5")
        void shouldPassInBoth(int argument) {
            assertThat(argument).isGreaterThan(version);
        }

        @Test
        @Proves("X-5")
        void shouldFailInOne() {
            assertThat(version).isEqualTo(2);
        }
    }

    @Proves("X-3")
    abstract static class Contract {
        @Test
        void shouldBeInherited() {}
    }

    static final class Inheriting extends Contract {
        @Test
        void shouldBeOwn() {}
    }

    static final class GivenUp {
        @BeforeAll
        static void assume() {
            assumeTrue(false);
        }

        @Test
        @Proves("X-4")
        void shouldPass() {}
    }

    static final class Broken {
        @AfterAll
        static void fail() {
            throw new IllegalStateException("an example");
        }

        @Test
        @Proves("X-4")
        void shouldPass() {}
    }

    @Disabled("an example")
    static final class DisabledExample {
        @Test
        @Proves("X-4")
        void shouldPass() {}
    }
}
