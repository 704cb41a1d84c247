package io.verbena.cli.rdma.internal;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.JsonText;
import io.verbena.cli.Latency;
import io.verbena.cli.Text;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcTransport;
import io.verbena.verbs.ProviderNames;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Measures round trips of empty calls to a server. */
@Service
@Command(
        scope = "rdma",
        name = "ping",
        description = "Calls a server's NULL procedure by RPC over RDMA, and measures round trips",
        detailedDescription =
                """
            Connects once, then calls procedure 0 of the NFS program, which does nothing. One line a reply, then a \
            summary with percentiles; Ctrl-C ends it, with the summary. Fails where no reply came at all.

            Example: rdma:ping server
                     rdma:ping -c 1000 -i 0 --provider iwarp server:20049""")
public final class PingCommand extends CliCommand {
    private static final int NFS_RDMA_PORT = 20049;

    @Option(name = "-c", aliases = "--count", description = "How many calls; 0 is without an end")
    private String count = "5";

    @Option(name = "-i", aliases = "--interval", description = "Seconds from one call to the next; 0 is at once")
    private String interval = "1";

    @Option(name = "-W", aliases = "--timeout", description = "Seconds to wait for a connection, and for each reply")
    private String timeout = "5";

    @Option(name = "-q", aliases = "--quiet", description = "The summary only")
    private boolean quiet;

    @Option(name = "--provider", description = "The provider to use; auto is one with a route")
    @Completion(ProviderNameCompleter.class)
    private String provider = ProviderNames.AUTO;

    @Option(name = "--rpcrdma", description = "The version of RPC-over-RDMA, or auto")
    private String version = ProviderNames.AUTO;

    @Option(name = "--json", description = "Prints a JSON object with the summary, durations in nanoseconds")
    private boolean json;

    @Argument(name = "SERVER[:PORT]", description = "The server, and its port where that is not 20049", required = true)
    private String server;

    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        long calls = (long) number("--count", count, 1e9);
        long pauseNanos = (long) (number("--interval", interval, 86_400) * 1e9);
        Duration bound = Duration.ofNanos((long) (Math.max(0.001, number("--timeout", timeout, 3600)) * 1e9));
        InetSocketAddress remote = remote(server);
        RpcTransport transport = services.transport()
                .orElseThrow(() -> new CommandFailure(
                        ExitStatus.NO_CONNECTION, "there is no transport: is io.verbena.rpcrdma.dispatcher started?"));
        long begun = System.nanoTime();
        try (RpcConnection connection = connect(transport, remote, bound)) {
            long connectNanos = System.nanoTime() - begun;
            Map<String, String> settings = connection.settings();
            if (!json) {
                out.printf(
                        "PING %s by %s: connected in %s ms%n",
                        Text.printable(name(remote)),
                        Text.printable(Text.provider(settings)),
                        Latency.millis(connectNanos));
                out.flush();
            }
            Ping ping = new Ping(
                    connection,
                    bound,
                    json || quiet
                            ? line -> {}
                            : line -> {
                                out.println(line);
                                flush(out);
                            });
            ping.run(calls == 0 ? Long.MAX_VALUE : calls, pauseNanos);
            tell(out, remote, connection.settings(), connectNanos, ping);
        }
    }

    private RpcConnection connect(RpcTransport transport, InetSocketAddress remote, Duration bound)
            throws IOException, CommandException {
        try {
            return transport.connect(new ConnectOptions(
                    remote,
                    bound,
                    bound,
                    bound,
                    1,
                    ConnectionObserver.NONE,
                    Optional.empty(),
                    Map.of("provider", provider, "rpcrdma", version, "label", "rdma:ping")));
        } catch (RpcException e) {
            throw new CommandFailure(ExitStatus.NO_CONNECTION, Text.printable(String.valueOf(e.getMessage())), e);
        }
    }

    private void tell(
            PrintStream out, InetSocketAddress remote, Map<String, String> settings, long connectNanos, Ping ping)
            throws CommandException {
        if (json) {
            JsonText.print(out, members(remote, settings, connectNanos, ping));
        } else {
            long lost = ping.sent() - ping.replies();
            out.printf(Locale.ROOT, "--- %s ping statistics ---%n", Text.printable(name(remote)));
            out.printf(
                    Locale.ROOT,
                    "%d calls, %d replies, %.1f%% lost, version %s%n",
                    ping.sent(),
                    ping.replies(),
                    ping.sent() == 0 ? 0.0 : 100.0 * lost / ping.sent(),
                    Text.printable(settings.getOrDefault("version", "unknown")));
            if (ping.replies() > 0) {
                out.println("round trip " + Latency.summary(ping.roundTrips()));
            }
        }
        if (ping.sent() > 0 && ping.replies() == 0) {
            throw new CommandFailure(
                    ExitStatus.NO_CONNECTION,
                    "no reply from " + Text.printable(name(remote)) + ": " + ping.lastFailure());
        }
    }

    private static Map<String, Object> members(
            InetSocketAddress remote, Map<String, String> settings, long connectNanos, Ping ping) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("server", name(remote));
        all.put("provider", settings.get("provider"));
        all.put("providerChoice", settings.get("providerChoice"));
        all.put("version", settings.get("version"));
        all.put("connectNanos", connectNanos);
        all.put("calls", ping.sent());
        all.put("replies", ping.replies());
        all.put("failure", ping.lastFailure());
        all.put("roundTrip", Latency.members(ping.roundTrips()));
        return all;
    }

    private static double number(String option, String text, double most) throws CommandException {
        double value = text.matches("[0-9]{1,10}(\\.[0-9]{1,6})?") ? Double.parseDouble(text) : -1;
        if (value < 0 || value > most) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    String.format(
                            Locale.ROOT,
                            "%s takes a number from 0 to %.0f, not '%s'",
                            option,
                            most,
                            Text.printable(text)));
        }
        return value;
    }

    private static String name(InetSocketAddress remote) {
        String host = remote.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + remote.getPort();
    }

    /** Parses {@code host}, {@code host:port}, {@code [::1]} or {@code [::1]:port}. */
    public static InetSocketAddress remote(String text) throws CommandException {
        int colon = text.lastIndexOf(':');
        boolean bracketed = text.startsWith("[");
        boolean hasPort = colon > 0 && (bracketed ? text.charAt(colon - 1) == ']' : text.indexOf(':') == colon);
        String host = hasPort ? text.substring(0, colon) : text;
        String port = hasPort ? text.substring(colon + 1) : Integer.toString(NFS_RDMA_PORT);
        if (bracketed && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        boolean noHost = host.isBlank() || (host.startsWith(":") && !host.startsWith("::"));
        if (noHost || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65_535) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "'" + Text.printable(text)
                            + "' is no SERVER[:PORT]: a name or an address, and a port from 1 to 65535");
        }
        return InetSocketAddress.createUnresolved(host, Integer.parseInt(port));
    }
}
