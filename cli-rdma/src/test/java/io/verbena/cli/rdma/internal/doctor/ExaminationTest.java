package io.verbena.cli.rdma.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examination itself: checks that fail or hang, the container, the launcher's findings. */
final class ExaminationTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final List<Finding> told = new ArrayList<>();

    @Test
    void shouldReportACheckThatFailsAndGoOn() throws Exception {
        Examination examination = new Examination(LONG, told::add);

        examination.run(new Check("first", sink -> {
            sink.accept(Finding.ok("first", "before"));
            throw new IllegalStateException("it broke");
        }));
        examination.run(new Check("second", sink -> {
            throw new NoClassDefFoundError("a/Class");
        }));
        examination.run(new Check("third", sink -> sink.accept(Finding.problem("third", "bad", "mend it"))));

        assertThat(told)
                .extracting(Finding::line)
                .containsExactly(
                        "ok       first      before",
                        "warning  first      the check itself has failed: java.lang.IllegalStateException: it broke",
                        "warning  second     the check itself has failed: java.lang.NoClassDefFoundError: a/Class",
                        "problem  third      bad; to do: mend it");
        assertThat(examination.findings()).isEqualTo(told);
        assertThat(examination.count(Finding.Level.WARNING)).isEqualTo(2);
    }

    @Test
    void shouldGiveUpACheckThatHangsAndKeepWhatItHasFound() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);

        new Examination(Duration.ofMillis(200), told::add).run(new Check("slow", sink -> {
            sink.accept(Finding.ok("slow", "the first half"));
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        }));

        assertThat(told.get(0).line()).isEqualTo("ok       slow       the first half");
        assertThat(told.get(1).line()).startsWith("warning  slow").contains("given up");
        interrupted.await();
    }

    @Test
    void shouldBoundTheFindingsOfACheck() throws Exception {
        new Examination(LONG, told::add).run(new Check("many", sink -> {
            for (int i = 0; i < 1000; i++) {
                sink.accept(Finding.ok("many", "line " + i));
            }
        }));

        assertThat(told).hasSize(200);
    }

    /** A container to look at. */
    private record FakeContainer(List<Container.BundleState> bundles, List<Container.Unsatisfied> unsatisfied)
            implements Container {}

    @Test
    void shouldNameBundlesAndComponentsThatAreNotThere() {
        new FakeContainer(List.of(new Container.BundleState("a", "active", true)), List.of()).look(told::add);
        assertThat(told)
                .extracting(Finding::line)
                .containsExactly("ok       bundles    all 1 are active", "ok       component  all are satisfied");
        told.clear();

        new FakeContainer(
                        List.of(
                                new Container.BundleState("a", "active", true),
                                new Container.BundleState("b", "not started", false)),
                        List.of(
                                new Container.Unsatisfied("b.One", "b", "there is no service memory", false),
                                new Container.Unsatisfied("b.Two", "b", "java.lang.Error", true)))
                .look(told::add);
        assertThat(told)
                .extracting(Finding::line)
                .containsExactly(
                        "problem  bundles    b is not started; to do: bundle:start b; bundle:diag b says what is"
                                + " missing",
                        "warning  component  b.One of b: there is no service memory; to do: scr:info b.One tells more",
                        "problem  component  b.Two of b: java.lang.Error; to do: see the log; bundle:restart b");
    }

    @Test
    void shouldTakeOverTheLaunchersFindingsOnce(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("doctor"), "warning\tlocale\tno UTF-8\texport LC_ALL=C.UTF-8\nok\tstart\tprepared\t\n");

        LauncherFindings.tell(file.toString(), told::add);
        LauncherFindings.tell(file.toString(), told::add);
        LauncherFindings.tell("", told::add);

        assertThat(told)
                .extracting(Finding::line)
                .containsExactly(
                        "warning  locale     no UTF-8; to do: export LC_ALL=C.UTF-8", "ok       start      prepared");
        assertThat(file).doesNotExist();
    }
}
