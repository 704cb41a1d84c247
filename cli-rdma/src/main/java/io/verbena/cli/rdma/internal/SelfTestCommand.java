package io.verbena.cli.rdma.internal;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTest;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.SelfTestStep.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Tests a device, or the path to another machine. */
@Service
@Command(
        scope = "rdma",
        name = "selftest",
        description = "Tests an RDMA device, or the way to another machine",
        detailedDescription =
                """
            Sends, writes, reads and invalidates in both directions, compares every octet, and measures latency and \
            bandwidth: over a connection of a device to itself, or between two machines, of which one listens and the \
            other connects. Their providers may differ.
            Transfers are of 1 MiB at most, and the memory of those that have ended is left to the garbage collector. \
            Fails when a step has failed.
            Who listens without --provider listens in software, for peers that speak iWARP; those on InfiniBand and \
            RoCE need --provider native.

            Example: rdma:selftest iwarp-lo
                     rdma:selftest --listen 18620
                     rdma:selftest server:18620""")
public final class SelfTestCommand extends CliCommand {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Option(
            name = "--provider",
            description =
                    "The provider to use, as rdma:devices shows it; auto is the one of the device, or with a route,"
                            + " and to listen the one in software")
    @Completion(ProviderNameCompleter.class)
    private String provider = ProviderNames.AUTO;

    @Option(name = "--listen", description = "Waits at [ADDRESS:]PORT for one test from another machine")
    private String listen;

    @Option(name = "--size", description = "Octets of the messages whose latency is measured, 1 to 4096")
    private String size = "64";

    @Option(
            name = "--count",
            description = "About how many messages or transfers are measured; 0 is as many as the time allows")
    private String count = "0";

    @Option(name = "--seconds", description = "How long each measurement takes, 1 to 60")
    private String seconds = "1";

    @Argument(
            name = "DEVICE|HOST:PORT",
            description =
                    "A device of rdma:devices, or where the other end listens; behind an address or a full name the"
                            + " port may be left out")
    @Completion(DeviceNameCompleter.class)
    private String target;

    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        if ((target == null) == (listen == null)) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "name a device, or HOST:PORT of a listening end, or listen with --listen");
        }
        if (listen != null) {
            listen(out);
            return;
        }
        SelfTestOptions options = new SelfTestOptions(
                number("--size", size),
                Duration.ofSeconds(number("--seconds", seconds)),
                number("--count", count),
                TIMEOUT,
                Map.of());
        SelfTestTargets targets = new SelfTestTargets(services.providers(), provider);
        Optional<SelfTestTargets.Device> device = targets.device(target);
        SelfTestReport report = device.isPresent()
                ? selfTest()
                        .loopback(device.get().provider(), device.get().address(), options, step -> print(out, step))
                : connect(targets, options, out);
        if (report.failures() > 0) {
            throw new CommandException("steps that have failed: " + report.failures());
        }
    }

    private static int number(String option, String text) throws CommandException {
        if (!text.matches("\\d{1,9}")) {
            throw new CommandFailure(ExitStatus.USAGE, option + " takes a number, not '" + Text.printable(text) + "'");
        }
        return Integer.parseInt(text);
    }

    private SelfTest selfTest() throws CommandException {
        return services.selfTest()
                .orElseThrow(() ->
                        new CommandFailure(ExitStatus.NO_CONNECTION, "the bundle of the self-test is not started"));
    }

    private SelfTestReport connect(SelfTestTargets targets, SelfTestOptions options, PrintStream out)
            throws IOException, InterruptedException, CommandException {
        InetSocketAddress remote = targets.remote(target);
        RdmaProvider chosen = targets.providerTo(remote);
        out.printf("connecting to %s by %s%n", Text.printable(target), chosen.name());
        return selfTest().connect(chosen, remote, options, step -> print(out, step));
    }

    private void listen(PrintStream out) throws IOException, InterruptedException, CommandException {
        SelfTestTargets targets = new SelfTestTargets(services.providers(), provider);
        InetSocketAddress local = SelfTestTargets.local(listen);
        RdmaProvider chosen = targets.providerToListen();
        try (SelfTestListener listener =
                selfTest().listen(chosen, local, rejection -> out.println(Text.printable(rejection)))) {
            InetSocketAddress at = listener.localAddress();
            out.printf("listening at %s:%d by %s%n", at.getAddress().getHostAddress(), at.getPort(), chosen.name());
            out.flush();
            SelfTestStep result = listener.await();
            print(out, result);
            if (result.outcome() == Outcome.FAILED) {
                throw new CommandException("the test has failed");
            }
        }
    }

    private static void print(PrintStream out, SelfTestStep step) {
        String outcome =
                switch (step.outcome()) {
                    case OK -> "ok";
                    case FAILED -> "FAILED";
                    case SKIPPED -> "skipped";
                };
        out.println(String.format("%-32s  %-7s  %s", step.name(), outcome, Text.printable(step.detail()))
                .stripTrailing());
        out.flush();
    }
}
