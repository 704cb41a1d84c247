package io.verbena.verbs.selftest.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.SelfTestStep.Outcome;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Complete tests, and the errors where a test cannot begin. */
final class SelfTestServiceTest extends SelfTestFixture {
    private static final SelfTestOptions IMPATIENT =
            new SelfTestOptions(64, Duration.ofMillis(50), 0, Duration.ofMillis(300), Map.of());

    @Test
    void shouldTestAProviderAgainstItself() throws Exception {
        List<SelfTestStep> steps = new ArrayList<>();

        SelfTestReport report = service.loopback(provider, InetAddress.getLoopbackAddress(), FEW, steps::add);

        assertThat(report.steps())
                .isEqualTo(steps)
                .allMatch(step -> step.outcome() == Outcome.OK)
                .extracting(SelfTestStep::name)
                .containsExactly(
                        "Send",
                        "Send with Invalidate",
                        "RDMA Write",
                        "RDMA Read",
                        "local invalidate",
                        "access after invalidation",
                        "Send latency, 64 octets",
                        "RDMA Write bandwidth, 64 KiB",
                        "RDMA Write bandwidth, 1024 KiB",
                        "RDMA Read bandwidth, 64 KiB",
                        "RDMA Read bandwidth, 1024 KiB");
        assertThat(report.failures()).isZero();
        assertThat(report.steps().get(5).detail()).isEmpty(); // both refusals ended their connection with a cause
        assertThat(report.settings()).isNotEmpty();
    }

    @Test
    void shouldMeasureAsOftenAsIsAsked() throws Exception {
        SelfTestReport report = service.loopback(provider, InetAddress.getLoopbackAddress(), FEW, step -> {});

        assertThat(report.latencies()).singleElement().satisfies(latency -> {
            assertThat(latency.size()).isEqualTo(64);
            assertThat(latency.roundTrips()).isEqualTo(20);
            assertThat(latency.min()).isPositive().isLessThanOrEqualTo(latency.median());
            assertThat(latency.median()).isLessThanOrEqualTo(latency.p99());
        });
        assertThat(report.bandwidths())
                .allMatch(bandwidth -> bandwidth.transfers() == 20 && bandwidth.octetsPerSecond() > 0)
                .extracting(bandwidth -> bandwidth.operation() + " " + bandwidth.size())
                .containsExactly(
                        Operation.RDMA_WRITE + " 65536",
                        Operation.RDMA_WRITE + " 1048576",
                        Operation.RDMA_READ + " 65536",
                        Operation.RDMA_READ + " 1048576");
    }

    @Test
    void shouldMeasureForTheTimeGiven() throws Exception {
        SelfTestOptions brief = new SelfTestOptions(1, Duration.ofMillis(50), 0, TIMEOUT, Map.of());

        SelfTestReport report = service.loopback(provider, InetAddress.getLoopbackAddress(), brief, step -> {});

        assertThat(report.failures()).isZero();
        assertThat(report.latencies().get(0).roundTrips()).isPositive();
        assertThat(report.bandwidths()).allMatch(bandwidth -> bandwidth.transfers() > 0);
    }

    @Test
    void shouldTellTheListeningEndHowItWent() throws Exception {
        try (SelfTestListener listener = listen()) {
            SelfTestReport report = connect(listener.localAddress(), FEW);

            assertThat(report.failures()).isZero();
            assertThat(listener.await().outcome()).isEqualTo(Outcome.OK);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void shouldLeaveNoConnectionBehind() throws Exception {
        service.loopback(provider, InetAddress.getLoopbackAddress(), FEW, step -> {});

        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.contains("iwarp"));
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        SelfTestListener gone = listen();
        gone.close();

        assertRefused(Kind.REFUSED, () -> connect(gone.localAddress(), FEW), "127.0.0.1");
        assertThat(gone.await().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void shouldSayThatWhatAnswersIsNoSelfTest() throws Exception {
        try (RdmaListener other = accepting("something else".getBytes(java.nio.charset.StandardCharsets.US_ASCII))) {
            assertRefused(
                    Kind.PROTOCOL, () -> connect(other.localAddress(), FEW), "is no listening end of a self-test");
        }
        try (RdmaListener other = provider.listen(anyPort(), Map.of(), request -> request.reject(new byte[0]))) {
            assertRefused(
                    Kind.REJECTED, () -> connect(other.localAddress(), FEW), "is no listening end of a self-test");
        }
    }

    /** Accepts with this private data, and then stays silent. */
    private RdmaListener accepting(byte[] privateData) throws RdmaException {
        return provider.listen(anyPort(), Map.of(), request -> {
            try {
                SelfTestResponder silent =
                        new SelfTestResponder(new SelfTestResponder.Listener() {
                            @Override
                            public void heard() {
                                told.add("heard");
                            }

                            @Override
                            public void ended(SelfTestResponder responder, RdmaException cause) {
                                told.add("ended");
                            }
                        }) {
                            @Override
                            void onMessage(java.nio.ByteBuffer memory, int offset, Completion completion) {
                                told.add("message");
                            }
                        };
                silent.attach(request.open(OPTIONS, silent));
                silent.connection().accept(privateData, TIMEOUT);
            } catch (RdmaException e) {
                told.add("not accepted: " + e);
            }
        });
    }

    @Test
    void shouldSayThatTheOtherEndSpeaksAnotherVersion() throws Exception {
        try (RdmaListener other = provider.listen(
                anyPort(),
                Map.of(),
                request -> request.reject(new HandshakeData(7, HandshakeData.OTHER_VERSION, 0).encode()))) {
            assertRefused(Kind.REJECTED, () -> connect(other.localAddress(), FEW), "version 7", "not 1");
        }
    }

    @Test
    void shouldEndWhenTheOtherEndIsSilent() throws Exception {
        try (RdmaListener other = accepting(new HandshakeData(1, HandshakeData.WELCOME, 0).encode())) {
            SelfTestReport report = connect(other.localAddress(), IMPATIENT);

            assertThat(report.steps().get(0).outcome()).isEqualTo(Outcome.FAILED);
            assertThat(report.steps().get(0).detail()).contains("no answer within");
            assertThat(report.steps().subList(1, report.steps().size()))
                    .allMatch(step -> step.outcome() == Outcome.SKIPPED)
                    .extracting(SelfTestStep::detail)
                    .containsOnly("the connection has ended");
        }
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo("message");
    }

    @Test
    void shouldFailTheStepInWhichTheOtherEndGoes() throws Exception {
        SelfTestListener listener = listen();
        List<SelfTestStep> steps = new ArrayList<>();

        service.connect(provider, listener.localAddress(), FEW, step -> {
            steps.add(step);
            if (step.name().equals("RDMA Write")) {
                listener.close();
            }
        });

        assertThat(steps.subList(0, 3)).allMatch(step -> step.outcome() == Outcome.OK);
        assertThat(steps.subList(3, steps.size())).noneMatch(step -> step.outcome() == Outcome.OK);
        assertThat(listener.await().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void shouldLeaveOutWhatTheOtherEndTakesNoPartIn() throws Exception {
        byte[] welcome =
                new HandshakeData(HandshakeData.VERSION, HandshakeData.WELCOME_WITHOUT_INVALIDATION, 1).encode();
        try (RdmaListener other = accepting(welcome)) {
            assertThat(connect(other.localAddress(), IMPATIENT).steps())
                    .contains(new SelfTestStep(
                            "Send with Invalidate", Outcome.SKIPPED, "not both ends take part in remote invalidation"));
        }
    }
}
