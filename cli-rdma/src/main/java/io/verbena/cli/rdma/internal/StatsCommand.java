package io.verbena.cli.rdma.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Latency;
import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.Repetition;
import io.verbena.cli.Text;
import io.verbena.metrics.Distribution;
import io.verbena.rpcrdma.ConnectionStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Shows the statistics of connections. */
@Service
@Command(
        scope = "rdma",
        name = "stats",
        description = "Shows what connections of RPC over RDMA do: calls, octets, credits, registrations, latencies",
        detailedDescription =
                """
            First since each connection was made, then for each interval, until Ctrl-C where no count is given; an ID \
            of all shows every connection. Credits are those that calls of this end hold of those granted, and behind \
            a plus sign the calls that wait for one; registrations are the memory regions open to the peer. Octets are \
            those of Sends, and those moved by chunks of each kind. Latencies are microseconds from a call's Send to \
            its reply; wait is the mean time before the Send.
            With --json one array in a line for each look, durations in nanoseconds.

            Example: rdma:stats
                     rdma:stats 3 1 10
                     rdma:stats all 1""")
public final class StatsCommand extends ListingCommand {
    private static final String ALL = "all";

    @Argument(name = "ID", description = "A connection's number, as rdma:connections lists it, or all")
    @Completion(ConnectionIdCompleter.class)
    private String id;

    @Argument(index = 1, name = "INTERVAL", description = "Seconds between looks")
    private String interval;

    @Argument(index = 2, name = "COUNT", description = "How many looks; without, until Ctrl-C")
    private String count;

    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        Repetition repetition = Repetition.of(interval, count);
        Map<Long, ConnectionStatus> before = new HashMap<>();
        repetition.run(number -> {
            List<ConnectionStatus> present = present();
            if (number > 0 && !isJson()) {
                out.println();
            }
            List<ConnectionStatus> shown = present.stream()
                    .map(now -> since(now, before.get(now.id())))
                    .toList();
            print(listing(), shown, out);
            flush(out);
            before.clear();
            present.forEach(now -> before.put(now.id(), now));
        });
    }

    private List<ConnectionStatus> present() throws CommandException {
        List<ConnectionStatus> all = new ArrayList<>();
        services.monitors().forEach(monitor -> all.addAll(monitor.connections()));
        if (id == null || id.equals(ALL)) {
            return all;
        }
        if (!id.matches("[0-9]{1,18}")) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "'" + Text.printable(id) + "' is no connection's number: rdma:connections lists them");
        }
        List<ConnectionStatus> wanted =
                all.stream().filter(each -> each.id() == Long.parseLong(id)).toList();
        if (wanted.isEmpty()) {
            List<Long> ids = all.stream().map(ConnectionStatus::id).toList();
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, "no connection " + id + ": there is " + (ids.isEmpty() ? "none" : ids));
        }
        return wanted;
    }

    /** Returns the difference to an earlier status, which may be null. */
    private static ConnectionStatus since(ConnectionStatus now, ConnectionStatus earlier) {
        if (earlier == null) {
            return now;
        }
        Map<String, Long> counters = new LinkedHashMap<>();
        now.counters().forEach((name, value) -> {
            boolean counts = !now.gauges().containsKey(name);
            counters.put(name, value - (counts ? earlier.counters().getOrDefault(name, 0L) : 0));
        });
        Map<String, Distribution> durations = new LinkedHashMap<>();
        now.durations()
                .forEach((name, times) ->
                        durations.put(name, times.since(earlier.durations().getOrDefault(name, Distribution.EMPTY))));
        return new ConnectionStatus(
                now.id(),
                now.role(),
                now.state(),
                now.local(),
                now.remote(),
                now.settings(),
                counters,
                now.gauges(),
                durations);
    }

    private static Listing<ConnectionStatus> listing() {
        return new Listing<ConnectionStatus>(Listing.Layout.TABLE, "no connection")
                .count("Id", ConnectionStatus::id)
                .text("Role", ConnectionStatus::role)
                .text("State", ConnectionStatus::state)
                .text("Label", each -> each.settings().get("label"))
                .text("Remote", ConnectionStatus::remote)
                .text("Version", each -> each.settings().get("version"))
                .shownCount("Calls", each -> counter(each, "calls"))
                .shown("Credits", 0, StatsCommand::credits)
                .shown("Registrations", 0, StatsCommand::registrations)
                .shownOctets("Sent", each -> counter(each, "inlineSentBytes"))
                .shownOctets("Received", each -> counter(each, "inlineReceivedBytes"))
                .shownOctets("Read chunks", each -> counter(each, "readChunkBytes"))
                .shownOctets("Write chunks", each -> counter(each, "writeChunkBytes"))
                .shownOctets("Reply chunks", each -> counter(each, "replyChunkBytes"))
                .shownCount("p50 us", each -> micros(each, 50))
                .shownCount("p99", each -> micros(each, 99))
                .shownCount("p99.9", each -> micros(each, 99.9))
                .shownCount("Max", each -> micros(each, 100))
                .shownCount("Wait", StatsCommand::waiting)
                .member("gauges", ConnectionStatus::gauges)
                .member("counters", ConnectionStatus::counters)
                .member("durations", StatsCommand::durations);
    }

    private static Long counter(ConnectionStatus status, String name) {
        return status.counters().get(name);
    }

    private static String credits(ConnectionStatus status) {
        Map<String, Long> gauges = status.gauges();
        if (!gauges.containsKey("creditsGranted")) {
            return null;
        }
        long waiting = gauges.get("callsWaiting");
        return gauges.get("creditsInUse") + "/" + gauges.get("creditsGranted") + (waiting > 0 ? " +" + waiting : "");
    }

    private static String registrations(ConnectionStatus status) {
        Long made = counter(status, "registrationsMade");
        return status.gauges().get("registrations") + (made == null || made == 0 ? "" : " (" + made + " made)");
    }

    private static Long micros(ConnectionStatus status, double percent) {
        Distribution times = status.durations().get("roundTrip");
        return times == null ? null : Latency.micros(times.percentileNanos(percent));
    }

    private static Long waiting(ConnectionStatus status) {
        Distribution times = status.durations().get("waiting");
        return times == null ? null : Latency.micros(times.meanNanos());
    }

    private static Map<String, Object> durations(ConnectionStatus status) {
        Map<String, Object> all = new LinkedHashMap<>();
        status.durations().forEach((name, times) -> all.put(name, Latency.members(times)));
        return all;
    }
}
