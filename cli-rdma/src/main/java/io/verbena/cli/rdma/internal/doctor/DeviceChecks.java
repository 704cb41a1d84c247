package io.verbena.cli.rdma.internal.doctor;

import io.verbena.verbs.MissingProvider;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.SelfTest;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The checks of RDMA: libraries, devices, the port, and a connection of this host to itself. */
final class DeviceChecks {
    /** The port of NFS over RDMA. */
    static final int PORT = 20_049;

    private static final String DEVICES = "/dev/infiniband";
    private static final String LISTENING = "0A";
    private static final SelfTestOptions SHORT =
            new SelfTestOptions(64, Duration.ofMillis(20), 20, Duration.ofSeconds(3), Map.of());

    private final Host host;
    private final List<RdmaProvider> providers;
    private final List<MissingProvider> missing;

    DeviceChecks(Host host, List<RdmaProvider> providers, List<MissingProvider> missing) {
        this.host = host;
        this.providers = providers;
        this.missing = missing;
    }

    /** Returns whether there are RDMA devices other than those in software. */
    boolean hasDevices() {
        return providers.stream().anyMatch(provider -> provider.name().equals(ProviderNames.DEVICES));
    }

    /** The libraries of devices: whether they are loaded, and what their provider says. */
    void libraries(Consumer<Finding> told) {
        TreeSet<String> loaded = host.lines("/proc/self/maps").orElse(List.of()).stream()
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .filter(path -> path.matches(".*/lib(ibverbs|rdmacm)\\.so[.0-9]*"))
                .collect(Collectors.toCollection(TreeSet::new));
        if (hasDevices()) {
            told.accept(Finding.ok("libraries", "loaded: " + String.join(", ", loaded)));
            return;
        }
        if (missing.isEmpty()) {
            told.accept(Finding.warning(
                    "libraries",
                    "the provider of RDMA devices is not started",
                    "bundle:start io.verbena.verbs.native; software iWARP works without it"));
        }
        for (MissingProvider each : missing) {
            boolean isLoaded = loaded.size() > 1;
            told.accept(Finding.warning(
                    isLoaded ? "devices" : "libraries",
                    "provider " + each.name() + ": " + each.reason(),
                    (isLoaded
                                    ? "modprobe rdma_ucm, and rdma link, which lists devices"
                                    : "packages libibverbs1 librdmacm1 ibverbs-providers, or libibverbs librdmacm")
                            + "; software iWARP works without it"));
        }
    }

    /** The devices and their states, those of the kernel included that cannot be used. */
    void devices(Consumer<Finding> told) {
        if (providers.isEmpty()) {
            told.accept(
                    Finding.problem("devices", "no RDMA provider is started", "bundle:start io.verbena.verbs.iwarp"));
        }
        for (RdmaProvider provider : providers) {
            for (RdmaDevice device : provider.devices()) {
                String text = device.name() + " (" + provider.name() + ", " + device.transport() + ")";
                told.accept(
                        device.active()
                                ? Finding.ok("devices", text + " is active")
                                : Finding.warning(
                                        "devices",
                                        text + " is down",
                                        "ip link set dev INTERFACE up; rdma link shows its state"));
            }
        }
        List<String> kernels = host.names("/sys/class/infiniband");
        if (!hasDevices() && !kernels.isEmpty()) {
            told.accept(Finding.warning(
                    "devices",
                    "the kernel has " + String.join(", ", kernels) + ", which cannot be used here",
                    "the finding about libraries says why"));
        }
        for (String name : host.names(DEVICES)) {
            Path file = host.file(DEVICES + "/" + name);
            if (name.matches("uverbs\\d+|rdma_cm") && !(Files.isReadable(file) && Files.isWritable(file))) {
                told.accept(Finding.warning(
                        "devices",
                        DEVICES + "/" + name + " cannot be opened by this user",
                        "chmod a+rw it by a rule of udev, or run as a member of its group"));
            }
        }
    }

    /** The port of NFS over RDMA: who listens there on this host. */
    void ports(Consumer<Finding> told) {
        List<String> sockets = Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(file -> host.lines(file).orElse(List.of()).stream())
                .toList();
        if (sockets.isEmpty()) {
            told.accept(Finding.warning("port", "/proc/net/tcp cannot be read", "mount /proc"));
            return;
        }
        boolean isUsed = sockets.stream()
                .map(line -> line.strip().split("\\s+", -1))
                .anyMatch(fields -> fields.length > 3
                        && fields[3].equals(LISTENING)
                        && fields[1].endsWith(String.format(":%04X", PORT)));
        told.accept(
                isUsed
                        ? new Finding(
                                Finding.Level.OK,
                                "port",
                                PORT + " is in use: an export or another program listens there",
                                "a further export takes another one by --port")
                        : Finding.ok("port", PORT + " is free for an export"));
    }

    /** A connection of this host to itself in software. */
    void loopback(Optional<SelfTest> selfTest, Consumer<Finding> told) throws InterruptedException {
        Optional<RdmaProvider> software =
                providers.stream().filter(ProviderNames::isSoftware).findFirst();
        if (selfTest.isEmpty() || software.isEmpty()) {
            told.accept(Finding.warning(
                    "loopback",
                    "cannot be tested: " + (selfTest.isEmpty() ? "io.verbena.verbs.selftest" : "software iWARP")
                            + " is not started",
                    "bundle:start io.verbena.verbs.selftest io.verbena.verbs.iwarp"));
            return;
        }
        try {
            SelfTestReport report =
                    selfTest.get().loopback(software.get(), InetAddress.getLoopbackAddress(), SHORT, step -> {});
            List<SelfTestStep> failed = report.steps().stream()
                    .filter(step -> step.outcome() == SelfTestStep.Outcome.FAILED)
                    .toList();
            if (failed.isEmpty()) {
                told.accept(Finding.ok("loopback", "this host connects to itself by software iWARP"));
            }
            failed.forEach(step -> told.accept(Finding.problem(
                    "loopback", step.name() + ": " + step.detail(), "rdma:selftest tells more; see the log")));
        } catch (RdmaException e) {
            told.accept(Finding.problem(
                    "loopback",
                    "this host cannot connect to itself: " + e.getMessage(),
                    "ip link set dev lo up; let a firewall pass 127.0.0.1"));
        }
    }
}
