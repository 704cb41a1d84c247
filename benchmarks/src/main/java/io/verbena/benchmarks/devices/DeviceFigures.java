package io.verbena.benchmarks.devices;

import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.selftest.Bandwidth;
import io.verbena.verbs.selftest.Latency;
import io.verbena.verbs.selftest.SelfTestListener;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.SelfTestReport;
import io.verbena.verbs.selftest.SelfTestStep;
import io.verbena.verbs.selftest.internal.SelfTestService;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** The self-test without OSGi. It prints its figures for a script: {@code figure}, name and value in each line. */
public final class DeviceFigures {
    private static final String USAGE =
            """
            usage: DeviceFigures PROVIDER loopback ADDRESS
                   DeviceFigures PROVIDER listen ADDRESS PORT
                   DeviceFigures PROVIDER connect HOST PORT
            from system properties: seconds (for each measurement, 1), count (at most, 0: any), size (of messages, \
            64)""";

    /** Class names, so that providers can be measured that this class was not compiled with. */
    private static final Map<String, String> PROVIDERS = Map.of(
            "iwarp", "io.verbena.verbs.iwarp.internal.provider.IwarpProvider",
            "native", "io.verbena.verbs.natives.internal.provider.NativeProvider");

    private DeviceFigures() {}

    /** Exits with 1 where a step has failed, with 2 for wrong arguments. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 3 || !PROVIDERS.containsKey(arguments[0])) {
            System.err.println(USAGE);
            System.exit(2);
        }
        RdmaProvider provider = provider(PROVIDERS.get(arguments[0]));
        InetAddress address = InetAddress.getByName(arguments[2]);
        boolean failed =
                switch (arguments[1]) {
                    case "loopback" ->
                        failed(new SelfTestService().loopback(provider, address, options(), DeviceFigures::print));
                    case "connect" ->
                        failed(new SelfTestService()
                                .connect(provider, socketAddress(address, arguments), options(), DeviceFigures::print));
                    default -> listen(provider, socketAddress(address, arguments));
                };
        System.exit(failed ? 1 : 0); // ends the provider's threads as well
    }

    /** A provider, created like its component without configuration. */
    private static RdmaProvider provider(String className) throws ReflectiveOperationException {
        Class<? extends RdmaProvider> type = Class.forName(className).asSubclass(RdmaProvider.class);
        for (Constructor<?> constructor : type.getConstructors()) {
            Class<?>[] parameters = constructor.getParameterTypes();
            if (parameters.length == 1 && parameters[0].isAnnotation()) {
                Object defaults = Proxy.newProxyInstance(
                        DeviceFigures.class.getClassLoader(),
                        parameters,
                        (proxy, method, values) -> method.getDefaultValue());
                return type.cast(constructor.newInstance(defaults));
            }
        }
        throw new IllegalArgumentException(className + " takes no configuration");
    }

    private static InetSocketAddress socketAddress(InetAddress address, String[] arguments) {
        return new InetSocketAddress(address, Integer.parseInt(arguments[3]));
    }

    private static SelfTestOptions options() {
        SelfTestOptions defaults = SelfTestOptions.DEFAULT;
        return new SelfTestOptions(
                Integer.getInteger("size", defaults.messageSize()),
                Duration.ofSeconds(Integer.getInteger("seconds", 1)),
                Integer.getInteger("count", defaults.count()),
                Duration.ofSeconds(60), // emulated machines are slow
                defaults.provider());
    }

    private static boolean listen(RdmaProvider provider, InetSocketAddress local) throws Exception {
        try (SelfTestListener listener = new SelfTestService().listen(provider, local, DeviceFigures::say)) {
            say("listening at " + listener.localAddress());
            SelfTestStep result = listener.await();
            print(result);
            return result.outcome() == SelfTestStep.Outcome.FAILED;
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }

    private static void print(SelfTestStep step) {
        say(step.name() + ": " + step.outcome() + " " + step.detail());
    }

    private static boolean failed(SelfTestReport report) {
        say("settings " + report.settings());
        for (Latency latency : report.latencies()) {
            figure("latency_" + latency.size() + "_median", latency.median());
            figure("latency_" + latency.size() + "_p99", latency.p99());
        }
        for (Bandwidth bandwidth : report.bandwidths()) {
            String verb = bandwidth.operation() == Operation.RDMA_WRITE ? "write" : "read";
            figure(verb + "_" + bandwidth.size(), bandwidth.octetsPerSecond() / (1 << 20));
        }
        return report.failures() > 0;
    }

    private static void figure(String name, double value) {
        System.out.printf(Locale.ROOT, "figure %s %.2f%n", name, value);
    }
}
