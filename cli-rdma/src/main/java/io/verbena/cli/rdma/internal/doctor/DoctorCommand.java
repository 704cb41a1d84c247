package io.verbena.cli.rdma.internal.doctor;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.JsonText;
import io.verbena.cli.rdma.internal.PingCommand;
import io.verbena.cli.rdma.internal.RdmaServices;
import io.verbena.memory.MemoryBudget;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;

/** Examines this host, and tells what to do. */
@Service
@Command(
        scope = "rdma",
        name = "doctor",
        description = "Looks for what keeps this host from working well, and says what to do",
        detailedDescription =
                """
            A line for each finding: ok, warning or problem, what it is about, what was found, and what to do. It \
            looks at the JVM, the encoding of names, the libraries and states of RDMA devices, the port of NFS over \
            RDMA, a connection of this host to itself, limits, memory, the clock, the directories of this run, \
            bundles and their components. Nothing is changed.
            With SERVER it then goes the way of a mount there, and tells where the way ends: the name, the port, the \
            handshake, an empty call, the first operation of NFSv4.1.
            It ends with status 0 without problems, and with 1 otherwise. verbena doctor does the same, and looks \
            first at what the start needs.

            Example: rdma:doctor
                     rdma:doctor --json server:20049""")
public final class DoctorCommand extends CliCommand {
    private static final Duration BOUND = Duration.ofSeconds(10);

    @Option(name = "--json", description = "Prints a JSON object with all findings")
    private boolean json;

    @Argument(name = "SERVER[:PORT]", description = "A server to look at, and its port where that is not 20049")
    private String server;

    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) throws InterruptedException, CommandException {
        InetSocketAddress remote = server == null ? null : PingCommand.remote(server);
        Examination examination = new Examination(BOUND, finding -> {
            if (!json) {
                out.println(finding.line());
                out.flush();
            }
        });
        for (Check check : checks(Host.here())) {
            examination.run(check);
        }
        long problems = examination.count(Finding.Level.PROBLEM);
        if (remote != null) {
            Examination probe = new Examination(ServerProbe.bound(), examination::tell);
            probe.run(new Check("server", new ServerProbe(remote, services.transport())::look));
            problems = examination.count(Finding.Level.PROBLEM);
        }
        if (json) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("problems", problems);
            members.put("warnings", examination.count(Finding.Level.WARNING));
            members.put(
                    "findings",
                    examination.findings().stream().map(Finding::members).toList());
            JsonText.print(out, members);
        }
        if (problems > 0) {
            throw new CommandFailure(
                    ExitStatus.FAILED, problems + (problems == 1 ? " problem" : " problems") + " found: see above");
        }
    }

    private List<Check> checks(Host host) {
        HostChecks machine = new HostChecks(host);
        DeviceChecks devices = new DeviceChecks(host, services.providers(), services.missing());
        Optional<Long> direct = services.memory().map(MemoryBudget::limitBytes);
        return List.of(
                new Check("start", told -> LauncherFindings.tell(host.property(LauncherFindings.FILE), told)),
                new Check("java", machine::java),
                new Check("names", machine::locale),
                new Check("libraries", devices::libraries),
                new Check("devices", devices::devices),
                new Check("port", devices::ports),
                new Check("loopback", told -> devices.loopback(services.selfTest(), told)),
                new Check("limits", told -> machine.limits(devices.hasDevices(), told)),
                new Check("memory", told -> machine.memory(Runtime.getRuntime().maxMemory(), direct, told)),
                new Check("clock", told -> machine.clock(Instant.now(), told)),
                new Check("directory", machine::directories),
                new Check("bundles", DoctorCommand::container));
    }

    private static void container(java.util.function.Consumer<Finding> told) {
        Bundle bundle = FrameworkUtil.getBundle(DoctorCommand.class);
        if (bundle == null) {
            told.accept(Finding.warning("bundles", "this is no container of bundles", ""));
        } else {
            new OsgiContainer(bundle.getBundleContext()).look(told);
        }
    }
}
