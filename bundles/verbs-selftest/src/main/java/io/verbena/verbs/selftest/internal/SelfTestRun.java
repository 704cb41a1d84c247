package io.verbena.verbs.selftest.internal;

import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.Bandwidth;
import io.verbena.verbs.selftest.Latency;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.SelfTestStep.Outcome;
import io.verbena.verbs.selftest.internal.Message.Kind;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** One test, run by the connecting end: its steps and their results. */
final class SelfTestRun {
    private final RdmaProvider provider;
    private final InetSocketAddress remote;
    private final SelfTestOptions options;
    private final Consumer<SelfTestStep> told;
    private final List<SelfTestStep> steps = new ArrayList<>();
    private final List<Latency> latencies = new ArrayList<>();
    private final List<Bandwidth> bandwidths = new ArrayList<>();

    SelfTestRun(RdmaProvider provider, InetSocketAddress remote, SelfTestOptions options, Consumer<SelfTestStep> told) {
        this.provider = provider;
        this.remote = remote;
        this.options = options;
        this.told = told;
    }

    SelfTestReport run() throws RdmaException, InterruptedException {
        try (Initiator end = connect(HandshakeData.MAIN, 0)) {
            Map<String, String> settings = end.connection().settings();
            verify(end);
            measure(end);
            finish(end);
            return report(settings);
        }
    }

    private Initiator connect(int purpose, long session) throws RdmaException {
        return Initiator.connect(provider, remote, options, new HandshakeData(HandshakeData.VERSION, purpose, session));
    }

    /** One step; returns the figures, if any. */
    @FunctionalInterface
    private interface Task {
        String run() throws RdmaException, InterruptedException;
    }

    /** One step without figures. */
    @FunctionalInterface
    private interface Check {
        void run() throws RdmaException, InterruptedException;
    }

    private void verify(Initiator end) throws InterruptedException {
        Verbs verbs = new Verbs(end);
        check(end, "Send", verbs::send);
        if (end.remoteInvalidation()) {
            check(end, "Send with Invalidate", verbs::sendWithInvalidate);
        } else {
            told(new SelfTestStep(
                    "Send with Invalidate", Outcome.SKIPPED, "not both ends take part in remote invalidation"));
        }
        check(end, "RDMA Write", verbs::write);
        check(end, "RDMA Read", verbs::read);
        check(end, "local invalidate", verbs::localInvalidate);
        step(end, "access after invalidation", () -> {
            boolean told;
            try (Initiator side = connect(HandshakeData.SIDE, end.session())) {
                told = Refusals.ours(side);
            }
            try (Initiator side = connect(HandshakeData.SIDE, end.session())) {
                told &= Refusals.theirs(side);
            }
            return told ? "" : "the device does not tell why the connection has ended";
        });
    }

    private void measure(Initiator end) throws InterruptedException {
        Measurements measurements = new Measurements(end, options);
        step(end, "Send latency, " + options.messageSize() + " octets", () -> {
            Latency latency = measurements.latency();
            latencies.add(latency);
            return String.format(
                    Locale.ROOT,
                    "%.1f us median, %.1f us p99, %.1f us min, half of each of %d round trips",
                    latency.median(),
                    latency.p99(),
                    latency.min(),
                    latency.roundTrips());
        });
        for (Operation operation : List.of(Operation.RDMA_WRITE, Operation.RDMA_READ)) {
            bandwidth(end, measurements, operation, 64 << 10, 32);
            bandwidth(end, measurements, operation, 1 << 20, 16);
        }
    }

    private void bandwidth(Initiator end, Measurements measurements, Operation operation, int size, int outstanding)
            throws InterruptedException {
        String verb = operation == Operation.RDMA_WRITE ? "RDMA Write" : "RDMA Read";
        step(end, verb + " bandwidth, " + (size >> 10) + " KiB", () -> {
            Bandwidth bandwidth = measurements.bandwidth(operation, size, outstanding);
            bandwidths.add(bandwidth);
            return String.format(
                    Locale.ROOT,
                    "%.1f MiB/s, %d transfers, %d outstanding",
                    bandwidth.octetsPerSecond() / (1 << 20),
                    bandwidth.transfers(),
                    outstanding);
        });
    }

    private void finish(Initiator end) throws InterruptedException {
        if (end.connection().isConnected()) {
            try {
                end.ask(Message.of(Kind.END, report(Map.of()).failures(), 0));
            } catch (RdmaException e) {
                told(new SelfTestStep("end of the test", Outcome.FAILED, e.getMessage()));
            }
        }
    }

    private SelfTestReport report(Map<String, String> settings) {
        return new SelfTestReport(settings, steps, latencies, bandwidths);
    }

    private void check(Initiator end, String name, Check check) throws InterruptedException {
        step(end, name, () -> {
            check.run();
            return "";
        });
    }

    private void step(Initiator end, String name, Task task) throws InterruptedException {
        if (!end.connection().isConnected()) {
            told(new SelfTestStep(name, Outcome.SKIPPED, "the connection has ended"));
            return;
        }
        try {
            told(new SelfTestStep(name, Outcome.OK, task.run()));
        } catch (StepFailure e) {
            told(new SelfTestStep(name, Outcome.FAILED, e.getMessage()));
        } catch (RdmaException e) {
            end.close(); // both ends may be waiting for each other
            told(new SelfTestStep(name, Outcome.FAILED, e.getMessage()));
        }
    }

    private void told(SelfTestStep step) {
        steps.add(step);
        told.accept(step);
    }
}
